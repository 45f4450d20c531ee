import { useMutation } from '@tanstack/react-query'
import { Zap } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { api, queryClient } from '../../../api.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/copy.tsx'
import { Failed } from '../../../ui/feedback/failed.tsx'
import { Skeleton } from '../../../ui/feedback/states.tsx'
import { Meter } from '../../../ui/feedback/steps.tsx'
import { Card } from '../../../ui/layout/page.tsx'
import { type Column, Table } from '../../../ui/tables/table.tsx'
import { formatShare } from '../../../ui/values/shares.ts'
import { ProbeFindings } from './probe-findings.tsx'
import { type Service, targetLabel } from './service-labels.ts'

type Target = Service['invoke']['targets'][number] & {
  /** Of the calls now. */
  readonly share: number
  /** False while the service is switched off or suspended: nothing is probed then. */
  readonly isProbed: boolean
}

/** The targets of a service with their health, and a button that probes them all. `isNew` runs the test at once. */
export function TargetsCard({ service, isNew }: { service: Service; isNew: boolean }) {
  const { serviceId, invoke, status } = service
  const { mutate, ...testing } = useMutation({
    mutationFn: () => api.pingService({ path: { id: serviceId } }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['services'] }),
  })
  const isTested = useRef(false)
  useEffect(() => {
    if (!isNew || isTested.current) return
    isTested.current = true
    mutate()
  }, [isNew, mutate])
  const canTest = status === 'active' || status === 'inactive'
  return (
    <Card
      isFlush
      title={isNew ? 'Registered. Testing targets' : 'Targets'}
      actions={
        canTest && (
          <Button
            size="sm"
            isBusy={testing.isPending}
            icon={<Zap aria-hidden className="size-3.5" />}
            onClick={() => mutate()}
          >
            {testing.data === undefined ? 'Test now' : 'Test again'}
          </Button>
        )
      }
    >
      <Table label="Targets" columns={columns} rows={targetsOf(service)} rowKey={({ url }) => url} />
      <Failed error={testing.error} className="border-t p-4" />
      {testing.isPending && testing.data === undefined && (
        <div className="flex flex-col gap-2 border-t p-4">
          {invoke.targets.map(({ url }) => (
            <Skeleton key={url} className="h-5" />
          ))}
          <Skeleton className="h-5 w-64" />
        </div>
      )}
      {testing.data !== undefined && <ProbeFindings answer={testing.data} />}
    </Card>
  )
}

/** Returns the targets with their shares of the calls: by weight, among the healthy ones of a service that is called. */
function targetsOf({ invoke: { targets }, status }: Service): readonly Target[] {
  const isProbed = status === 'active'
  const whole = targets.reduce((sum, { isHealthy, weight }) => sum + (isHealthy ? weight : 0), 0)
  return targets.map(target => ({
    ...target,
    isProbed,
    share: isProbed && target.isHealthy && whole > 0 ? target.weight / whole : 0,
  }))
}

function TargetState({ target: { isProbed, isHealthy, lastCheckedAt } }: { target: Target }) {
  if (!isProbed) return <Badge>Not probed</Badge>
  if (lastCheckedAt === null) return <Badge tone="info">Testing</Badge>
  return <Badge tone={isHealthy ? 'good' : 'bad'}>{isHealthy ? 'Healthy' : 'Down'}</Badge>
}

const columns: readonly Column<Target>[] = [
  {
    id: 'url',
    head: 'Address',
    cell: ({ url }) => (
      <span className="inline-flex max-w-full items-center gap-0.5">
        <span className="font-mono text-[0.92em] break-all" title={url}>
          {targetLabel(url)}
        </span>
        <CopyButton text={url} label="Copy address" className="!size-6 [&>svg]:!size-3.5" />
      </span>
    ),
  },
  {
    id: 'health',
    head: 'Health',
    cell: target => <TargetState target={target} />,
  },
  { id: 'weight', head: 'Weight', isNumber: true, isExtra: true, cell: ({ weight }) => weight },
  {
    id: 'share',
    head: 'Current share of calls',
    className: 'w-44',
    isExtra: true,
    cell: ({ url, share }) => (
      <span className="flex flex-col gap-1">
        <span className="tabular">{formatShare(share)}</span>
        <Meter isProgress value={share} label={`Share of ${targetLabel(url)}`} />
      </span>
    ),
  },
]
