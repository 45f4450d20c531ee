import { Link } from '@tanstack/react-router'
import { Card } from '../../../ui/layout/page.tsx'
import { type Column, Table } from '../../../ui/tables/table.tsx'
import { formatCount } from '../../../ui/values/format-measures.ts'
import { Latency, SuccessRate } from '../../../ui/values/measures.tsx'
import type { Service } from '../service/service-labels.ts'
import type { Traffic } from './traffic.ts'
import { successRate } from './traffic-figures.tsx'

type Row = Traffic['byService'][number] & { readonly name: string }

/** The same figures by service, those with the most calls first. */
export function ServicesCard(props: { traffic: Traffic | undefined; services: readonly Service[] }) {
  const names = new Map(props.services.map(({ serviceId, serviceName }) => [serviceId, serviceName]))
  const rows = props.traffic?.byService.map(row => ({
    ...row,
    name: names.get(row.serviceId) ?? 'Deleted service',
  }))
  return (
    <Card title="By service" isFlush>
      <Table
        label="Traffic by service"
        columns={columns}
        rows={rows}
        rowKey={({ serviceId }) => serviceId}
        empty={<p className="px-4 py-8 text-center text-sm text-muted">No calls in this period.</p>}
      />
    </Card>
  )
}

const columns: readonly Column<Row>[] = [
  {
    id: 'name',
    head: 'Service',
    cell: ({ serviceId, name }) => (
      <Link to="/provider/$id" params={{ id: serviceId }} className="font-medium break-words hover:underline">
        {name}
      </Link>
    ),
  },
  { id: 'calls', head: 'Calls', isNumber: true, cell: ({ calls }) => formatCount(calls) },
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
  { id: 'earned', head: 'Earned', amount: ({ earnedUsdc }) => earnedUsdc },
]
