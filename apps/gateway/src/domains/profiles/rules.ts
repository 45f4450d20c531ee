import { timingSafeEqual } from 'node:crypto'
import { EMAIL_SENDS_PER_DAY, type Profile } from '@farebox/wire/profiles'

/** Lifetime of a code, in ms. */
export const CODE_TTL_MS = 600_000
/** Number of digits of a code. */
export const CODE_DIGITS = 6
/** Number of wrong attempts at a code; the last one locks it. */
export const CODE_ATTEMPTS_MAX = 5

const DAY_MS = 86_400_000

/** An email that waits for its code. */
export type StagedEmail = {
  readonly email: string
  readonly codeId: string
  readonly codeDigest: Buffer
  /** Number of wrong attempts so far. */
  readonly attempts: number
  readonly expiresAt: Date
  /** The encrypted code, until it is mailed. */
  readonly sealedCode: string | null
  /** Time at which its mail was last queued. */
  readonly queuedAt: Date
}

/** Profile of a wallet, except for its name. */
export type ProfileRecord = {
  readonly notifications: boolean
  /** Verified email. */
  readonly email: string | null
  readonly staged: StagedEmail | null
  /** Day of the count of verification mails, see {@link utcDay}. */
  readonly sendsDay: number
  readonly sends: number
}

/** Profile of a wallet without a stored one. */
export const EMPTY_PROFILE: ProfileRecord = {
  notifications: true,
  email: null,
  staged: null,
  sendsDay: 0,
  sends: 0,
}

/** Returns the UTC day, counted from 1970-01-01. `now` in Unix milliseconds. */
export function utcDay(now: number): number {
  return Math.floor(now / DAY_MS)
}

/** Returns the seconds until the next UTC day, at least 1. */
export function secondsToNextDay(now: number): number {
  return Math.max(1, Math.ceil((DAY_MS - (now % DAY_MS)) / 1_000))
}

/**
 * Returns the number of verification mails left on a day. If the stored day is later, from a gateway whose clock is
 * ahead, its count applies, so that the count does not reset twice around midnight.
 */
export function sendsLeft(record: Pick<ProfileRecord, 'sends' | 'sendsDay'>, today: number): number {
  return record.sendsDay < today ? EMAIL_SENDS_PER_DAY : Math.max(0, EMAIL_SENDS_PER_DAY - record.sends)
}

/** Returns the record after another mail today. */
export function withSend(record: ProfileRecord, today: number): ProfileRecord {
  const isNewDay = record.sendsDay < today
  return { ...record, sendsDay: isNewDay ? today : record.sendsDay, sends: isNewDay ? 1 : record.sends + 1 }
}

/** Returns the status of a wallet's email. */
export function statusOf(
  record: Pick<ProfileRecord, 'email' | 'staged'>,
): Profile['emailVerificationStatus'] {
  if (record.staged !== null) return record.staged.attempts < CODE_ATTEMPTS_MAX ? 'pending' : 'locked'
  return record.email === null ? 'none' : 'verified'
}

/**
 * Compares two addresses, ignoring case. RFC 5321, 2.4 leaves the case of the local part to its host, but people type
 * it in either. Mail is sent to the address as first given.
 */
export function isSameEmail(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

/**
 * Returns the mailbox of an address, for counting: without case, dots and `+tag`, which many hosts ignore, so that
 * variants of an address share one limit.
 */
export function mailboxOf(email: string): string {
  const at = email.lastIndexOf('@')
  const plain = email
    .slice(0, at)
    .replace(/(?<=.)[+].*$/, '')
    .replaceAll('.', '')
  return `${plain}${email.slice(at)}`.toLowerCase()
}

/** Returns true if an address is already the verified one. */
export function isVerified(record: Pick<ProfileRecord, 'email'>, email: string): boolean {
  return record.email !== null && isSameEmail(record.email, email)
}

/** Result of an attempt at a code. */
export type CodeVerdict =
  | { readonly kind: 'right'; readonly next: ProfileRecord }
  | { readonly kind: 'wrong'; readonly next: ProfileRecord; readonly attemptsRemaining: number }
  | { readonly kind: 'locked' }
  | { readonly kind: 'expired' }
  | { readonly kind: 'not_pending' }

/**
 * Checks a code. Counts a wrong one; the last attempt locks the code. A locked code stays locked after it expires.
 * Attempts at a locked or expired code, or for another email, do not count.
 *
 * @param attempt.digest of the given code; compared in constant time
 * @param attempt.now    in Unix milliseconds
 */
export function judgeCode(
  record: ProfileRecord,
  attempt: { email: string; digest: Buffer; now: number },
): CodeVerdict {
  const { staged } = record
  if (staged === null || !isSameEmail(staged.email, attempt.email)) return { kind: 'not_pending' }
  if (staged.attempts >= CODE_ATTEMPTS_MAX) return { kind: 'locked' }
  if (staged.expiresAt.getTime() <= attempt.now) return { kind: 'expired' }
  if (timingSafeEqual(staged.codeDigest, attempt.digest)) {
    return { kind: 'right', next: { ...record, email: staged.email, staged: null } }
  }
  const attempts = staged.attempts + 1
  return {
    kind: 'wrong',
    next: { ...record, staged: { ...staged, attempts } },
    attemptsRemaining: CODE_ATTEMPTS_MAX - attempts,
  }
}
