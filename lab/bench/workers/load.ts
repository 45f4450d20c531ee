import { openCaller } from '../../kit/caller.ts'
import { type Ending, runClosed } from './closed-loop.ts'
import type { LoadJob, LoadResult } from './messages.ts'
import { callOf, endingOf } from './priced-call.ts'
import { serveJobs } from './worker-process.ts'

/**
 * Runs callers in a process of their own. They parse and check every answer, also those of other contestants, so that all
 * contestants cost them the same.
 */

serveJobs(async (job: LoadJob): Promise<LoadResult> => {
  const { targets, knownKeys, moreOrigins = [] } = job
  const origins = [job.origin, ...moreOrigins]
  const callers = origins.map(origin => Array.from({ length: job.callers }, () => openCaller(origin)))
  const goodByTarget = targets.map(() => 0)
  const call = async (connection: number, sent: number): Promise<Ending> => {
    const target = sent % targets.length
    const number = knownKeys === undefined ? sent : sent % knownKeys
    const partition = job.isByPartition === true ? targets[target]?.partition : undefined
    const caller = callers[(partition ?? connection) % origins.length]?.[connection]
    if (caller === undefined) throw new RangeError(`There is no connection ${connection}.`)
    const ending = endingOf(job, number, await caller.post(callOf(job, target, number)))
    if (ending.end === 'good') goodByTarget[target] = (goodByTarget[target] ?? 0) + 1
    return ending
  }
  try {
    const result = await runClosed(job, (connection, sent) =>
      call(connection, sent).catch((error: unknown) => ({ end: 'wrong', why: String(error) })),
    )
    return { ...result, goodByTarget }
  } finally {
    await Promise.all(callers.flat().map(caller => caller.close()))
  }
})
