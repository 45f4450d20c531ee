import type { AnswerOf } from '@farebox/client'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { api } from '../../../api.ts'
import type { ChartSpan } from '../../../ui/charts/chart-canvas.tsx'
import { PROBE_CHART_HEIGHT, ProbeChart } from '../../../ui/charts/probe-chart.tsx'
import { markSlices, readProbes } from '../../../ui/charts/probes.ts'
import { ErrorState, Skeleton } from '../../../ui/feedback/states.tsx'
import { Card } from '../../../ui/layout/page.tsx'
import { Segments } from '../../../ui/layout/segments.tsx'
import { formatShare } from '../../../ui/values/shares.ts'
import { TimeAgo } from '../../../ui/values/time-ago.tsx'
import { targetLabel } from './service-labels.ts'

type Target = AnswerOf<'readHealthHistory'>['targets'][number]

const spans = [
  { value: '1', label: 'Hour' },
  { value: '24', label: 'Day' },
  { value: '168', label: 'Week' },
] as const
const REFRESH_MS = 15_000
const RECORDS = 500
/** Number of marks above a chart. */
const MARKS = 60
const HOUR_SECONDS = 3_600

/** The probe results of each target. */
export function HealthChart({ serviceId }: { serviceId: string }) {
  const [hours, setHours] = useState<(typeof spans)[number]['value']>('24')
  const history = useQuery({
    queryKey: ['services', 'health', serviceId, hours],
    queryFn: ({ signal }) =>
      api.readHealthHistory({
        path: { id: serviceId },
        query: { hours: Number(hours), limitPerTarget: RECORDS },
        signal,
      }),
    refetchInterval: REFRESH_MS,
    placeholderData: before => before,
  })
  const { dataUpdatedAt } = history
  const span = useMemo((): ChartSpan => {
    const now = dataUpdatedAt / 1_000
    return [now - Number(hours) * HOUR_SECONDS, now]
  }, [dataUpdatedAt, hours])
  return (
    <Card
      title="Health by target"
      actions={<Segments label="Time" options={spans} value={hours} onChange={setHours} />}
    >
      {history.data !== undefined ? (
        <ul className="flex flex-col gap-6">
          {history.data.targets.map(target => (
            <li key={target.url}>
              <TargetHealth target={target} span={span} />
            </li>
          ))}
        </ul>
      ) : history.error !== null ? (
        <ErrorState error={history.error} onRetry={history.refetch} />
      ) : (
        <Skeleton className="h-48" />
      )}
    </Card>
  )
}

function TargetHealth({ target, span }: { target: Target; span: ChartSpan }) {
  const { url, history } = target
  const probes = useMemo(() => readProbes(history), [history])
  const { count, answered } = probes
  const [latest] = history
  return (
    <>
      <p className="mb-2 flex flex-wrap items-baseline gap-x-3 gap-y-1 text-sm">
        <span className="font-mono text-[0.92em] break-all">{targetLabel(url)}</span>
        {latest !== undefined && (
          <span className="text-muted">
            last probed <TimeAgo iso={latest.checkedAt} />
          </span>
        )}
        {count > 0 && (
          <span className="ml-auto text-muted tabular">{formatShare(answered / count)} answered</span>
        )}
      </p>
      {count === 0 ? (
        <p
          className="flex items-center justify-center text-sm text-muted"
          style={{ minHeight: PROBE_CHART_HEIGHT }}
        >
          Not probed in this period.
        </p>
      ) : (
        <>
          <Marks history={history} span={span} />
          <ProbeChart name={targetLabel(url)} probes={probes} span={span} />
        </>
      )}
    </>
  )
}

/** A bar per slice of the time, with failures highlighted. */
function Marks({ history, span }: { history: Target['history']; span: ChartSpan }) {
  const tones = { good: 'bg-accent', bad: 'bg-danger' }
  return (
    <span aria-hidden className="mb-2 flex h-5 gap-px overflow-hidden rounded">
      {markSlices(history, span, MARKS).map((mark, index) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: slices do not move
          key={index}
          className={`min-w-0 flex-1 ${mark === null ? 'bg-hover' : tones[mark]}`}
        />
      ))}
    </span>
  )
}
