import type { AnswerOf } from '@farebox/client'
import { useMemo } from 'react'
import { Chart } from '../../ui/charts/chart.tsx'
import type { Series } from '../../ui/charts/chart-canvas.tsx'
import { noonOf } from '../../ui/charts/days.ts'
import { BUCKET_SECONDS } from '../../ui/charts/periods.ts'
import { Card } from '../../ui/layout/page.tsx'
import { formatCount, formatMs, formatThroughput } from '../../ui/values/format-measures.ts'
import { sumOf } from './uptime-bars.tsx'

type Days = AnswerOf<'readMarketService'>['service']['days']

const CALLS_HEIGHT = 180
const SMALL_HEIGHT = 150

/** Calls, latency and, if it writes tokens, throughput of a service by day; nothing without calls. */
export function ServiceCharts({ days }: { days: Days }) {
  const { times, calls, latency, throughput } = useMemo(() => seriesOf(days), [days])
  const newestThroughput = days.findLast(({ tokensPerSecond }) => tokensPerSecond !== null)?.tokensPerSecond
  const { calls: made, failed, latencyMs } = sumOf(days)
  if (made === 0) return null
  const period = `${days.length} days`
  const line = { times, bucketSeconds: BUCKET_SECONDS.day, height: SMALL_HEIGHT }
  return (
    <>
      <Card title={`Calls, ${formatCount(made)} in ${period}`}>
        <Chart
          label={`Calls by day: ${formatCount(made)} in ${period}, ${formatCount(failed)} failed`}
          kind="bars"
          height={CALLS_HEIGHT}
          times={times}
          series={calls}
          format={formatCount}
        />
      </Card>
      {latencyMs !== null && (
        <div className="grid gap-6 sm:auto-cols-fr sm:grid-flow-col">
          <Card title="Latency by day">
            <Chart
              {...line}
              label={`Latency by day: mean ${formatMs(Math.round(latencyMs))} in ${period}`}
              series={latency}
              format={formatMs}
            />
          </Card>
          {newestThroughput != null && (
            <Card title="Throughput by day">
              <Chart
                {...line}
                label={`Throughput by day: last ${formatThroughput(newestThroughput)}`}
                series={throughput}
                format={formatThroughput}
              />
            </Card>
          )}
        </div>
      )}
    </>
  )
}

function seriesOf(days: Days) {
  const of = (
    label: string,
    tone: NonNullable<Series['tone']>,
    read: (day: Days[number]) => number | null,
  ): Series => ({ label, tone, values: days.map(read) })
  return {
    times: days.map(({ date }) => noonOf(date)),
    calls: [
      of('Succeeded', 'accent', ({ calls, failed }) => calls - failed),
      of('Failed', 'danger', ({ failed }) => failed),
    ],
    latency: [of('Latency', 'info', ({ latencyMs }) => latencyMs)],
    throughput: [of('Throughput', 'accent', ({ tokensPerSecond }) => tokensPerSecond)],
  }
}
