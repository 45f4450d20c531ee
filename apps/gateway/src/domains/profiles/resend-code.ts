import { GatewayError } from '@farebox/wire/errors'
import type { MeAnswer } from '@farebox/wire/profiles'
import type { Deps } from '../../ports.ts'
import type { Owner } from '../auth/require-owner.ts'
import { presentMe } from './present.ts'
import { isSameEmail } from './rules.ts'
import { type StagingDeps, stageEmail } from './stage-email.ts'
import { lockProfile, writeProfile } from './store.ts'

/**
 * Mails a new code to the pending email. Voids the old code and unlocks the verification.
 *
 * @throws GatewayError EMAIL_VERIFICATION_NOT_PENDING for an email other than the pending one;
 * EMAIL_VERIFICATION_DAILY_LIMIT_REACHED and RATE_LIMITED, after which the old code remains valid; UNAVAILABLE
 */
export async function resendCode(
  deps: StagingDeps & Pick<Deps, 'db'>,
  owner: Owner,
  email: string,
): Promise<MeAnswer> {
  const { wallet } = owner
  const record = await deps.db.transaction(async tx => {
    const before = await lockProfile(tx, wallet)
    if (before.staged === null || !isSameEmail(before.staged.email, email)) {
      throw new GatewayError('EMAIL_VERIFICATION_NOT_PENDING')
    }
    // Uses the address as first given, whatever its case in this request.
    const next = await stageEmail(deps, tx, before, before.staged.email)
    await writeProfile(tx, wallet, next)
    return next
  })
  return presentMe(owner, record, deps.clock.now())
}
