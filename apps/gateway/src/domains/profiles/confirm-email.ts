import { GatewayError } from '@farebox/wire/errors'
import type { ProfileAnswer, VerifyCodeBody } from '@farebox/wire/profiles'
import type { Deps } from '../../ports.ts'
import type { Owner } from '../auth/require-owner.ts'
import { codeDigest } from './code-secrecy.ts'
import { presentProfile } from './present.ts'
import { type CodeVerdict, judgeCode } from './rules.ts'
import { lockProfile, writeProfile } from './store.ts'

/**
 * Verifies the pending email of a wallet with the mailed code. Concurrent attempts are counted one by one. Several
 * wallets may verify the same email.
 *
 * @throws GatewayError EMAIL_VERIFICATION_NOT_PENDING for an email other than the pending one;
 * EMAIL_VERIFICATION_INVALID_CODE with `attemptsRemaining`; EMAIL_VERIFICATION_LOCKED from the fifth wrong code on;
 * EMAIL_VERIFICATION_EXPIRED
 */
export async function confirmEmail(
  deps: Pick<Deps, 'db' | 'clock' | 'secretBox'>,
  owner: Owner,
  attempt: VerifyCodeBody,
): Promise<ProfileAnswer> {
  const now = deps.clock.now()
  // Returned instead of thrown, as a wrong attempt must be committed.
  const verdict = await deps.db.transaction(async tx => {
    const record = await lockProfile(tx, owner.wallet)
    const codeId = record.staged?.codeId ?? ''
    const digest = codeDigest(deps.secretBox, { codeId, code: attempt.code })
    const judged = judgeCode(record, { email: attempt.email, digest, now })
    if (judged.kind === 'right' || judged.kind === 'wrong') await writeProfile(tx, owner.wallet, judged.next)
    return judged
  })
  if (verdict.kind !== 'right') throw refusalOf(verdict)
  return { profile: presentProfile(owner, verdict.next, now) }
}

function refusalOf(verdict: Exclude<CodeVerdict, { kind: 'right' }>): GatewayError {
  if (verdict.kind === 'not_pending') return new GatewayError('EMAIL_VERIFICATION_NOT_PENDING')
  if (verdict.kind === 'expired') return new GatewayError('EMAIL_VERIFICATION_EXPIRED')
  if (verdict.kind === 'locked' || verdict.attemptsRemaining === 0) {
    return new GatewayError('EMAIL_VERIFICATION_LOCKED', { attemptsRemaining: 0 })
  }
  const { attemptsRemaining } = verdict
  return new GatewayError('EMAIL_VERIFICATION_INVALID_CODE', { attemptsRemaining })
}
