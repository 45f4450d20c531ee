import { Link } from '@tanstack/react-router'
import { Badge } from '../../../ui/badge.tsx'
import type { Column } from '../../../ui/tables/table.tsx'
import { Amount } from '../../../ui/values/amount.tsx'
import { formatTime } from '../../../ui/values/format-time.ts'
import { TimeAgo } from '../../../ui/values/time-ago.tsx'
import type { useNames } from '../use-names.ts'
import { type Call, formatLatency, isOpen, stateOfCall } from './call-labels.ts'
import type { CallsSearch } from './calls-search.ts'

/**
 * The columns of lists of calls.
 *
 * @param search filters of the list of calls, kept in the link to a call
 */
export function callColumns(
  names: ReturnType<typeof useNames>,
  search: CallsSearch,
): readonly Column<Call>[] {
  return [
    {
      id: 'service',
      head: 'Service',
      isName: true,
      cell: call => (
        <span className="flex min-w-0 flex-col">
          <Link
            to="/app/calls/{-$id}"
            params={{ id: call.invocationId }}
            search={search}
            resetScroll={false}
            preload={false}
            aria-label={`${names.service(call.serviceId)}, ${formatTime(call.startedAt)}`}
            className="w-fit rounded font-medium hover:underline"
            onClick={event => event.stopPropagation()}
          >
            {names.service(call.serviceId)}
          </Link>
          <span className="text-xs text-faint md:hidden">
            <TimeAgo iso={call.startedAt} />
          </span>
        </span>
      ),
    },
    {
      id: 'credential',
      head: 'Credential',
      isName: true,
      isExtra: true,
      cell: ({ credentialId }) => names.credential(credentialId),
    },
    { id: 'state', head: 'State', cell: call => <State call={call} /> },
    {
      id: 'took',
      head: 'Duration',
      isNumber: true,
      isExtra: true,
      cell: ({ latencyMs }) =>
        latencyMs === null ? <span className="text-faint">–</span> : formatLatency(latencyMs),
    },
    {
      id: 'when',
      head: 'When',
      isExtra: true,
      className: 'w-28',
      cell: ({ startedAt }) => <TimeAgo iso={startedAt} />,
    },
    {
      id: 'charged',
      head: 'Charged',
      isNumber: true,
      amount: ({ status, chargedUsdc, holdUsdc }) => (isOpen(status) ? holdUsdc : chargedUsdc),
      cell: call => <Charged call={call} />,
    },
  ]
}

function State({ call: { status, errorCode } }: { call: Call }) {
  const { label, tone } = stateOfCall(status)
  return (
    <span className="inline-flex items-center gap-2">
      <Badge tone={tone}>{label}</Badge>
      {errorCode !== null && <span className="font-mono text-xs text-faint max-xl:hidden">{errorCode}</span>}
    </span>
  )
}

/** Shows the hold while nothing is charged yet. */
function Charged({ call: { status, chargedUsdc, holdUsdc } }: { call: Call }) {
  if (!isOpen(status)) return <Amount usdc={chargedUsdc} />
  return (
    <span className="text-muted">
      <span className="mr-1 text-xs">held</span>
      <Amount usdc={holdUsdc} />
    </span>
  )
}
