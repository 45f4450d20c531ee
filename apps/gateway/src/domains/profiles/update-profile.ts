import type { MeAnswer, UpdateProfileBody } from '@farebox/wire/profiles'
import type { Deps, Tx } from '../../ports.ts'
import { proveWallet, useChallenge } from '../auth/prove-wallet.ts'
import { renameWallet } from '../auth/rename-wallet.ts'
import type { Owner } from '../auth/require-owner.ts'
import { presentMe } from './present.ts'
import { isVerified, type ProfileRecord } from './rules.ts'
import { type StagingDeps, stageEmail } from './stage-email.ts'
import { lockProfile, writeProfile } from './store.ts'

/**
 * Changes a wallet's profile: all requested changes or, if one is refused, none, in which case the challenge remains
 * usable. An unverified email is mailed a code and stays pending.
 *
 * @param change.message, change.signature a profile challenge of this wallet, signed by it; absent members are
 * unchanged
 * @throws GatewayError VERIFICATION_FAILED, CHALLENGE_EXPIRED, UNAVAILABLE, as {@link proveWallet} does;
 * INVALID_PAYLOAD for a username that resembles another wallet or poses as staff;
 * EMAIL_VERIFICATION_DAILY_LIMIT_REACHED, RATE_LIMITED as {@link stageEmail} does
 */
export async function updateProfile(
  deps: StagingDeps & Pick<Deps, 'db' | 'chain'>,
  owner: Owner,
  change: UpdateProfileBody,
): Promise<MeAnswer> {
  const { message, signature, username, email, notifications } = change
  const proven = await proveWallet(deps, 'profile', { address: owner.wallet, message, signature })
  const record = await deps.db.transaction(async tx => {
    await useChallenge(tx, deps.clock, proven)
    if (username !== undefined) await renameWallet(tx, owner, username)
    const before = await lockProfile(tx, owner.wallet)
    const staged = await applyEmail(deps, tx, before, email)
    const next = { ...staged, notifications: notifications ?? staged.notifications }
    await writeProfile(tx, owner.wallet, next)
    return next
  })
  return presentMe({ ...owner, username: username ?? owner.username }, record, deps.clock.now())
}

async function applyEmail(
  deps: StagingDeps,
  tx: Tx,
  record: ProfileRecord,
  email: string | null | undefined,
): Promise<ProfileRecord> {
  if (email === undefined) return record
  if (email === null) return { ...record, email: null, staged: null }
  if (isVerified(record, email)) return { ...record, staged: null }
  return stageEmail(deps, tx, record, email)
}
