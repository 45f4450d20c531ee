import { formatUsdc, type Usdc, usdc, ZERO } from '@farebox/money'
import { intervalStart, type ResetInterval } from '@farebox/wire/intervals'
import type { SecretSettings as ToldSettings } from '@farebox/wire/secrets'

/** The limits of a provider secret. `creditLimit` in micro-USDC per interval, null: no cap. */
export type SecretSettings = {
  readonly name: string
  /** Requests per minute. */
  readonly rpm: number
  readonly creditLimit: Usdc | null
  readonly resetInterval: ResetInterval
  /** Requests that it may be used for, for life; null: no cap. */
  readonly maxCalls: bigint | null
  /** Null: never. */
  readonly expiresAt: Date | null
}

/** What late usage reports made with a secret have captured, in micro-USDC, of the interval that began then. */
export type Captures = { readonly captured: Usdc; readonly intervalStart: Date }

/** A provider secret as stored. */
export type SecretRow = SecretSettings &
  Captures & {
    readonly id: string
    readonly owner: string
    readonly maskedKey: string
    /** `expired` is never stored: see {@link secretAt}. */
    readonly status: 'active' | 'expired' | 'deleted'
    readonly createdAt: Date
    readonly lastUsedAt: Date | null
    readonly callsUsed: bigint
  }

const MASK_CHARS = 4

/** How a key is shown after it was issued: `psk_ab12…9XyZ`. Of its 43 random characters it tells four. */
export function maskKey(key: string): string {
  const prefix = key.indexOf('_') + 1
  return `${key.slice(0, prefix + MASK_CHARS)}…${key.slice(-MASK_CHARS)}`
}

/** Why a secret opens nothing any more; null while it does. */
export function endOf(
  { maxCalls, callsUsed, expiresAt }: Pick<SecretRow, 'maxCalls' | 'callsUsed' | 'expiresAt'>,
  now: Date,
): 'expired' | 'calls_used' | null {
  if (expiresAt !== null && expiresAt.getTime() <= now.getTime()) return 'expired'
  return maxCalls !== null && callsUsed >= maxCalls ? 'calls_used' : null
}

/** Reads a stored secret as of an instant: expiry and the end of intervals happen by time alone. */
export function secretAt(row: SecretRow, now: Date): SecretRow {
  const isEnded = row.status === 'active' && endOf(row, now) !== null
  return {
    ...row,
    ...rollCaptures(row, row.resetInterval, now),
    ...(isEnded && { status: 'expired' }),
  }
}

/** Starts the interval anew when it has passed: what was captured before does not count any more. */
export function rollCaptures(captures: Captures, interval: ResetInterval, now: Date): Captures {
  const start = intervalStart(interval, now)
  if (start.getTime() <= captures.intervalStart.getTime()) return captures
  return { captured: ZERO, intervalStart: start }
}

/**
 * Adds a capture, or says how much there is room for.
 *
 * @param secret as locked
 * @param amount micro-USDC, not negative
 * @param now    database time
 */
export function addCapture(
  secret: Captures & Pick<SecretSettings, 'creditLimit' | 'resetInterval'>,
  amount: Usdc,
  now: Date,
): Captures | { readonly remaining: Usdc } {
  if (amount < 0n) throw new RangeError(`Not an amount to capture: ${amount}`)
  const { captured, intervalStart: countedSince } = rollCaptures(secret, secret.resetInterval, now)
  const total = usdc(captured + amount)
  const { creditLimit } = secret
  if (creditLimit !== null && total > creditLimit) {
    return { remaining: usdc(creditLimit > captured ? creditLimit - captured : 0n) }
  }
  return { captured: total, intervalStart: countedSince }
}

/** Settings in the wire's form: amounts as strings, expiry in Unix seconds, rounded up. */
export function presentSettings(settings: SecretSettings): ToldSettings {
  const { name, rpm, creditLimit, resetInterval, maxCalls, expiresAt } = settings
  return {
    name,
    rpm,
    creditLimit: creditLimit === null ? null : formatUsdc(creditLimit),
    resetInterval,
    maxCalls: maxCalls === null ? null : Number(maxCalls),
    expiresAt: expiresAt === null ? null : Math.ceil(expiresAt.getTime() / 1_000),
  }
}
