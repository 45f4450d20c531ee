import { GatewayError } from '@farebox/wire/errors'
import type { ProfileAnswer, VerifyCodeBody } from '@farebox/wire/profiles'
import type { Deps } from '../../ports.ts'
import type { Owner } from '../auth/require-owner.ts'
import { codeDigest } from './code-secrecy.ts'
import { presentProfile } from './present.ts'
import { type CodeVerdict, judgeCode } from './rules.ts'
import { lockProfile, writeProfile } from './store.ts'

/**
 * Binds the pending email to its wallet, when the code is the one that was mailed to it. Attempts that come side by
 * side are counted one by one. Whether another wallet has bound the same email does not matter.
 *
 * @throws GatewayError EMAIL_VERIFICATION_NOT_PENDING for another email than the pending one;
 *   EMAIL_VERIFICATION_INVALID_CODE with `attemptsRemaining`; EMAIL_VERIFICATION_LOCKED at the fifth wrong code and
 *   ever after; EMAIL_VERIFICATION_EXPIRED
 */
export async function confirmEmail(
  deps: Pick<Deps, 'db' | 'clock' | 'secretBox'>,
  owner: Owner,
  attempt: VerifyCodeBody,
): Promise<ProfileAnswer> {
  const now = deps.clock.now()
  // Told by value: a wrong attempt is an error to the caller and a change to be committed.
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
