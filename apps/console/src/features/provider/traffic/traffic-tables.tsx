import { Card } from '../../../ui/layout/page.tsx'
import { type Column, Table } from '../../../ui/tables/table.tsx'
import { formatCount } from '../../../ui/values/format-measures.ts'
import { Latency, SuccessRate } from '../../../ui/values/measures.tsx'
import { ShareBar } from '../../../ui/values/share-bar.tsx'
import { formatShare } from '../../../ui/values/shares.ts'
import { TimeAgo } from '../../../ui/values/time-ago.tsx'
import type { Service } from '../service/service-labels.ts'
import { ServiceLink, withNames } from '../service/service-names.tsx'
import type { Traffic } from './traffic.ts'
import { successRate } from './traffic-figures.tsx'

type Props = { traffic: Traffic | undefined; services: readonly Service[] }
type Named = { readonly name: string }
type ServiceRow = Traffic['byService'][number] & Named
type TargetRow = Traffic['byTarget'][number] & Named
type CallerRow = Traffic['byCaller'][number] & { readonly rank: number; readonly share: number }

/** The same figures by service, those with the most calls first. */
export function ServicesCard({ traffic, services }: Props) {
  return (
    <Card title="By service" isFlush>
      <Table
        label="Traffic by service"
        columns={serviceColumns}
        rows={withNames(traffic?.byService, services)}
        rowKey={({ serviceId }) => serviceId}
        empty="No calls in this period."
      />
    </Card>
  )
}

/** The wallets with the most calls, by their rank: the gateway does not name them. */
export function CallersCard({ traffic }: Pick<Props, 'traffic'>) {
  const calls = traffic?.total.calls ?? 0
  return (
    <Card title="By caller" isFlush>
      <p className="border-b px-4 py-2.5 text-sm text-muted">
        The wallets with the most calls. Farebox does not tell you who they are.
      </p>
      <Table
        label="Traffic by caller"
        columns={callerColumns}
        rows={traffic?.byCaller.map((row, index) => ({ ...row, rank: index + 1, share: row.calls / calls }))}
        rowKey={({ rank }) => String(rank)}
        empty="No calls in this period."
      />
    </Card>
  )
}

/** Attempts at each target, those that were tried most first. */
export function TargetsCard({ traffic, services }: Props) {
  return (
    <Card title="By target" isFlush>
      <p className="border-b px-4 py-2.5 text-sm text-muted">
        Counts attempts: a call that fails over counts at each target tried. In whole hours of the last 30
        days.
      </p>
      <Table
        label="Traffic by target"
        columns={targetColumns}
        rows={withNames(traffic?.byTarget, services)}
        rowKey={({ serviceId, url }) => `${serviceId} ${url}`}
        empty="No attempts in this period."
      />
    </Card>
  )
}

/** How the calls or attempts of a row ended. */
const outcomes: readonly Column<ServiceRow | TargetRow>[] = [
  {
    id: 'rate',
    head: 'Succeeded',
    isNumber: true,
    isExtra: true,
    cell: row => <SuccessRate rate={successRate(row)} />,
  },
  {
    id: 'yours',
    head: 'Your errors',
    isNumber: true,
    isExtra: true,
    cell: ({ providerFaults }) => formatCount(providerFaults),
  },
  {
    id: 'callers',
    head: 'Callers’ errors',
    isNumber: true,
    isExtra: true,
    cell: ({ callerFaults }) => formatCount(callerFaults),
  },
  {
    id: 'p95',
    head: 'p95',
    isNumber: true,
    isExtra: true,
    cell: ({ latencyMs }) => <Latency ms={latencyMs?.p95 ?? null} />,
  },
]

const serviceColumns: readonly Column<ServiceRow>[] = [
  { id: 'name', head: 'Service', isName: true, cell: row => <ServiceLink row={row} /> },
  { id: 'calls', head: 'Calls', isNumber: true, cell: ({ calls }) => formatCount(calls) },
  ...outcomes,
  { id: 'earned', head: 'Earned', amount: ({ earnedUsdc }) => earnedUsdc },
]

const callerColumns: readonly Column<CallerRow>[] = [
  {
    id: 'caller',
    head: 'Caller',
    className: 'w-1/3',
    cell: ({ rank, share }) => (
      <span className="flex flex-col gap-1.5">
        Caller {rank}
        <ShareBar share={share} />
      </span>
    ),
  },
  { id: 'calls', head: 'Calls', isNumber: true, cell: ({ calls }) => formatCount(calls) },
  { id: 'share', head: 'Share', isNumber: true, isExtra: true, cell: ({ share }) => formatShare(share) },
  {
    id: 'succeeded',
    head: 'Charged',
    isNumber: true,
    isExtra: true,
    cell: ({ succeeded }) => formatCount(succeeded),
  },
  { id: 'last', head: 'Last call', isExtra: true, cell: ({ lastAt }) => <TimeAgo iso={lastAt} /> },
  { id: 'earned', head: 'Earned', amount: ({ earnedUsdc }) => earnedUsdc },
]

const targetColumns: readonly Column<TargetRow>[] = [
  {
    id: 'target',
    head: 'Target',
    className: 'w-1/2',
    isName: true,
    cell: row => (
      <span className="flex min-w-0 flex-col gap-0.5">
        <code className="font-mono text-xs break-all">{row.url}</code>
        <ServiceLink row={row} className="text-sm text-muted" />
      </span>
    ),
  },
  { id: 'calls', head: 'Attempts', isNumber: true, cell: ({ calls }) => formatCount(calls) },
  ...outcomes.map(column => ({ ...column, isExtra: column.id !== 'yours' })),
  { id: 'earned', head: 'Earned', isExtra: true, amount: ({ earnedUsdc }) => earnedUsdc },
]
