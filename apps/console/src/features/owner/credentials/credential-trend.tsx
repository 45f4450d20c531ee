import type { AnswerOf } from '@farebox/client'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../../api.ts'
import { Sparkline } from '../../../ui/charts/sparkline.tsx'
import { formatAmount } from '../../../ui/values/amount.tsx'

type Spending = AnswerOf<'readSpending'>

export const TREND_DAYS = 14
const REFRESH_MS = 30_000

/** Returns the spending of the last {@link TREND_DAYS} days by credential; undefined until it is read. */
export function useTrends(): Spending | undefined {
  return useQuery({
    queryKey: ['calls', 'trends'],
    queryFn: ({ signal }) => api.readSpending({ query: { days: TREND_DAYS, by: 'credential' }, signal }),
    refetchInterval: REFRESH_MS,
  }).data
}

/** The spend of a credential by day. Those outside the few with the highest spend show only their sum. */
export function Trend({ id, spending }: { id: string; spending: Spending | undefined }) {
  if (spending === undefined) return null
  const spent = spending.byCredential.find(({ credentialId }) => credentialId === id)?.spentUsdc
  if (spent === undefined || Number(spent) === 0)
    return <span className="text-faint">{spending.total.calls > 0 && 'Nothing spent'}</span>
  const values = daysOf(spending, id)
  return (
    <span className="flex items-center gap-3">
      {values !== null && (
        <span
          role="img"
          aria-label={`${formatAmount(spent)} USDC in ${TREND_DAYS} days, most on one day: ${formatAmount(String(Math.max(...values)))}`}
        >
          <Sparkline values={values} className="block h-6 w-24" />
        </span>
      )}
      <span className="text-xs text-muted tabular">{formatAmount(spent)}</span>
    </span>
  )
}

/** Returns the spend of each day in USDC, oldest first; null if the answer has no series of the credential. */
function daysOf({ buckets, series }: Spending, id: string): number[] | null {
  const points = series.find(({ key }) => key === id)?.points
  if (points === undefined) return null
  const byStart = new Map(points.map(({ start, spentUsdc }) => [start, Number(spentUsdc)]))
  return buckets.map(({ start }) => byStart.get(start) ?? 0)
}
