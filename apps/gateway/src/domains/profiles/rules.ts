import { timingSafeEqual } from 'node:crypto'
import { EMAIL_SENDS_PER_DAY, type Profile } from '@farebox/wire/profiles'

/** How long a code may be used, in ms. */
export const CODE_TTL_MS = 600_000
/** Digits of a code. */
export const CODE_DIGITS = 6
/** Wrong attempts at one code; the last of them locks. */
export const CODE_ATTEMPTS_MAX = 5

const DAY_MS = 86_400_000

/** An email that waits for its code. */
export type StagedEmail = {
  readonly email: string
  readonly codeId: string
  readonly codeDigest: Buffer
  /** Wrong ones so far. */
  readonly attempts: number
  readonly expiresAt: Date
  /** The code, encrypted, until it is mailed. */
  readonly sealedCode: string | null
  /** When its mail was last queued. */
  readonly queuedAt: Date
}

/** What a wallet has told of itself, but for its name. */
export type ProfileRecord = {
  readonly notifications: boolean
  /** Verified. */
  readonly email: string | null
  readonly staged: StagedEmail | null
  /** Verification mails of one UTC day, see {@link utcDay}. */
  readonly sendsDay: number
  readonly sends: number
}

/** A wallet that has told nothing. */
export const UNTOLD: ProfileRecord = { notifications: true, email: null, staged: null, sendsDay: 0, sends: 0 }

/** A UTC day, counted since 1970-01-01. `now` in Unix milliseconds. */
export function utcDay(now: number): number {
  return Math.floor(now / DAY_MS)
}

/** Seconds until the next UTC day begins, at least 1. */
export function secondsToNextDay(now: number): number {
  return Math.max(1, Math.ceil((DAY_MS - (now % DAY_MS)) / 1_000))
}

/**
 * Verification mails left on a day. Never more than a gateway whose clock is ahead has left: around midnight a
 * second clock must not make the count start twice.
 */
export function sendsLeft(record: Pick<ProfileRecord, 'sends' | 'sendsDay'>, today: number): number {
  return record.sendsDay < today ? EMAIL_SENDS_PER_DAY : Math.max(0, EMAIL_SENDS_PER_DAY - record.sends)
}

/** The record after one more mail of today. */
export function withSend(record: ProfileRecord, today: number): ProfileRecord {
  const isNewDay = record.sendsDay < today
  return { ...record, sendsDay: isNewDay ? today : record.sendsDay, sends: isNewDay ? 1 : record.sends + 1 }
}

/** How a wallet stands with its email. */
export function statusOf(
  record: Pick<ProfileRecord, 'email' | 'staged'>,
): Profile['emailVerificationStatus'] {
  if (record.staged !== null) return record.staged.attempts < CODE_ATTEMPTS_MAX ? 'pending' : 'locked'
  return record.email === null ? 'none' : 'verified'
}

/**
 * Returns whether two addresses are one, in any case. RFC 5321, 2.4 leaves the case of the part before the @ to its
 * host; people type it in either. Mail goes to the address as it was staged.
 */
export function isSameEmail(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

/**
 * Whose mailbox an address names, for counting: without case, dots and `+tag`, which many hosts ignore, so that
 * nobody is written to without end under ever new spellings.
 */
export function mailboxOf(email: string): string {
  const at = email.lastIndexOf('@')
  const plain = email
    .slice(0, at)
    .replace(/(?<=.)[+].*$/, '')
    .replaceAll('.', '')
  return `${plain}${email.slice(at)}`.toLowerCase()
}

/** Whether an address is the verified one: naming it again is no change. */
export function isVerified(record: Pick<ProfileRecord, 'email'>, email: string): boolean {
  return record.email !== null && isSameEmail(record.email, email)
}

/** What came of an attempt at a code. */
export type CodeVerdict =
  | { readonly kind: 'right'; readonly next: ProfileRecord }
  | { readonly kind: 'wrong'; readonly next: ProfileRecord; readonly attemptsRemaining: number }
  | { readonly kind: 'locked' }
  | { readonly kind: 'expired' }
  | { readonly kind: 'not_pending' }

/**
 * Judges a code. A wrong one is counted, and the last that is counted locks; locked outlasts expired, and an attempt
 * at a locked or expired code, or for another email, counts nothing.
 *
 * @param attempt.digest of the code that was given; compared in constant time
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
