import type { LoadJob, LoadResult, ReadJob, ReadResult } from '../messages.ts'
import { type Caller, openCaller } from './caller.ts'
import { createArrivals } from './open-arrivals.ts'
import { type Ending, endingOf } from './open-ending.ts'
import { type MakeCall, runClosed, runOpen } from './open-runner.ts'
import { callOf } from './priced-call.ts'

/**
 * Callers in a process of their own, in a closed loop or whose calls come on a schedule. Every answer is parsed and
 * checked, those of others too, so that all cost the callers the same; those to requests that only read must be 200.
 */

const ERROR_TEXT_MAX = 300
/** After the last arrival, calls that wait at the caller are still sent for this long, in ms. */
const DRAIN_MS = 2_000
/** Connections that are opened at once: a server takes only so many new ones at a time. */
const OPENED_AT_ONCE = 64
/** What opens a connection; what is answered does not matter. */
const GREETING = { method: 'GET', path: '/health', headers: [], body: null } as const

process.once('disconnect', () => process.exit(0))
process.on('message', (job: LoadJob | ReadJob) => {
  const result = 'requests' in job ? read(job) : call(job)
  result.then(
    result => process.send?.({ result }),
    (error: unknown) => process.send?.({ failure: String(error) }),
  )
})

async function call(job: LoadJob): Promise<LoadResult> {
  const { targets, knownKeys } = job
  const goodByTarget = targets.map(() => 0)
  const result = await run(job, async (callerOf, sent) => {
    const target = sent % targets.length
    const number = knownKeys === undefined ? sent : sent % knownKeys
    const partition = job.isByPartition === true ? targets[target]?.partition : undefined
    const ending = endingOf(job, number, await callerOf(partition).post(callOf(job, target, number)))
    if (ending.end === 'good') goodByTarget[target] = (goodByTarget[target] ?? 0) + 1
    return ending
  })
  return { ...result, goodByTarget }
}

function read(job: ReadJob): Promise<ReadResult> {
  const { requests } = job
  return run(job, async (callerOf, sent) => {
    const request = requests[sent % requests.length]
    if (request === undefined) throw new RangeError('A job needs at least one request.')
    const { status, text } = await callerOf().send(request)
    return status === 200
      ? { end: 'good' }
      : { end: 'wrong', why: `${status} ${text.slice(0, ERROR_TEXT_MAX)}` }
  })
}

/** What of a job is not about what is asked. */
type Shape = Pick<
  LoadJob,
  'origin' | 'moreOrigins' | 'callers' | 'warmupSeconds' | 'seconds' | 'arrivals' | 'returnsEach'
>

/** Makes one request by a connection of the caller's, to the origin of a partition where one is given. */
type Ask = (callerOf: (partition?: number) => Caller, number: number) => Promise<Ending>

async function run(job: Shape, ask: Ask): Promise<Omit<LoadResult, 'goodByTarget'>> {
  const origins = [job.origin, ...(job.moreOrigins ?? [])]
  const callers = origins.map(origin => Array.from({ length: job.callers }, () => openCaller(origin)))
  const makeCall: MakeCall = (connection, number) => {
    const callerOf = (partition = connection) => {
      const caller = callers[partition % origins.length]?.[connection]
      if (caller === undefined) throw new RangeError(`There is no connection ${connection}.`)
      return caller
    }
    return ask(callerOf, number).catch((error: unknown) => ({ end: 'wrong', why: String(error) }))
  }
  const { arrivals = null, returnsEach = false } = job
  const plan = {
    connections: job.callers,
    warmupMs: job.warmupSeconds * 1_000,
    measuredMs: job.seconds * 1_000,
  }
  try {
    if (arrivals === null) return (await runClosed(plan, makeCall)).result(returnsEach)
    await openAll(callers.flat())
    const sightings = await runOpen({ ...plan, drainMs: DRAIN_MS }, createArrivals(arrivals), makeCall)
    return sightings.result(returnsEach)
  } finally {
    await Promise.all(callers.flat().map(caller => caller.close()))
  }
}

/** Opens every connection, so that no call of the load has to wait for that. */
async function openAll(callers: readonly Caller[]): Promise<void> {
  for (let from = 0; from < callers.length; from += OPENED_AT_ONCE) {
    const some = callers.slice(from, from + OPENED_AT_ONCE)
    await Promise.all(some.map(caller => caller.send(GREETING)))
  }
}
