import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Activity } from 'lucide-react'
import { api } from '../../../api.ts'
import { EmptyState } from '../../../ui/feedback/states.tsx'
import { Card } from '../../../ui/layout/page.tsx'
import { Table } from '../../../ui/tables/table.tsx'
import { callColumns } from '../calls/call-columns.tsx'
import { useNames } from '../use-names.ts'

const POLL_INTERVAL_MS = 5_000
const SHOWN = 8

/** The newest calls, refetched regularly. */
export function useRecentCalls() {
  return useQuery({
    queryKey: ['calls', 'newest'],
    queryFn: ({ signal }) => api.listUsage({ query: { limit: SHOWN }, signal }),
    refetchInterval: POLL_INTERVAL_MS,
  })
}

export function RecentCalls() {
  const { data, error, refetch } = useRecentCalls()
  const navigate = useNavigate()
  const names = useNames()
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
        columns={callColumns(names, {})}
        rows={data?.logs}
        rowKey={({ invocationId }) => invocationId}
        onRow={({ invocationId }) => navigate({ to: '/app/calls/{-$id}', params: { id: invocationId } })}
        error={error}
        onRetry={refetch}
        empty={
          <EmptyState icon={<Activity />} title="No calls yet">
            Calls of your agents appear here within seconds with their cost.
          </EmptyState>
        }
      />
    </Card>
  )
}
