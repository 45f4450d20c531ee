import { CircleCheck } from 'lucide-react'
import { Badge, type Tone } from '../../../ui/badge.tsx'
import { EmptyState } from '../../../ui/feedback/states.tsx'
import { Card } from '../../../ui/layout/page.tsx'
import { type Column, Table } from '../../../ui/tables/table.tsx'
import { Id } from '../../../ui/values/address.tsx'
import { formatCount } from '../../../ui/values/format-measures.ts'
import { TimeAgo } from '../../../ui/values/time-ago.tsx'
import type { Traffic } from './traffic.ts'

type Failure = Traffic['failures'][number]

const faults: Record<Failure['fault'], { readonly label: string; readonly tone: Tone }> = {
  provider: { label: 'Yours', tone: 'bad' },
  caller: { label: 'Caller’s', tone: 'warn' },
  other: { label: 'Other', tone: 'neutral' },
}
const reasons: Readonly<Record<string, string>> = {
  timeout: 'Timed out',
  connect: 'Unreachable',
  reset: 'Connection lost',
  redirect: 'Redirect, which is not followed',
  encoding: 'Unreadable encoding',
  blocked_address: 'Address not allowed',
  no_healthy_target: 'No healthy target',
  invalid_json: 'Response is not valid JSON',
  too_large: 'Response too large',
  usage_missing: 'No usage in the response',
  stream_cut: 'Stream cut off',
}

/** Returns what happened at the provider: `HTTP 503`, `Timed out`. */
function describe({ reason, upstreamStatus, code }: Failure): string {
  if (upstreamStatus !== null) return `HTTP ${upstreamStatus}`
  if (reason === null) return code
  return reasons[reason] ?? reason.replaceAll('_', ' ')
}

/** Errors that callers received, most frequent first. */
export function FailuresCard({ traffic }: { traffic: Traffic | undefined }) {
  return (
    <Card title="Failed calls and the errors callers received" isFlush>
      <Table
        label="Failures"
        columns={columns}
        rows={traffic?.failures}
        rowKey={({ lastInvocationId }) => lastInvocationId}
        empty={
          <EmptyState icon={<CircleCheck />} title="No failed calls in this period">
            Failed calls are not charged. Each kind of failure is listed here with an example.
          </EmptyState>
        }
      />
    </Card>
  )
}

const columns: readonly Column<Failure>[] = [
  {
    id: 'what',
    head: 'Your response',
    cell: failure => (
      <span className="flex flex-col items-start gap-1">
        <span className="font-medium whitespace-nowrap">{describe(failure)}</span>
        <Badge tone={faults[failure.fault].tone}>{faults[failure.fault].label}</Badge>
      </span>
    ),
  },
  {
    id: 'got',
    head: 'Returned to caller',
    className: 'w-1/2',
    cell: ({ httpStatus, code, message, upstreamBody }) => (
      <span className="flex min-w-0 flex-col gap-0.5">
        <code className="font-mono text-xs">
          {httpStatus ?? '–'} {code}
        </code>
        {message !== null && <span className="text-sm break-words text-muted">{message}</span>}
        {upstreamBody !== null && (
          <code className="line-clamp-2 font-mono text-xs break-all text-faint">{upstreamBody}</code>
        )}
      </span>
    ),
  },
  {
    id: 'last',
    head: 'Latest call',
    isExtra: true,
    cell: ({ lastInvocationId, lastAt }) => (
      <span className="flex flex-col">
        <Id value={lastInvocationId} />
        <span className="text-xs text-faint">
          <TimeAgo iso={lastAt} />
        </span>
      </span>
    ),
  },
  { id: 'calls', head: 'Calls', isNumber: true, cell: ({ calls }) => formatCount(calls) },
]
