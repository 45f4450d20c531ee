import type { ReactNode } from 'react'
import { Badge } from '../../ui/badge.tsx'
import type { Column } from '../../ui/tables/table.tsx'
import { formatCount, formatLimit, formatMs } from '../../ui/values/format-measures.ts'
import { formatTime } from '../../ui/values/format-time.ts'
import { conditionOf, formatSpan, type Job } from './health-verdicts.ts'

/** Returns the columns of the table of jobs; times are relative to the time of the answer. */
export function jobColumns(asOf: string): readonly Column<Job>[] {
  return [
    { id: 'name', head: 'Job', cell: job => <Name job={job} asOf={asOf} /> },
    { id: 'last', head: 'Last run', cell: job => <LastRun job={job} asOf={asOf} /> },
    { id: 'next', head: 'Next run', cell: job => <NextRun job={job} asOf={asOf} /> },
    { id: 'runs', head: 'Runs', isNumber: true, isExtra: true, cell: ({ runs }) => formatCount(runs) },
  ]
}

type Props = { job: Job; asOf: string }

function Name({ job, asOf }: Props) {
  const condition = conditionOf(job, asOf)
  return (
    <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
      <code className="font-mono text-xs break-words">{job.name}</code>
      {condition === 'late' && <Badge tone="bad">Late</Badge>}
      {condition === 'running-long' && <Badge tone="bad">Not finished</Badge>}
      {condition === 'failed' && <Badge tone="bad">Failed</Badge>}
      {condition !== 'failed' && job.failures > 0 && (
        <Badge tone="warn">{formatCount(job.failures)} failed before</Badge>
      )}
    </span>
  )
}

function LastRun({ job: { lastStartedAt, lastDoneAt, lastRunMs }, asOf }: Props) {
  const at = lastStartedAt ?? lastDoneAt
  if (at === null) return <span className="text-faint">None yet</span>
  const ago = Date.parse(asOf) - Date.parse(at)
  return (
    <Lines note={typeof lastRunMs === 'number' && `took ${lastRunMs === 0 ? '<1 ms' : formatMs(lastRunMs)}`}>
      <time dateTime={at} title={formatTime(at)}>
        {formatSpan(Math.max(0, ago))} ago
      </time>
    </Lines>
  )
}

function NextRun({ job: { nextRunAt, intervalSeconds }, asOf }: Props) {
  const every = intervalSeconds !== undefined && `every ${formatLimit(intervalSeconds * 1_000)}`
  if (nextRunAt === undefined) return <Lines note={every}>–</Lines>
  if (nextRunAt === null) return <Lines note={every}>Running</Lines>
  const ms = Date.parse(nextRunAt) - Date.parse(asOf)
  return (
    <Lines note={every}>
      <time dateTime={nextRunAt} title={formatTime(nextRunAt)}>
        {ms < -1_000 ? `${formatSpan(-ms)} late` : `in ${formatSpan(Math.max(0, ms))}`}
      </time>
    </Lines>
  )
}

/** A value above a note. */
function Lines({ children, note }: { children: ReactNode; note: string | false }) {
  return (
    <span className="flex flex-col whitespace-nowrap">
      {children}
      {note !== false && <span className="text-xs text-muted">{note}</span>}
    </span>
  )
}
