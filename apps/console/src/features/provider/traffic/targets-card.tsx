import { Link } from '@tanstack/react-router'
import { Card } from '../../../ui/layout/page.tsx'
import { type Column, Table } from '../../../ui/tables/table.tsx'
import { formatCount } from '../../../ui/values/format-measures.ts'
import { Latency, SuccessRate } from '../../../ui/values/measures.tsx'
import type { Service } from '../service/service-labels.ts'
import type { Traffic } from './traffic.ts'
import { successRate } from './traffic-figures.tsx'

type Row = Traffic['byTarget'][number] & { readonly name: string }

/** Attempts at each target, those that were tried most first. */
export function TargetsCard(props: { traffic: Traffic | undefined; services: readonly Service[] }) {
  const names = new Map(props.services.map(({ serviceId, serviceName }) => [serviceId, serviceName]))
  const rows = props.traffic?.byTarget.map(row => ({
    ...row,
    name: names.get(row.serviceId) ?? 'Deleted service',
  }))
  return (
    <Card title="By target" isFlush>
      <p className="border-b px-4 py-2.5 text-sm text-muted">
        Counts attempts: a call that fails over counts at each target tried. In whole hours of the last 30
        days.
      </p>
      <Table
        label="Traffic by target"
        columns={columns}
        rows={rows}
        rowKey={({ serviceId, url }) => `${serviceId} ${url}`}
        empty={<p className="px-4 py-8 text-center text-sm text-muted">No attempts in this period.</p>}
      />
    </Card>
  )
}

const columns: readonly Column<Row>[] = [
  {
    id: 'target',
    head: 'Target',
    className: 'w-1/2',
    cell: ({ serviceId, name, url }) => (
      <span className="flex min-w-0 flex-col gap-0.5">
        <code className="font-mono text-xs break-all">{url}</code>
        <Link
          to="/provider/$id"
          params={{ id: serviceId }}
          className="text-sm break-words text-muted hover:underline"
        >
          {name}
        </Link>
      </span>
    ),
  },
  { id: 'calls', head: 'Attempts', isNumber: true, cell: ({ calls }) => formatCount(calls) },
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
  {
    id: 'earned',
    head: 'Earned',
    isExtra: true,
    amount: ({ earnedUsdc }) => earnedUsdc,
  },
]
