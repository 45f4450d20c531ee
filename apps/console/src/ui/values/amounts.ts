import { formatUsdc, parseUsdc, type Usdc } from '@farebox/money'
import { formatAmount } from './amount.tsx'

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
