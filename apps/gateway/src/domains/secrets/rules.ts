import { formatUsdc, type Usdc, usdc, ZERO } from '@farebox/money'
import { intervalStart, type ResetInterval } from '@farebox/wire/intervals'
import type { SecretSettings as WireSettings } from '@farebox/wire/secrets'

/** Limits of a provider secret. `creditLimit` in micro-USDC per interval, null: no cap. */
export type SecretSettings = {
  readonly name: string
  /** Requests per minute. */
  readonly rpm: number
  readonly creditLimit: Usdc | null
  readonly resetInterval: ResetInterval
  /** Maximum number of requests during its lifetime; null: no cap. */
  readonly maxCalls: bigint | null
  /** Null: never. */
  readonly expiresAt: Date | null
}

/** Amount captured by late usage reports with a secret, in micro-USDC, since the start of the interval. */
export type Captures = { readonly captured: Usdc; readonly intervalStart: Date }

/** A provider secret as stored. */
export type SecretRow = SecretSettings &
  Captures & {
    readonly id: string
    readonly owner: string
    readonly maskedKey: string
    /** `expired` is never stored; see {@link secretAt}. */
    readonly status: 'active' | 'expired' | 'deleted'
    readonly createdAt: Date
    readonly lastUsedAt: Date | null
    readonly callsUsed: bigint
  }

const MASK_CHARS = 4

/**
 * Returns the form in which a key is shown after its issue: `psk_ab12…9XyZ`. It reveals four of the 43 random
 * characters.
 */
export function maskKey(key: string): string {
  const prefix = key.indexOf('_') + 1
  return `${key.slice(0, prefix + MASK_CHARS)}…${key.slice(-MASK_CHARS)}`
}

/** Returns why a secret is no longer valid, or null. */
export function endOf(
  { maxCalls, callsUsed, expiresAt }: Pick<SecretRow, 'maxCalls' | 'callsUsed' | 'expiresAt'>,
  now: Date,
): 'expired' | 'calls_used' | null {
  if (expiresAt !== null && expiresAt.getTime() <= now.getTime()) return 'expired'
  return maxCalls !== null && callsUsed >= maxCalls ? 'calls_used' : null
}

/** Returns a stored secret as of a time, with expiry and reset intervals applied. */
export function secretAt(row: SecretRow, now: Date): SecretRow {
  const isEnded = row.status === 'active' && endOf(row, now) !== null
  return {
    ...row,
    ...rollCaptures(row, row.resetInterval, now),
    ...(isEnded && { status: 'expired' }),
  }
}

/** Starts a new interval if the last one has ended, which resets the captured amount. */
function rollCaptures(captures: Captures, interval: ResetInterval, now: Date): Captures {
  const start = intervalStart(interval, now)
  if (start.getTime() <= captures.intervalStart.getTime()) return captures
  return { captured: ZERO, intervalStart: start }
}

/**
 * Adds a capture, or returns the remaining amount if it does not fit.
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

/** Formats settings for a response: amounts as strings, expiry in Unix seconds, rounded up. */
export function presentSettings(settings: SecretSettings): WireSettings {
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
