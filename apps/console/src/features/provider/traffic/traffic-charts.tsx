import { useMemo } from 'react'
import { Chart } from '../../../ui/charts/chart.tsx'
import type { Series } from '../../../ui/charts/chart-canvas.tsx'
import { BUCKET_SECONDS, bucketLabels } from '../../../ui/charts/periods.ts'
import { Skeleton } from '../../../ui/feedback/states.tsx'
import { Card } from '../../../ui/layout/page.tsx'
import { formatAmount } from '../../../ui/values/amount.tsx'
import { formatCount, formatMs } from '../../../ui/values/format-measures.ts'
import type { Traffic } from './traffic.ts'

const CALLS_HEIGHT = 240
const SMALL_HEIGHT = 190

/** Calls by outcome, latency and earnings, each by bucket. */
export function TrafficCharts({ traffic }: { traffic: Traffic | undefined }) {
  const drawn = useMemo(() => traffic && seriesOf(traffic), [traffic])
  if (traffic === undefined || drawn === undefined) return <Skeleton className="h-96" />
  const { times, calls, latency, earned } = drawn
  const by = `by ${bucketLabels[traffic.bucket].toLowerCase()}`
  const buckets = { times, bucketSeconds: BUCKET_SECONDS[traffic.bucket] }
  const { total } = traffic
  return (
    <>
      <Card title={`Calls ${by}`}>
        <Chart
          {...buckets}
          kind="bars"
          isStacked
          label={`Calls ${by}: ${total.succeeded} succeeded, ${total.providerFaults} your errors, ${total.callerFaults} callers’ errors`}
          series={calls}
          height={CALLS_HEIGHT}
          format={formatCount}
        />
      </Card>
      <div className="grid gap-5 lg:grid-cols-2">
        <Card title={`Latency ${by}`}>
          <Chart
            {...buckets}
            label={`Latency ${by}: ${total.latencyMs === null ? 'no call succeeded' : `median ${formatMs(total.latencyMs.p50)}`}`}
            series={latency}
            height={SMALL_HEIGHT}
            format={formatMs}
          />
        </Card>
        <Card title={`Earned ${by}`}>
          <Chart
            {...buckets}
            kind="bars"
            isStacked
            label={`Earned ${by}: ${formatAmount(total.earnedUsdc)} USDC`}
            series={earned}
            height={SMALL_HEIGHT}
            format={formatMoney}
          />
        </Card>
      </div>
    </>
  )
}

function seriesOf({ series, bucket, total }: Traffic) {
  const of = (
    label: string,
    tone: NonNullable<Series['tone']>,
    value: (row: Row) => number | null,
  ): Series => ({
    label,
    tone,
    values: series.map(value),
  })
  const half = BUCKET_SECONDS[bucket] / 2
  return {
    times: series.map(({ start }) => Date.parse(start) / 1_000 + half),
    calls: [
      of('Other', 'muted', ({ otherFaults, open }) => otherFaults + open),
      of('Callers’ errors', 'warn', row => row.callerFaults),
      of('Your errors', 'danger', row => row.providerFaults),
      of('Succeeded', 'accent', row => row.succeeded),
    ],
    latency: [
      of('p50', 'accent', row => row.latencyMs?.p50 ?? null),
      of('p95', 'info', row => row.latencyMs?.p95 ?? null),
      of('p99', 'warn', row => row.latencyMs?.p99 ?? null),
    ],
    earned: [
      ...(Number(total.promotionalUsdc) > 0
        ? [of('From vouchers', 'info', row => Number(row.promotionalUsdc))]
        : []),
      of('Earned', 'accent', row => Number(row.earnedUsdc) - Number(row.promotionalUsdc)),
    ],
  }
}
type Row = Traffic['series'][number]

const formatMoney = (value: number) =>
  `${formatAmount(value.toFixed(value !== 0 && value < 0.1 ? 4 : 2))} USDC`
