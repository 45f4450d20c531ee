import type { AnswerOf } from '@farebox/client'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api } from '../../api.ts'
import { Badge } from '../../ui/badge.tsx'
import type { ChartSpan } from '../../ui/charts/chart-canvas.tsx'
import { ProbeChart } from '../../ui/charts/probe-chart.tsx'
import { readProbes } from '../../ui/charts/probes.ts'
import { ErrorState, Skeleton } from '../../ui/feedback/states.tsx'
import { Card } from '../../ui/layout/page.tsx'
import { formatMs } from '../../ui/values/format-measures.ts'
import { formatShare } from '../../ui/values/shares.ts'
import { UptimeBars } from './uptime-bars.tsx'

type Target = AnswerOf<'readMarketHealth'>['targets'][number]

const REFRESH_MS = 30_000
const DAY_SECONDS = 86_400

/** Probe results of each target over the last day, and its calls of 30 days. */
export function HealthCard({ id }: { id: string }) {
  const health = useQuery({
    queryKey: ['market', 'health', id],
    queryFn: ({ signal }) => api.readMarketHealth({ path: { id }, signal }),
    refetchInterval: REFRESH_MS,
  })
  const { dataUpdatedAt } = health
  const span = useMemo(
    (): ChartSpan => [dataUpdatedAt / 1_000 - DAY_SECONDS, dataUpdatedAt / 1_000],
    [dataUpdatedAt],
  )
  return (
    <Card title="Target health">
      {health.data !== undefined ? (
        <ul className="flex flex-col gap-6">
          {health.data.targets.map(target => (
            <li key={target.name}>
              <TargetHealth target={target} span={span} isOnly={health.data.targets.length === 1} />
            </li>
          ))}
        </ul>
      ) : health.error !== null ? (
        <ErrorState error={health.error} onRetry={health.refetch} />
      ) : (
        <Skeleton className="h-64" />
      )}
    </Card>
  )
}

/** The calls of the only target are those of the service, which the page shows. */
function TargetHealth({ target, span, isOnly }: { target: Target; span: ChartSpan; isOnly: boolean }) {
  const { name, share, isHealthy, history, days, latencyMs } = target
  const probes = useMemo(() => readProbes(history), [history])
  const { count, answered } = probes
  return (
    <>
      <p className="mb-2 flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
        <span className="font-medium">{name}</span>
        {isHealthy ? <Badge tone="good">Healthy</Badge> : <Badge tone="bad">Unhealthy</Badge>}
        <span className="text-muted">{formatShare(share)} of calls</span>
        {count > 0 && (
          <span className="ml-auto text-muted tabular">
            {formatShare(answered / count)} of probes answered in 24 hours
          </span>
        )}
      </p>
      {count === 0 ? (
        <p className="py-4 text-sm text-muted">Not probed in the last day.</p>
      ) : (
        <ProbeChart name={name} probes={probes} span={span} />
      )}
      <div className="mt-3 flex flex-wrap items-start justify-between gap-x-6 gap-y-1">
        {!isOnly && (
          <div className="min-w-0 grow">
            <UptimeBars days={days} />
          </div>
        )}
        {latencyMs !== null && (
          <span className="text-sm text-muted tabular">{formatMs(latencyMs)} median in 30 days</span>
        )}
      </div>
    </>
  )
}
