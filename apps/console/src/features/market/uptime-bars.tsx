import type { AnswerOf } from '@farebox/client'
import { clsx } from 'clsx'
import { formatCount, formatMs } from '../../ui/values/format-measures.ts'
import { formatShare } from '../../ui/values/shares.ts'

type ServiceDay = AnswerOf<'readMarketService'>['service']['days'][number]
/** The days of a target are without latencies. */
type Day = Pick<ServiceDay, 'date' | 'calls' | 'failed'> & Partial<ServiceDay>

/** From this share of failed calls a day is bad. */
const BAD_SHARE = 0.05

/** Sums of the calls of days. `latencyMs` is the mean of the successful ones; null without any. */
export function sumOf(days: readonly Day[]): { calls: number; failed: number; latencyMs: number | null } {
  let [calls, failed, waitedMs] = [0, 0, 0]
  for (const day of days) {
    calls += day.calls
    failed += day.failed
    waitedMs += (day.latencyMs ?? 0) * (day.calls - day.failed)
  }
  return { calls, failed, latencyMs: calls === failed ? null : waitedMs / (calls - failed) }
}

/** A bar for each day, oldest first: green if its calls were answered, grey without calls. */
export function UptimeBars({ days }: { days: readonly Day[] }) {
  const { calls, failed } = sumOf(days)
  const label =
    calls === 0
      ? `No calls in ${days.length} days`
      : `${formatShare((calls - failed) / calls)} of ${formatCount(calls)} ${calls === 1 ? 'call' : 'calls'} answered in ${days.length} days`
  return (
    <span className="block">
      <span role="img" aria-label={label} className="flex h-6 max-w-80 gap-0.5">
        {days.map(day => (
          <span
            key={day.date}
            title={`${day.date}: ${formatCount(day.calls)} calls, ${formatCount(day.failed)} failed${day.latencyMs == null ? '' : `, ${formatMs(day.latencyMs)}`}`}
            className={clsx('min-w-px flex-1 rounded-sm', toneOf(day))}
          />
        ))}
      </span>
      <span aria-hidden className="mt-1 block text-sm text-muted">
        {label}
      </span>
    </span>
  )
}

function toneOf({ calls, failed }: Day): string {
  if (calls === 0) return 'bg-hover'
  if (failed === 0) return 'bg-accent'
  return failed / calls < BAD_SHARE ? 'bg-warn' : 'bg-danger'
}
