/**
 * Amounts of USDC as whole micro-USDC (1 USDC = 1,000,000 micro-USDC, the six decimals of the token) in a branded
 * bigint. Never converts an amount to a floating-point number.
 */

declare const unit: unique symbol

/** An amount of USDC in micro-USDC. The brand keeps token counts, prices and wei from being passed as money. */
export type Usdc = bigint & { readonly [unit]: 'micro-USDC' }

/** Number of decimals of USDC. */
export const USDC_DECIMALS = 6

/** Micro-USDC in one USDC. */
export const MICROS_PER_USDC = 1_000_000n

/** Largest valid amount, in micro-USDC: twelve integer digits and six decimals. */
export const MAX_USDC = 999_999_999_999_999_999n as Usdc

export const ZERO = 0n as Usdc

/** Thrown by {@link parseUsdc} for text that is not an amount. `input` is the rejected text. */
export class InvalidAmountError extends Error {
  override readonly name = 'InvalidAmountError'
  readonly input: unknown

  constructor(input: unknown) {
    super(
      'An amount is a decimal number with at most 12 integer digits and 6 decimals, without sign or exponent.',
    )
    this.input = input
  }
}

/** Relative error that a few additions or multiplications of floating-point numbers can leave. */
const ROUNDING_ERROR_MAX = 8 * Number.EPSILON
const AMOUNT = /^(0|[1-9][0-9]{0,11})(?:\.([0-9]{1,6}))?$/

/**
 * Brands a count of micro-USDC as money.
 *
 * @param micros whole micro-USDC; negative in ledger entries only
 */
export function usdc(micros: bigint): Usdc {
  return micros as Usdc
}

/**
 * Parses an amount as clients write it: `"0.05"`, `"12"`, or the JSON number `0.05`.
 * A number is read by its shortest decimal form. Floating-point error beyond the sixth decimal is rounded off:
 * `0.1 + 0.2` is `0.3`. A number that has more than six decimals of its own is rejected, as text is.
 *
 * @param input decimal string or number; 0 to 6 decimals, at most 12 integer digits, no sign, no exponent
 * @returns micro-USDC, between 0 and {@link MAX_USDC}
 * @throws InvalidAmountError for anything else, including negative zero and leading zeros
 */
export function parseUsdc(input: string | number): Usdc {
  const match = AMOUNT.exec(typeof input === 'number' ? decimalForm(input) : input)
  if (match === null) throw new InvalidAmountError(input)
  const [, integer = '0', decimals = ''] = match
  return (BigInt(integer) * MICROS_PER_USDC + BigInt(decimals.padEnd(USDC_DECIMALS, '0'))) as Usdc
}

/** Returns the decimal form of a number without floating-point error. */
function decimalForm(value: number): string {
  if (Object.is(value, -0)) return '-0'
  const shortest = String(value)
  if (AMOUNT.test(shortest)) return shortest
  const rounded = value.toFixed(USDC_DECIMALS)
  return Math.abs(Number(rounded) - value) <= Math.abs(value) * ROUNDING_ERROR_MAX ? rounded : shortest
}

/**
 * Formats an amount with six decimals, as in `"0.050000"`. A negative amount (ledger entries) has a minus sign.
 *
 * @param amount micro-USDC
 */
export function formatUsdc(amount: Usdc): string {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(USDC_DECIMALS + 1, '0')
  const point = digits.length - USDC_DECIMALS
  return `${amount < 0n ? '-' : ''}${digits.slice(0, point)}.${digits.slice(point)}`
}

/**
 * Returns `value × numerator ÷ denominator`, rounded up. Used for charges, once per call.
 *
 * @throws RangeError when an operand is negative or the denominator is not positive
 */
export function mulDivCeil(value: bigint, numerator: bigint, denominator: bigint): bigint {
  assertRatio(value, numerator, denominator)
  return (value * numerator + denominator - 1n) / denominator
}

/**
 * Returns `value × numerator ÷ denominator`, rounded down. Used for fees taken from a provider's share.
 *
 * @throws RangeError when an operand is negative or the denominator is not positive
 */
export function mulDivFloor(value: bigint, numerator: bigint, denominator: bigint): bigint {
  assertRatio(value, numerator, denominator)
  return (value * numerator) / denominator
}

/** Basis points of the whole. */
export const BASIS_POINTS = 10_000n

/** Returns the platform fee of a charge, rounded down: the provider gets the rest. */
export function feeOf(charge: Usdc, feeBasisPoints: number): Usdc {
  return usdc(mulDivFloor(charge, BigInt(feeBasisPoints), BASIS_POINTS))
}

/** Returns the smaller of two amounts. */
export function minUsdc(a: Usdc, b: Usdc): Usdc {
  return a < b ? a : b
}

function assertRatio(value: bigint, numerator: bigint, denominator: bigint): void {
  if (value < 0n || numerator < 0n || denominator <= 0n) {
    throw new RangeError(`Not a ratio of amounts: ${value} × ${numerator} ÷ ${denominator}`)
  }
}
