import type { AnswerOf } from '@farebox/client'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ChartColumn } from 'lucide-react'
import { useMemo, useState } from 'react'
import { api } from '../../../api.ts'
import { buttonClass } from '../../../ui/button.tsx'
import { DayChart } from '../../../ui/charts/day-chart.tsx'
import { type DaySpan, daySpans } from '../../../ui/charts/days.ts'
import { EmptyState, ErrorState, Notice, Skeleton } from '../../../ui/feedback/states.tsx'
import { Select } from '../../../ui/forms/select.tsx'
import { Card } from '../../../ui/layout/page.tsx'
import { Segments } from '../../../ui/layout/segments.tsx'
import { Amount } from '../../../ui/values/amount.tsx'
import { formatCount } from '../../../ui/values/format-measures.ts'
import { ShareBar } from '../../../ui/values/share-bar.tsx'
import { shareOf } from '../../../ui/values/shares.ts'
import { TimeAgo } from '../../../ui/values/time-ago.tsx'
import { useNames } from '../use-names.ts'

type Spending = AnswerOf<'readSpending'>

const ways = [
  { value: 'day', label: 'Day' },
  { value: 'service', label: 'Service' },
  { value: 'credential', label: 'Credential' },
] as const
const HEIGHT = 220
const RANKED_MAX = 8
const REFRESH_MS = 30_000

const FIRST_SPAN: DaySpan = '30'

/** The query of {@link SpendCard}, by default its first one. */
export const spendingOf = (span: DaySpan = FIRST_SPAN) =>
  queryOptions({
    queryKey: ['calls', 'spending', span],
    queryFn: ({ signal }) => api.readSpending({ query: { days: Number(span) }, signal }),
  })

/** Spending by day, service or credential. */
export function SpendCard() {
  const [way, setWay] = useState<(typeof ways)[number]['value']>('day')
  const [span, setSpan] = useState<DaySpan>(FIRST_SPAN)
  const spending = useQuery({
    ...spendingOf(span),
    refetchInterval: REFRESH_MS,
    placeholderData: before => before,
  })
  const { data } = spending
  return (
    <Card
      title={
        <span className="flex flex-wrap items-baseline gap-x-3">
          Spending
          {data !== undefined && data.total.calls > 0 && (
            <span className="text-sm font-normal text-muted">
              <Amount usdc={data.total.spentUsdc} /> · {formatCount(data.total.calls)} calls
            </span>
          )}
        </span>
      }
      actions={
        <span className="flex flex-wrap items-center gap-2">
          <Segments label="By" options={ways} value={way} onChange={setWay} />
          <Select label="Time" size="sm" options={daySpans} value={span} onChange={setSpan} />
          <Link to="/app/activity" search={{}} className={buttonClass({ size: 'sm' })}>
            Activity
          </Link>
        </span>
      }
    >
      <div style={{ minHeight: HEIGHT }} className="flex flex-col justify-center">
        {spending.error !== null && data === undefined && (
          <ErrorState error={spending.error} onRetry={spending.refetch} />
        )}
        {spending.error === null && data === undefined && <Skeleton className="h-55" />}
        {data !== undefined && data.total.calls === 0 && (
          <EmptyState icon={<ChartColumn />} title="Nothing spent yet">
            The cost of your agents' calls appears here by day, service and credential.
          </EmptyState>
        )}
        {data !== undefined &&
          data.total.calls > 0 &&
          (way === 'day' ? <ByDay spending={data} /> : <Ranked spending={data} way={way} />)}
        {data !== undefined && data.countedFrom !== null && (
          <Notice className="mt-3">
            This period has too many calls to sum. Only calls since <TimeAgo iso={data.countedFrom} /> are
            included.
          </Notice>
        )}
      </div>
    </Card>
  )
}

function ByDay({ spending }: { spending: Spending }) {
  const amounts = useMemo(
    () => spending.byDay.map(({ day, spentUsdc }) => ({ day, usdc: spentUsdc })),
    [spending],
  )
  return <DayChart name="Spent" amounts={amounts} days={spending.days} height={HEIGHT} />
}

function Ranked({ spending, way }: { spending: Spending; way: 'service' | 'credential' }) {
  const names = useNames()
  const rows =
    way === 'service'
      ? spending.byService.map(row => ({ ...row, id: row.serviceId, name: names.service(row.serviceId) }))
      : spending.byCredential.map(row => ({
          ...row,
          id: row.credentialId,
          name: names.credential(row.credentialId),
        }))
  const most = rows[0]?.spentUsdc ?? '0.000000'
  return (
    <ol
      aria-label={`Spent by ${way}`}
      className="flex flex-col gap-3.5 self-stretch"
      style={{ minHeight: HEIGHT }}
    >
      {rows.slice(0, RANKED_MAX).map(({ id, name, spentUsdc, calls, failedCalls }) => (
        <li key={id} className="flex flex-col gap-1.5">
          <p className="flex items-baseline justify-between gap-3 text-sm">
            <span className="min-w-0 truncate font-medium">{name}</span>
            <span className="shrink-0 text-muted">
              <span className="mr-3 text-faint tabular max-sm:hidden">
                {formatCount(calls)} calls
                {failedCalls > 0 && `, ${formatCount(failedCalls)} failed`}
              </span>
              <Amount usdc={spentUsdc} className="text-text" />
            </span>
          </p>
          <ShareBar share={Number(most) === 0 ? 0 : shareOf(spentUsdc, most)} />
        </li>
      ))}
      {rows.length > RANKED_MAX && (
        <li className="text-sm text-faint">and {rows.length - RANKED_MAX} more</li>
      )}
    </ol>
  )
}
