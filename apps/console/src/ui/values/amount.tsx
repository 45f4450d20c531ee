import { clsx } from 'clsx'
import { createContext, useContext } from 'react'

const DECIMALS_SHOWN_MIN = 2

/** Formats `1204.050000` as `1,204.05`: without trailing zeros, with at least two decimals. */
export function formatAmount(wire: string): string {
  const [, sign = '', whole = '0', decimals = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(wire) ?? []
  const grouped = whole.replaceAll(/\B(?=(\d{3})+(?!\d))/g, ',')
  const kept = decimals.replace(/0+$/, '').padEnd(DECIMALS_SHOWN_MIN, '0')
  return `${sign === '' ? '' : '−'}${grouped}.${kept}`
}

/** Returns how many decimals {@link formatAmount} shows of an amount. */
function decimalsOf(wire: string): number {
  const first = wire.indexOf('.') + 1
  let end = wire.length
  while (end > first + DECIMALS_SHOWN_MIN && wire[end - 1] === '0') end -= 1
  return first === 0 ? DECIMALS_SHOWN_MIN : end - first
}

/**
 * Decimals of the widest amount of a column of a table: shorter ones leave room for them, so that the points align, and
 * the head of the column has the unit. Null outside of one.
 */
export const ColumnDecimals = createContext<number | null>(null)

/** Returns the most decimals that {@link formatAmount} shows of some amounts. */
export function mostDecimals(amounts: readonly string[]): number {
  return amounts.reduce((most, usdc) => Math.max(most, decimalsOf(usdc)), 0)
}

/** An amount in USDC from the wire. `isSigned` shows a plus for positive amounts. */
export function Amount(props: { usdc: string; isSigned?: boolean; className?: string; isLarge?: boolean }) {
  const plus = props.isSigned === true && !props.usdc.startsWith('-') && Number(props.usdc) > 0 ? '+' : ''
  const decimals = useContext(ColumnDecimals)
  const missing = Math.max(0, (decimals ?? 0) - decimalsOf(props.usdc))
  return (
    <span
      className={clsx(
        'tabular whitespace-nowrap',
        props.isLarge === true && 'text-2xl font-semibold',
        props.className,
      )}
      title={`${props.usdc} USDC`}
    >
      {plus}
      {formatAmount(props.usdc)}
      {missing > 0 && (
        <span
          aria-hidden
          data-room={'0'.repeat(missing)}
          className="after:invisible after:content-[attr(data-room)]"
        />
      )}
      {decimals === null && (
        <span
          className={clsx(
            'ml-1 inline-block font-normal text-faint',
            props.isLarge === true ? 'text-base' : 'text-[0.85em]',
          )}
        >
          USDC
        </span>
      )}
    </span>
  )
}
