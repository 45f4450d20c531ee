import { setTimeout as delay } from 'node:timers/promises'
import type { LoadJob, LoadResult, ReadJob, ReadResult } from '../messages.ts'
import { type Answer, type Caller, openCaller } from './caller.ts'
import { chatRequest } from './chat.ts'
import { createLatencies } from './latencies.ts'

/**
 * The callers, in a process of their own. Each job is a closed loop: `callers` connections, one call under way on
 * each. Every answer is parsed and checked, those of the control too, so that both sides cost the callers the same.
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
  let calls = 0
  const result = await loop(job, (caller, turn) => {
    const targetIndex = turn % job.targets.length
    const number = calls
    calls += 1
    const outgoing = callOf(job, targetIndex, number)
    return {
      sent: caller.post(outgoing),
      accept(answer) {
        const good = isGood(job, number, answer)
        if (good) goodByTarget[targetIndex] = (goodByTarget[targetIndex] ?? 0) + 1
        return good
      },
    }
  })
  return { ...result, goodByTarget }
}

function read(job: ReadJob): Promise<ReadResult> {
  const { requests, callers } = job
  // Far from one another, so that no caller asks what another has just asked.
  const startOf = (index: number) => Math.floor((index * requests.length) / callers)
  return loop(
    job,
    (caller, turn) => {
      const request = requests[turn % requests.length]
      if (request === undefined) throw new RangeError('A job needs at least one request.')
      return { sent: caller.send(request), accept: answer => answer.status === 200 }
    },
    startOf,
  )
}

/** One request under way, and how its answer is judged. */
type Turn = { readonly sent: Promise<Answer>; readonly accept: (answer: Answer) => boolean }

async function loop(
  job: Pick<LoadJob, 'origin' | 'callers' | 'warmupSeconds' | 'seconds'>,
  take: (caller: Caller, turn: number) => Turn,
  startOf = (index: number) => index,
): Promise<ReadResult> {
  const state = {
    isRunning: true,
    isMeasuring: false,
    errors: 0,
    errorSamples: [] as string[],
    latencies: createLatencies(),
  }
  const run = async (index: number): Promise<void> => {
    const caller = openCaller(job.origin)
    try {
      for (let turn = startOf(index); state.isRunning; turn += 1) {
        const startedAt = performance.now()
        const { sent, accept } = take(caller, turn)
        const answer = await sent.catch((error: unknown) => ({ status: 0, text: String(error) }))
        const endedAt = performance.now()
        if (state.isMeasuring) state.latencies.add(endedAt - startedAt)
        if (accept(answer)) continue
        state.errors += 1
        if (state.errorSamples.length < ERROR_SAMPLES_MAX) {
          state.errorSamples.push(`${answer.status} ${answer.text.slice(0, ERROR_TEXT_MAX)}`)
        }
        if (state.errors >= ERRORS_MAX) state.isRunning = false
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

  const { errors, errorSamples, latencies } = state
  const perSecond = latencies.count() / measuredSeconds
  return { perSecond, latency: latencies.percentiles(), errors, errorSamples }
}

function callOf(job: LoadJob, targetIndex: number, number: number) {
  const target = job.targets[targetIndex]
  if (target === undefined) throw new RangeError('A job needs at least one target.')
  const { path, price, script, keyPrefix } = job
  const { serviceId, credential } = target
  const call = { serviceId, idempotencyKey: `${keyPrefix}-${number}` }
  const body =
    script === null
      ? { ...call, costUsdc: price, payload: { body: { number, question: 'Will the books balance?' } } }
      : { ...call, payload: { body: chatRequest(script, number) } }
  return { path, credential, body: JSON.stringify(body) }
}

/** A good answer is the provider's answer to this very call; a paid one says that it was charged as agreed. */
function isGood(job: LoadJob, number: number, answer: Answer): boolean {
  if (answer.status !== 200) return false
  const body = JSON.parse(answer.text) as {
    status?: string
    chargedUsdc?: string
    number?: number
    result?: { number?: number }
  }
  if (!job.isPaid) return body.number === number
  return body.status === 'SUCCEEDED' && body.chargedUsdc === job.price && body.result?.number === number
}
