import type { AnswerOf } from '@farebox/client'
import { useQuery } from '@tanstack/react-query'
import { ChartLine } from 'lucide-react'
import { useMemo, useState } from 'react'
import { api } from '../../api.ts'
import { Chart } from '../../ui/charts/chart.tsx'
import type { ChartSpan, Series } from '../../ui/charts/chart-canvas.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../ui/feedback/states.tsx'
import { Card } from '../../ui/layout/page.tsx'
import { Segments } from '../../ui/layout/segments.tsx'
import { formatAmount } from '../../ui/values/amount.tsx'
import { formatCount } from '../../ui/values/format-measures.ts'
import { TimeAgo } from '../../ui/values/time-ago.tsx'

type BookCheck = AnswerOf<'listBookChecks'>['checks'][number]

const spans = [
  { value: '1', label: 'Day' },
  { value: '7', label: 'Week' },
  { value: '30', label: 'Month' },
] as const
const REFRESH_MS = 60_000
const HEIGHT = 200
const DAY_SECONDS = 86_400

/** The vault against what the books demand of it, at the gateway's checks over time. */
export function HistoryCard() {
  const [days, setDays] = useState<(typeof spans)[number]['value']>('1')
  const { data, error, refetch, dataUpdatedAt } = useQuery({
    queryKey: ['reserves', 'checks', days],
    queryFn: ({ signal }) => api.listBookChecks({ query: { days: Number(days) }, signal }),
    refetchInterval: REFRESH_MS,
    placeholderData: before => before,
  })
  const span = useMemo((): ChartSpan => {
    const now = dataUpdatedAt / 1_000
    return [now - Number(days) * DAY_SECONDS, now]
  }, [dataUpdatedAt, days])
  return (
    <Card
      title="Reserves over time"
      actions={<Segments label="Time" options={spans} value={days} onChange={setDays} />}
    >
      <div className="flex flex-col justify-center" style={{ minHeight: HEIGHT + 56 }}>
        {data === undefined && error !== null && <ErrorState error={error} onRetry={refetch} />}
        {data === undefined && error === null && <Skeleton className="h-64" />}
        {data?.checks.length === 0 && (
          <EmptyState icon={<ChartLine />} title="No checks in this period">
            The gateway compares the vault with its books about once a minute.
          </EmptyState>
        )}
        {data !== undefined && data.checks.length > 0 && <History checks={data.checks} span={span} />}
      </div>
    </Card>
  )
}

function History({ checks, span }: { checks: readonly BookCheck[]; span: ChartSpan }) {
  const { times, series } = useMemo(() => {
    const numberOf = (usdc: string | null) => (usdc === null ? null : Number(usdc))
    return {
      times: checks.map(({ at }) => Date.parse(at) / 1_000),
      series: [
        {
          label: 'In the vault',
          look: 'area',
          values: checks.map(({ vaultBalanceUsdc }) => numberOf(vaultBalanceUsdc)),
        },
        {
          label: 'Owed',
          look: 'dashed',
          tone: 'warn',
          values: checks.map(({ demandedUsdc }) => numberOf(demandedUsdc)),
        },
      ] satisfies Series[],
    }
  }, [checks])
  const compared = checks.findLast(({ vaultBalanceUsdc }) => vaultBalanceUsdc !== null)
  const label =
    compared === undefined
      ? 'The vault was not compared in this period'
      : `${formatAmount(compared.vaultBalanceUsdc ?? '')} USDC in the vault for ${formatAmount(compared.demandedUsdc ?? '')} owed at the last check`
  return (
    <>
      <Chart label={label} height={HEIGHT} times={times} span={span} series={series} format={formatValue} />
      <Summary checks={checks} />
    </>
  )
}

const formatValue = (value: number) => `${formatAmount(value.toFixed(2))} USDC`

function Summary({ checks }: { checks: readonly BookCheck[] }) {
  const count = checks.reduce((sum, each) => sum + each.checks, 0)
  const failed = checks.filter(({ consistent }) => !consistent)
  const [newest, failedLast] = [checks.at(-1), failed.at(-1)]
  return (
    <p className="mt-3 text-sm text-muted">
      {formatCount(count)} {count === 1 ? 'check' : 'checks'} of all invariants
      {newest !== undefined && (
        <>
          , the last <TimeAgo iso={newest.at} />
        </>
      )}
      :{' '}
      {failedLast === undefined ? (
        <strong className="font-medium text-accent">all passed.</strong>
      ) : (
        <strong className="font-medium text-danger">
          some failed, most recently <TimeAgo iso={failedLast.at} />.
        </strong>
      )}{' '}
      Each point is the worst check of its interval. The gateway made these checks. Your browser runs the
      checks below.
    </p>
  )
}
