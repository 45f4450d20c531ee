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

/** Dependencies for mailing a code. */
export type StagingDeps = Pick<Deps, 'config' | 'clock' | 'ids' | 'jobs' | 'mailer' | 'secretBox'>

/**
 * Stages an email with a new code, voids any earlier code, and queues the mail, in the transaction of the caller, who
 * writes the record.
 *
 * A mailbox gets at most `MAILS_PER_ADDRESS` codes per UTC day from all wallets together, so that codes cannot be
 * guessed with ever new wallets. Beyond that nothing is staged and the earlier code remains valid.
 *
 * @param record of the wallet, locked
 * @returns the record to write
 * @throws GatewayError EMAIL_VERIFICATION_DAILY_LIMIT_REACHED for the wallet, RATE_LIMITED for the mailbox, both with
 * the seconds to the next UTC day; UNAVAILABLE if no mail server is configured
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
  const retryAfterSeconds = secondsToNextDay(now)
  if (sendsLeft(record, today) === 0) {
    throw new GatewayError('EMAIL_VERIFICATION_DAILY_LIMIT_REACHED', {}, { retryAfterSeconds })
  }

  const recipient = secretBox.digest(mailboxOf(email), 'mailbox')
  const max = config.MAILS_PER_ADDRESS
  if (!(await countMail(tx, { recipient, day: today, max }))) {
    const message = `email: This address was sent ${max} codes today, the maximum per UTC day. Use another, or wait until tomorrow.`
    throw new GatewayError('RATE_LIMITED', { policy: 'mails-per-address' }, { message, retryAfterSeconds })
  }
  const codeId = ids.next('evc')
  const code = ids.digits(CODE_DIGITS)
  await queueCodeMails(deps, tx, [codeId])
  return {
    ...withSend(record, today),
    staged: {
      email,
      codeId,
      codeDigest: codeDigest(secretBox, { codeId, code }),
      attempts: 0,
      expiresAt: new Date(now + CODE_TTL_MS),
      sealedCode: sealCode(secretBox, { codeId, code }),
      queuedAt: new Date(now),
    },
  }
}
