import { formatShare } from '../../../ui/values/shares.ts'

/** Smaller changes are not worth a number. */
const SHOWN_MIN = 0.001

/** `+12% from the previous period`. */
export function Change(props: { now: number; before: number; period?: string }) {
  const { now, before, period = 'the previous period' } = props
  if (before === 0) return <span>None in {period}</span>
  const share = (now - before) / before
  if (Math.abs(share) < SHOWN_MIN) return <span>About the same as {period}</span>
  const percent = Math.abs(share) >= 10 ? `×${(now / before).toFixed(0)}` : formatShare(Math.abs(share))
  const sign = Math.abs(share) >= 10 ? '' : share < 0 ? '−' : '+'
  return (
    <span>
      <span className="font-medium text-muted">
        {sign}
        {percent}
      </span>{' '}
      from {period}
    </span>
  )
}
