import type { AnswerOf } from '@farebox/client'
import { formatCount } from '../../ui/values/format-measures.ts'

export type Health = AnswerOf<'readGatewayHealth'>
export type Job = Health['jobs'][number]
export type Endpoint = Health['endpoints'][number]

/** The state of a part of the gateway in one line. */
export type Verdict = { readonly isWell: boolean; readonly text: string }

/** State of a job: how it is late, or the outcome of its last run. */
export type JobCondition = 'late' | 'running-long' | 'failed' | 'well'

/** A job is late this long after it was due, in ms: gateways start due jobs at once. */
const LATE_MS = 60_000
/** A run that takes longer may hang, in ms. */
const RUN_LONG_MS = 300_000
/** The alert `FareboxChainLag` fires above it. */
const BLOCKS_BEHIND_MAX = 200
/** Rows are projected within about a second: more than this many waiting are a backlog. */
const ROWS_BEHIND_MAX = 10_000
/** Names listed in a verdict. */
const NAMES_MAX = 3
/** Worst first. */
const ORDER: readonly JobCondition[] = ['late', 'running-long', 'failed', 'well']
const STATE_TEXTS = { late: 'is late', 'running-long': 'has not finished', failed: 'failed' } as const

/** Returns the condition of a job at the time of the answer. */
export function conditionOf(job: Job, asOf: string): JobCondition {
  const now = Date.parse(asOf)
  const { nextRunAt, lastStartedAt } = job
  if (typeof nextRunAt === 'string' && now - Date.parse(nextRunAt) > LATE_MS) return 'late'
  if (nextRunAt === null && typeof lastStartedAt === 'string') {
    if (now - Date.parse(lastStartedAt) > RUN_LONG_MS) return 'running-long'
  }
  return job.lastOutcome === 'failed' ? 'failed' : 'well'
}

/** Sorts jobs: those that need attention first, then those that failed before, then by name. */
export function sortJobs({ jobs, asOf }: Health): Job[] {
  const rank = (job: Job) => ORDER.indexOf(conditionOf(job, asOf))
  return jobs.toSorted(
    (a, b) => rank(a) - rank(b) || b.failures - a.failures || a.name.localeCompare(b.name, 'en'),
  )
}

export function judgeJobs(health: Health): Verdict {
  const { jobs, asOf } = health
  const unwell = sortJobs(health).flatMap(job => {
    const condition = conditionOf(job, asOf)
    return condition === 'well' ? [] : [`${job.name} ${STATE_TEXTS[condition]}`]
  })
  if (unwell.length === 0)
    return { isWell: true, text: `All ${jobs.length} jobs are on time, and none failed in its last run.` }
  const rest = unwell.length - NAMES_MAX
  const named = unwell.slice(0, NAMES_MAX).join(', ')
  return { isWell: false, text: rest > 0 ? `${named}, and ${rest} more.` : `${named}.` }
}

export function judgeQueue({ queue: { ready, scheduled, running, givenUp } }: Health): Verdict {
  if (givenUp > 0)
    return { isWell: false, text: `${jobsOf(givenUp)} failed after all retries. See the gateway's log.` }
  const open = ready + scheduled + running
  return { isWell: true, text: open === 0 ? 'The queue is empty.' : `${jobsOf(open)} in the queue.` }
}

/** Returns the number of responses of an endpoint that were rejected. */
export const rejectedBy = ({ failed, differed, wasBehind }: Endpoint) => failed + differed + wasBehind

export function judgeChain({ blocksBehind, endpoints }: Health): Verdict {
  if (blocksBehind === null)
    return { isWell: false, text: 'The chain cannot be read: new deposits are not credited.' }
  if (blocksBehind > BLOCKS_BEHIND_MAX)
    return { isWell: false, text: `Deposits are read ${formatCount(blocksBehind)} blocks late.` }
  const rejecting = endpoints.filter(endpoint => rejectedBy(endpoint) > 0)
  if (rejecting.length === 0) return { isWell: true, text: 'Deposits are read on time.' }
  const many = rejecting.length === 1 ? 'one endpoint' : `${rejecting.length} endpoints`
  return { isWell: true, text: `Deposits are read on time. Responses of ${many} were rejected.` }
}

export function judgePartitions({ partitions }: Health): Verdict {
  const behind = partitions.reduce((sum, partition) => sum + partition.behind, 0)
  if (behind > ROWS_BEHIND_MAX) {
    const late = partitions.filter(partition => partition.behind > 0).length
    return {
      isWell: false,
      text: `${formatCount(behind)} rows in ${late} of ${partitions.length} partitions are not in the tables yet.`,
    }
  }
  return { isWell: true, text: `The tables reflect all ${partitions.length} partitions of the log.` }
}

/** Returns the verdicts on all parts of the gateway. */
export const judgeHealth = (health: Health): Verdict[] =>
  [judgeJobs, judgePartitions, judgeChain, judgeQueue].map(judge => judge(health))

const jobsOf = (count: number) => (count === 1 ? '1 job' : `${formatCount(count)} jobs`)

/** Formats a duration: `4 s`, `12 min`, `3 h`. */
export function formatSpan(ms: number): string {
  const seconds = Math.round(ms / 1_000)
  if (seconds < 120) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`
}
