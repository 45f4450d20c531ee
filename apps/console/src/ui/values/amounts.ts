import { formatUsdc, InvalidAmountError, parseUsdc, type Usdc } from '@farebox/money'
import { formatAmount } from './amount.tsx'

/**
 * Parses an amount as people type it: `1,000.5`, `.50`. Exact to the micro-USDC.
 *
 * @returns the amount or an error message; null for an empty text
 */
export function readAmount(typed: string): { amount: Usdc } | { error: string } | null {
  const text = typed.trim().replaceAll(/(?<=\d),(?=\d{3}(?:\D|$))/g, '')
  if (text === '') return null
  try {
    return { amount: parseUsdc(text.startsWith('.') ? `0${text}` : text.replace(/\.$/, '')) }
  } catch (error) {
    if (!(error instanceof InvalidAmountError)) throw error
    return { error: /^[\d.]+$/.test(text) ? describeShapeError(text) : 'Enter a number, such as 25 or 0.5.' }
  }
}

function describeShapeError(text: string): string {
  const decimals = text.split('.')[1] ?? ''
  return decimals.length > 6 ? 'USDC has at most 6 decimals.' : 'Enter a valid amount in USDC.'
}

/** Parses an optional amount: null when empty. */
export function readOptional(typed: string): { amount: Usdc | null } | { error: string } {
  return readAmount(typed) ?? { amount: null }
}

/** Formats a wire amount for an input: without trailing zeros and separators. */
export function writeAmount(wire: string | null): string {
  return wire === null ? '' : formatAmount(wire).replaceAll(',', '').replace(/\.00$/, '')
}

/** Formats an amount with its unit. */
export function formatWithUnit(amount: Usdc): string {
  return `${formatAmount(formatUsdc(amount))} USDC`
}

/** Parses a wire amount that may be negative. */
export function parseSigned(wire: string): Usdc {
  return (wire.startsWith('-') ? -parseUsdc(wire.slice(1)) : parseUsdc(wire)) as Usdc
}
