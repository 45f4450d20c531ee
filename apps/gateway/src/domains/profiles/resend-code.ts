import { GatewayError } from '@farebox/wire/errors'
import type { MeAnswer } from '@farebox/wire/profiles'
import type { Deps } from '../../ports.ts'
import type { Owner } from '../auth/require-owner.ts'
import { presentMe } from './present.ts'
import { isSameEmail } from './rules.ts'
import { type StagingDeps, stageEmail } from './stage-email.ts'
import { lockProfile, writeProfile } from './store.ts'

/**
 * Mails a new code to the pending email. The old one is void, and what was locked is not any more.
 *
 * @throws GatewayError EMAIL_VERIFICATION_NOT_PENDING for another email than the pending one;
 *   EMAIL_VERIFICATION_DAILY_LIMIT_REACHED and RATE_LIMITED, and then the old code stays good; UNAVAILABLE
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
    // To the address as it was staged, whatever its case is this time.
    const next = await stageEmail(deps, tx, before, before.staged.email)
    await writeProfile(tx, wallet, next)
    return next
  })
  return presentMe(owner, record, deps.clock.now())
}
