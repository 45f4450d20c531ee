import type { AnswerOf } from '@farebox/client'
import { useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { api } from '../../../api.ts'
import { formatAmount } from '../../../ui/values/amount.tsx'
import { formatDay } from '../../../ui/values/format-time.ts'
import { TimeAgo } from '../../../ui/values/time-ago.tsx'

type Spending = AnswerOf<'readSpending'>
type Day = { readonly start: string; readonly spentUsdc: string }

export const TREND_DAYS = 14
/** Number of credentials with bars: those with the highest spend. */
const TRENDS_MAX = 50
const REFRESH_MS = 30_000

/** Returns the spending of the last {@link TREND_DAYS} days by credential; undefined until it is read. */
export function useTrends(): Spending | undefined {
  return useQuery({
    queryKey: ['calls', 'trends'],
    queryFn: ({ signal }) =>
      api.readSpending({ query: { days: TREND_DAYS, by: 'credential', series: TRENDS_MAX }, signal }),
    refetchInterval: REFRESH_MS,
  }).data
}

/**
 * The spend of a credential by day, or a dash. Those outside the {@link TRENDS_MAX} with the highest spend show only
 * their sum.
 *
 * @param props.isInline names the period, as no head of a column does, and shows nothing instead of a dash
 */
export function Trend(props: { id: string; spending: Spending | undefined; isInline?: boolean }) {
  const { id, spending, isInline } = props
  if (spending === undefined) return null
  const sums = spending.byCredential.find(({ credentialId }) => credentialId === id)
  if (sums === undefined && !isWhole(spending)) return null
  if (sums === undefined || Number(sums.spentUsdc) === 0)
    return (
      isInline !== true && (
        <span className="text-faint">
          <span aria-hidden>–</span>
          <span className="sr-only">Nothing spent</span>
        </span>
      )
    )
  const spent = `${spending.countedFrom === null ? '' : '≥ '}${formatAmount(sums.spentUsdc)}`
  const days = daysOf(spending, id)
  return (
    <span className={clsx('flex items-center', isInline === true ? 'mt-2 gap-2' : 'gap-3')}>
      {days !== null && <Bars days={days} spent={spent} className={isInline === true ? 'w-16' : 'w-24'} />}
      <span className="text-xs text-muted tabular">
        {spent}
        {isInline === true && ` in ${TREND_DAYS} days`}
      </span>
    </span>
  )
}

/** When a credential was last used, or that it was not in the last {@link TREND_DAYS} days; a blank line if unknown. */
export function LastCall({ id, spending }: { id: string; spending: Spending | undefined }) {
  const last = spending?.byCredential.find(({ credentialId }) => credentialId === id)?.lastCallAt
  return (
    <span className="block min-h-4.5 text-xs text-muted">
      {last !== undefined ? (
        <>
          Last call <TimeAgo iso={last} />
        </>
      ) : (
        spending !== undefined && isWhole(spending) && `No calls in ${TREND_DAYS} days`
      )}
    </span>
  )
}

/** A bar for each day, oldest first, on an axis at zero; a day without spend has the axis only. */
function Bars(props: { days: readonly Day[]; spent: string; className: string }) {
  const { days, spent, className } = props
  const peak = days.reduce((most, day) => (Number(day.spentUsdc) > Number(most.spentUsdc) ? day : most))
  const most = Number(peak.spentUsdc)
  return (
    <span
      role="img"
      aria-label={`${spent} USDC in ${days.length} days, most on ${formatDay(peak.start)}: ${formatAmount(peak.spentUsdc)}`}
      className={clsx('flex h-6 shrink-0 items-end gap-px', className)}
    >
      {days.map(({ start, spentUsdc }) => {
        const value = Number(spentUsdc)
        return (
          <span
            key={start}
            title={`${formatDay(start)}: ${formatAmount(spentUsdc)} USDC`}
            className={clsx('flex-1 rounded-t-xs', value > 0 ? 'min-h-0.5 bg-accent' : 'h-px bg-line-strong')}
            style={value > 0 ? { height: `${(value / most) * 100}%` } : undefined}
          />
        )
      })}
    </span>
  )
}

/** Returns true if a credential that is not listed has spent nothing: if all calls were summed and all sums are listed. */
function isWhole({ byCredential, total, countedFrom }: Spending): boolean {
  return countedFrom === null && byCredential.reduce((sum, { calls }) => sum + calls, 0) === total.calls
}

/** Returns the spend of each day, oldest first; null if the answer has no series of the credential. */
function daysOf({ buckets, series }: Spending, id: string): Day[] | null {
  const points = series.find(({ key }) => key === id)?.points
  if (points === undefined) return null
  const byStart = new Map(points.map(({ start, spentUsdc }) => [start, spentUsdc]))
  return buckets.map(({ start }) => ({ start, spentUsdc: byStart.get(start) ?? '0' }))
}
