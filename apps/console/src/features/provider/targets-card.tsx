import { Badge } from '../../ui/badge.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { formatShare } from '../../ui/measures.tsx'
import { Card } from '../../ui/page.tsx'
import { Meter } from '../../ui/steps.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { type Service, tellTarget } from './service-words.ts'

type Target = Service['invoke']['targets'][number] & { readonly share: number }

/** Where calls of a service go, and which of the places answer. */
export function TargetsCard({ service }: { service: Service }) {
  const { targets } = service.invoke
  const takers = targets.filter(({ isHealthy }) => isHealthy)
  const whole = takers.reduce((sum, { weight }) => sum + weight, 0)
  const isProbed = service.health.lastCheckedAt !== null
  const rows = targets.map(target => ({
    ...target,
    share: target.isHealthy && whole > 0 ? target.weight / whole : 0,
  }))
  return (
    <Card title="Targets" isFlush>
      <Table label="Targets" columns={columnsOf(isProbed)} rows={rows} rowKey={({ url }) => url} />
    </Card>
  )
}

const columnsOf = (isProbed: boolean): readonly Column<Target>[] => [
  {
    id: 'url',
    head: 'Address',
    cell: ({ url }) => (
      <span className="inline-flex max-w-full items-center gap-0.5">
        <span className="font-mono text-[0.92em] break-all" title={url}>
          {tellTarget(url)}
        </span>
        <CopyButton text={url} label="Copy address" className="!size-6 [&>svg]:!size-3.5" />
      </span>
    ),
  },
  {
    id: 'health',
    head: 'Health',
    cell: ({ isHealthy }) =>
      isProbed ? (
        <Badge tone={isHealthy ? 'good' : 'bad'}>{isHealthy ? 'Healthy' : 'Down'}</Badge>
      ) : (
        <Badge tone="info">Not probed yet</Badge>
      ),
  },
  { id: 'weight', head: 'Weight', isNumber: true, isExtra: true, cell: ({ weight }) => weight },
  {
    id: 'share',
    head: 'Calls it takes now',
    className: 'w-44',
    cell: ({ url, share }) => (
      <span className="flex flex-col gap-1">
        <span className="tabular">{formatShare(share)}</span>
        <Meter isProgress value={share} label={`Share of ${tellTarget(url)}`} />
      </span>
    ),
  },
]
