import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Activity } from 'lucide-react'
import { api } from '../../api.ts'
import { Amount } from '../../ui/amount.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Card } from '../../ui/page.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { TimeAgo } from '../../ui/time-ago.tsx'
import { type Call, stateOfCall, tellLatency } from './call-words.ts'
import { useNames } from './use-names.ts'

const LOOK_EVERY_MS = 5_000
const SHOWN = 8

/** The newest calls, as they come. */
export function useRecentCalls() {
  return useQuery({
    queryKey: ['calls', 'newest'],
    queryFn: ({ signal }) => api.listUsage({ query: { limit: SHOWN }, signal }),
    refetchInterval: LOOK_EVERY_MS,
  })
}

export function RecentCalls() {
  const { data, error, refetch } = useRecentCalls()
  const navigate = useNavigate()
  const names = useNames()
  const columns: readonly Column<Call>[] = [
    {
      id: 'service',
      head: 'Service',
      cell: ({ serviceId, invocationId, startedAt }) => (
        <span className="flex flex-col">
          <Link
            to="/app/calls/{-$id}"
            params={{ id: invocationId }}
            className="rounded font-medium hover:underline"
          >
            {names.service(serviceId)}
          </Link>
          <span className="text-xs text-faint md:hidden">
            <TimeAgo iso={startedAt} />
          </span>
        </span>
      ),
    },
    {
      id: 'credential',
      head: 'Credential',
      isExtra: true,
      cell: ({ credentialId }) => names.credential(credentialId),
    },
    {
      id: 'state',
      head: 'State',
      cell: ({ status, errorCode }) => (
        <span className="inline-flex items-center gap-2">
          <StateBadge status={status} />
          {errorCode !== null && (
            <span className="font-mono text-xs text-faint max-md:hidden">{errorCode}</span>
          )}
        </span>
      ),
    },
    {
      id: 'took',
      head: 'Took',
      isNumber: true,
      isExtra: true,
      cell: ({ latencyMs }) =>
        latencyMs === null ? <span className="text-faint">–</span> : tellLatency(latencyMs),
    },
    { id: 'when', head: 'When', isExtra: true, cell: ({ startedAt }) => <TimeAgo iso={startedAt} /> },
    {
      id: 'charged',
      head: 'Charged',
      isNumber: true,
      cell: ({ chargedUsdc }) => <Amount usdc={chargedUsdc} />,
    },
  ]
  return (
    <Card
      title="Recent calls"
      isFlush
      actions={
        <Link to="/app/calls/{-$id}" className="rounded text-sm text-accent hover:underline">
          All calls
        </Link>
      }
    >
      <Table
        label="Recent calls"
        columns={columns}
        rows={data?.logs}
        rowKey={({ invocationId }) => invocationId}
        onRow={({ invocationId }) => navigate({ to: '/app/calls/{-$id}', params: { id: invocationId } })}
        error={error}
        onRetry={refetch}
        empty={
          <EmptyState icon={<Activity />} title="No call yet">
            Calls of your agents appear here within seconds, with what they cost.
          </EmptyState>
        }
      />
    </Card>
  )
}

function StateBadge({ status }: Pick<Call, 'status'>) {
  const { word, tone } = stateOfCall(status)
  return <Badge tone={tone}>{word}</Badge>
}
