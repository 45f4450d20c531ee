import { InvalidAmountError, parseUsdc, type Usdc } from '@farebox/money'

/**
 * Parses an amount as people type it: `1,000.50`, `.50`. Exact to the micro-USDC. Refuses `1,500`, which is 1500 to some
 * and 1.5 to others.
 *
 * @returns the amount or an error message; null for an empty text
 */
export function readAmount(typed: string): { amount: Usdc } | { error: string } | null {
  const text = typed.trim().replaceAll(/(?<=\d),(?=(?:\d{3},)*\d{3}\.)/g, '')
  if (text === '') return null
  try {
    return { amount: parseUsdc(text.startsWith('.') ? `0${text}` : text.replace(/\.$/, '')) }
  } catch (error) {
    if (!(error instanceof InvalidAmountError)) throw error
    return { error: describeShapeError(text) }
  }
}

function describeShapeError(text: string): string {
  if (!/^[\d.,]+$/.test(text)) return 'Enter a number, such as 25 or 0.5.'
  if (text.includes(',')) return 'Enter it without a comma, with a point before decimals: 1500 or 1.5.'
  const decimals = text.split('.')[1] ?? ''
  return decimals.length > 6 ? 'USDC has at most 6 decimals.' : 'Enter a valid amount in USDC.'
}

/** Parses an optional amount: null when empty. */
export function readOptional(typed: string): { amount: Usdc | null } | { error: string } {
  return readAmount(typed) ?? { amount: null }
}
