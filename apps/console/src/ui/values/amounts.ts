import { formatUsdc, InvalidAmountError, parseUsdc, type Usdc, ZERO } from '@farebox/money'
import { formatAmount } from './amount.tsx'

/**
 * Reads an amount as people type it: `1,000.5`, `.50`. Exactly, to the micro-USDC.
 *
 * @returns the amount, or what is wrong with it; null when nothing was typed
 */
export function readAmount(typed: string): { amount: Usdc } | { error: string } | null {
  const text = typed.trim().replaceAll(/(?<=\d),(?=\d{3}(?:\D|$))/g, '')
  if (text === '') return null
  try {
    return { amount: parseUsdc(text.startsWith('.') ? `0${text}` : text.replace(/\.$/, '')) }
  } catch (error) {
    if (!(error instanceof InvalidAmountError)) throw error
    return { error: /^[\d.]+$/.test(text) ? describeShapeError(text) : 'Type a number, such as 25 or 0.5.' }
  }
}

function describeShapeError(text: string): string {
  const decimals = text.split('.')[1] ?? ''
  return decimals.length > 6 ? 'USDC has six decimals at most.' : 'This is no amount of USDC.'
}

/** What a caller may leave empty: an amount, null for nothing, or what is wrong. */
export function readOptional(typed: string): { amount: Usdc | null } | { error: string } {
  return readAmount(typed) ?? { amount: null }
}

/** An amount as it is typed: without zeros that say nothing. */
export function writeAmount(wire: string | null): string {
  return wire === null ? '' : formatAmount(wire).replaceAll(',', '').replace(/\.00$/, '')
}

/** In words, with its unit. */
export function formatWithUnit(amount: Usdc): string {
  return `${formatAmount(formatUsdc(amount))} USDC`
}

/** The part of a cap that is used, 0 to 1; a cap of zero is used up. */
export function shareOf(used: string, cap: string): number {
  const [part, whole] = [parseSigned(used), parseSigned(cap)]
  if (whole <= ZERO) return 1
  return Number((part * 10_000n) / whole) / 10_000
}

/** A wire amount, which may bear a minus, as micro-USDC. */
export function parseSigned(wire: string): Usdc {
  return (wire.startsWith('-') ? -parseUsdc(wire.slice(1)) : parseUsdc(wire)) as Usdc
}
