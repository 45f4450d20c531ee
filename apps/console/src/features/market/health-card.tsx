import type { AnswerOf } from '@farebox/client'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api } from '../../api.ts'
import { Badge } from '../../ui/badge.tsx'
import { Chart } from '../../ui/chart.tsx'
import { formatMs, formatShare } from '../../ui/measures.tsx'
import { Card } from '../../ui/page.tsx'
import { ErrorState, Skeleton } from '../../ui/states.tsx'

type Target = AnswerOf<'readMarketHealth'>['targets'][number]

const REFRESH_MS = 30_000

/** How each target answered the probes of the last day. */
export function HealthCard({ id }: { id: string }) {
  const health = useQuery({
    queryKey: ['market', 'health', id],
    queryFn: ({ signal }) => api.readMarketHealth({ path: { id }, signal }),
    refetchInterval: REFRESH_MS,
  })
  return (
    <Card title="Health of its targets, 24 hours">
      {health.data !== undefined ? (
        <ul className="flex flex-col gap-6">
          {health.data.targets.map(target => (
            <li key={target.name}>
              <TargetHealth target={target} />
            </li>
          ))}
        </ul>
      ) : health.error !== null ? (
        <ErrorState error={health.error} onRetry={health.refetch} />
      ) : (
        <Skeleton className="h-44" />
      )}
    </Card>
  )
}

function TargetHealth({ target }: { target: Target }) {
  const { name, share, isHealthy, history } = target
  const probes = useMemo(() => history.filter(({ source }) => source === 'probe').toReversed(), [history])
  const times = useMemo(() => probes.map(({ checkedAt }) => Date.parse(checkedAt) / 1_000), [probes])
  const series = useMemo(
    () => [
      {
        label: 'Latency',
        values: probes.map(({ status, latencyMs }) => (status === 'healthy' ? latencyMs : null)),
      },
    ],
    [probes],
  )
  const healthy = probes.filter(({ status }) => status === 'healthy').length
  const uptime = probes.length === 0 ? null : formatShare(healthy / probes.length)
  return (
    <>
      <p className="mb-2 flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
        <span className="font-medium">{name}</span>
        {isHealthy ? <Badge tone="good">Healthy</Badge> : <Badge tone="bad">Unhealthy</Badge>}
        <span className="text-muted">{formatShare(share)} of the calls</span>
        {uptime !== null && <span className="ml-auto text-muted tabular">{uptime} of probes answered</span>}
      </p>
      {probes.length === 0 ? (
        <p className="py-4 text-sm text-muted">Not probed in the last day.</p>
      ) : (
        <Chart
          label={`${name}: ${healthy} of ${probes.length} probes answered well`}
          height={140}
          times={times}
          series={series}
          format={formatMs}
        />
      )}
    </>
  )
}
