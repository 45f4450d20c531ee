import { GatewayError } from '@farebox/wire/errors'
import type { Deps, Tx } from '../../ports.ts'
import { codeDigest, sealCode } from './code-secrecy.ts'
import { queueCodeMails } from './mail-code.ts'
import {
  CODE_DIGITS,
  CODE_TTL_MS,
  mailboxOf,
  type ProfileRecord,
  secondsToNextDay,
  sendsLeft,
  utcDay,
  withSend,
} from './rules.ts'
import { countMail } from './store.ts'

/** What it takes to mail a code. */
export type StagingDeps = Pick<Deps, 'config' | 'clock' | 'ids' | 'jobs' | 'mailer' | 'secretBox'>

const DECOY_BYTES = 32

/**
 * Makes an email wait for a new code and queues the mail that brings it, in the transaction of the caller, who
 * writes the record. Whatever code there was before is void.
 *
 * A mailbox that was written to too often today is not written to, whoever asks, and nobody is told: the answer would
 * say that others have asked for the same one. No code fits then. Otherwise strangers could go on guessing codes for
 * a mailbox whose owner is no longer told.
 *
 * @param record of the wallet, locked
 * @returns the record as it shall be written
 * @throws GatewayError EMAIL_VERIFICATION_DAILY_LIMIT_REACHED; UNAVAILABLE where no mail server is configured
 */
export async function stageEmail(
  deps: StagingDeps,
  tx: Tx,
  record: ProfileRecord,
  email: string,
): Promise<ProfileRecord> {
  const { config, ids, secretBox } = deps
  if (deps.mailer === null) {
    throw new GatewayError('UNAVAILABLE', {}, { message: 'This gateway is not set up to send mail.' })
  }
  const now = deps.clock.now()
  const today = utcDay(now)
  if (sendsLeft(record, today) === 0) {
    const retryAfterSeconds = secondsToNextDay(now)
    throw new GatewayError('EMAIL_VERIFICATION_DAILY_LIMIT_REACHED', {}, { retryAfterSeconds })
  }

  const recipient = secretBox.digest(mailboxOf(email), 'mailbox')
  const mayGoOut = await countMail(tx, { recipient, day: today, max: config.MAILS_PER_ADDRESS })
  const codeId = ids.next('evc')
  const code = ids.digits(CODE_DIGITS)
  if (mayGoOut) await queueCodeMails(deps, tx, [codeId])
  return {
    ...withSend(record, today),
    staged: {
      email,
      codeId,
      codeDigest: codeDigest(secretBox, { codeId, code: mayGoOut ? code : ids.nonce(DECOY_BYTES) }),
      attempts: 0,
      expiresAt: new Date(now + CODE_TTL_MS),
      sealedCode: mayGoOut ? sealCode(secretBox, { codeId, code }) : null,
      queuedAt: new Date(now),
    },
  }
}
