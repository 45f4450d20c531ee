import { setTimeout as delay } from 'node:timers/promises'
import type { LoadJob, LoadResult, ReadJob, ReadResult } from '../messages.ts'
import { type Answer, type Caller, openCaller } from './caller.ts'
import { createLatencies } from './latencies.ts'
import { type Ending, endingOf } from './open-ending.ts'
import { callOf } from './priced-call.ts'

/**
 * The callers, in a process of their own. Each job is a closed loop: `callers` connections, one call under way on
 * each. Every answer is parsed and checked, those of the control too, so that both sides cost the callers the same. A
 * caller who is told to try later does so, and makes no call meanwhile.
 */

const ERRORS_MAX = 1_000
const ERROR_SAMPLES_MAX = 5
const ERROR_TEXT_MAX = 300

process.once('disconnect', () => process.exit(0))
process.on('message', (job: LoadJob | ReadJob) => {
  const result = 'requests' in job ? read(job) : call(job)
  result.then(
    result => process.send?.({ result }),
    (error: unknown) => process.send?.({ failure: String(error) }),
  )
})

async function call(job: LoadJob): Promise<LoadResult> {
  const goodByTarget = job.targets.map(() => 0)
  const { targets, knownKeys } = job
  let calls = 0
  const take = (caller: Caller, turn: number): Turn => {
    const targetIndex = turn % targets.length
    const number = knownKeys === undefined ? calls : calls % knownKeys
    calls += 1
    const outgoing = callOf(job, targetIndex, number)
    return {
      sent: caller.post(outgoing),
      judge(answer) {
        const ending = endingOf(job, number, answer)
        if (ending.end === 'good') goodByTarget[targetIndex] = (goodByTarget[targetIndex] ?? 0) + 1
        return ending
      },
    }
  }
  const result = await loop(job, take, farApart(targets.length, job.callers))
  return { ...result, goodByTarget }
}

/** Where callers start in what they go through in turn: far from one another, so that none follows in another's steps. */
const farApart = (length: number, callers: number) => (index: number) =>
  Math.floor((index * length) / callers)

function read(job: ReadJob): Promise<ReadResult> {
  const { requests, callers } = job
  return loop(
    job,
    (caller, turn) => {
      const request = requests[turn % requests.length]
      if (request === undefined) throw new RangeError('A job needs at least one request.')
      return { sent: caller.send(request), judge: answer => (answer.status === 200 ? GOOD : wrong(answer)) }
    },
    farApart(requests.length, callers),
  )
}

/** One request under way, and how its answer is judged. */
type Turn = { readonly sent: Promise<Answer>; readonly judge: (answer: Answer) => Ending }

const GOOD = { end: 'good' } as const
const wrong = ({ status, text }: Answer): Ending => ({
  ...{ end: 'wrong', why: `${status} ${text.slice(0, ERROR_TEXT_MAX)}` },
})

async function loop(
  job: Pick<LoadJob, 'origin' | 'callers' | 'warmupSeconds' | 'seconds'>,
  take: (caller: Caller, turn: number) => Turn,
  startOf: (index: number) => number,
): Promise<ReadResult> {
  const state = {
    isRunning: true,
    isMeasuring: false,
    sheds: 0,
    errors: 0,
    errorSamples: [] as string[],
    latencies: createLatencies(),
  }
  const endsAt = performance.now() + (job.warmupSeconds + job.seconds) * 1_000
  const noteWrong = (why: string): void => {
    state.errors += 1
    if (state.errorSamples.length < ERROR_SAMPLES_MAX) state.errorSamples.push(why)
    if (state.errors >= ERRORS_MAX) state.isRunning = false
  }
  const run = async (index: number): Promise<void> => {
    const caller = openCaller(job.origin)
    try {
      for (let turn = startOf(index); state.isRunning; turn += 1) {
        const startedAt = performance.now()
        const { sent, judge } = take(caller, turn)
        const answer = await sent.catch((error: unknown) => ({ status: 0, text: String(error) }))
        const endedAt = performance.now()
        const ending = judge(answer)
        if (ending.end === 'wrong') noteWrong(ending.why)
        if (ending.end === 'good' && state.isMeasuring) state.latencies.add(endedAt - startedAt)
        if (ending.end !== 'shed') continue
        if (state.isMeasuring) state.sheds += 1
        await delay(Math.max(0, Math.min(ending.retryAfterMs, endsAt - performance.now())))
      }
    } finally {
      await caller.close()
    }
  }

  const loops = Array.from({ length: job.callers }, (_, index) => run(index))
  await delay(job.warmupSeconds * 1_000)
  const from = performance.now()
  state.isMeasuring = true
  await delay(job.seconds * 1_000)
  state.isMeasuring = false
  const measuredSeconds = (performance.now() - from) / 1_000
  state.isRunning = false
  await Promise.all(loops)

  const { sheds, errors, errorSamples, latencies } = state
  return {
    ...{ perSecond: latencies.count() / measuredSeconds, shedPerSecond: sheds / measuredSeconds },
    ...{ latency: latencies.percentiles(), errors, errorSamples },
  }
}
