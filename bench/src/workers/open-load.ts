import type { OpenJob, OpenResult } from '../open-loop-messages.ts'
import { type Caller, openCaller } from './caller.ts'
import { createArrivals } from './open-arrivals.ts'
import { endingOf } from './open-ending.ts'
import { type MakeCall, runClosed, runOpen } from './open-runner.ts'
import { callOf } from './priced-call.ts'

/**
 * Callers in a process of their own, whose calls come on a schedule (or in a closed loop) and may be shed. Every
 * answer is parsed and checked.
 */

/** After the last arrival, calls that wait at the caller are still sent for this long, in ms. */
const DRAIN_MS = 2_000
/** Connections that are opened at once: a server takes only so many new ones at a time. */
const OPENED_AT_ONCE = 64
/** What opens a connection; what is answered does not matter. */
const GREETING = { method: 'GET', path: '/health', headers: [], body: null } as const

process.once('disconnect', () => process.exit(0))
process.on('message', (job: OpenJob) => {
  run(job).then(
    result => process.send?.({ result }),
    (error: unknown) => process.send?.({ failure: String(error) }),
  )
})

async function run(job: OpenJob): Promise<OpenResult> {
  const callers = Array.from({ length: job.connections }, () => openCaller(job.origin))
  const goodByTarget = job.targets.map(() => 0)
  const makeCall: MakeCall = async (connection, number) => {
    const target = number % job.targets.length
    const caller = callers[connection]
    if (caller === undefined) throw new RangeError(`There is no connection ${connection}.`)
    try {
      const ending = endingOf(job, number, await caller.post(callOf(job, target, number)))
      if (ending.end === 'good') goodByTarget[target] = (goodByTarget[target] ?? 0) + 1
      return ending
    } catch (error) {
      return { end: 'wrong', why: String(error) }
    }
  }
  const plan = {
    connections: job.connections,
    ...{ warmupMs: job.warmupSeconds * 1_000, measuredMs: job.seconds * 1_000 },
  }
  try {
    await openAll(callers)
    const sightings =
      job.arrivals === null
        ? await runClosed(plan, makeCall)
        : await runOpen({ ...plan, drainMs: DRAIN_MS }, createArrivals(job.arrivals), makeCall)
    return { ...sightings.result(job.tellsEach), goodByTarget }
  } finally {
    await Promise.all(callers.map(caller => caller.close()))
  }
}

/** Opens every connection, so that no call of the load has to wait for that. */
async function openAll(callers: readonly Caller[]): Promise<void> {
  for (let from = 0; from < callers.length; from += OPENED_AT_ONCE) {
    const some = callers.slice(from, from + OPENED_AT_ONCE)
    await Promise.all(some.map(caller => caller.send(GREETING)))
  }
}
