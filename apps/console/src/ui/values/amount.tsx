import { clsx } from 'clsx'

const DECIMALS_SHOWN_MIN = 2

/** Formats `1204.050000` as `1,204.05`: without trailing zeros, with at least two decimals. */
export function formatAmount(wire: string): string {
  const [, sign = '', whole = '0', decimals = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(wire) ?? []
  const grouped = whole.replaceAll(/\B(?=(\d{3})+(?!\d))/g, ',')
  const kept = decimals.replace(/0+$/, '').padEnd(DECIMALS_SHOWN_MIN, '0')
  return `${sign === '' ? '' : '−'}${grouped}.${kept}`
}

/** An amount in USDC from the wire. `isSigned` shows a plus for positive amounts. */
export function Amount(props: { usdc: string; isSigned?: boolean; className?: string; isLarge?: boolean }) {
  const plus = props.isSigned === true && !props.usdc.startsWith('-') && Number(props.usdc) > 0 ? '+' : ''
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
      <span
        className={clsx(
          'ml-1 font-normal text-faint',
          props.isLarge === true ? 'text-base' : 'text-[0.85em]',
        )}
      >
        USDC
      </span>
    </span>
  )
}
