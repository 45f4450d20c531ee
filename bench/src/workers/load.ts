import { setTimeout as delay } from 'node:timers/promises'
import type { LoadJob, LoadResult } from '../messages.ts'
import { openCaller } from './caller.ts'
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
process.on('message', (job: LoadJob) => {
  run(job).then(
    result => process.send?.({ result }),
    (error: unknown) => process.send?.({ failure: String(error) }),
  )
})

async function run(job: LoadJob): Promise<LoadResult> {
  const state = {
    isRunning: true,
    isMeasuring: false,
    calls: 0,
    errors: 0,
    errorSamples: [] as string[],
    goodByTarget: job.targets.map(() => 0),
    latencies: createLatencies(),
  }

  const loop = async (index: number): Promise<void> => {
    const caller = openCaller(job.origin)
    try {
      for (let turn = index; state.isRunning; turn += 1) {
        const targetIndex = turn % job.targets.length
        const number = state.calls
        state.calls += 1
        const call = callOf(job, targetIndex, number)
        const startedAt = performance.now()
        const answer = await caller.post(call).catch((error: unknown) => ({ status: 0, text: String(error) }))
        const endedAt = performance.now()
        if (state.isMeasuring) state.latencies.add(endedAt - startedAt)
        if (isGood(job, number, answer)) {
          state.goodByTarget[targetIndex] = (state.goodByTarget[targetIndex] ?? 0) + 1
        } else {
          state.errors += 1
          if (state.errorSamples.length < ERROR_SAMPLES_MAX) {
            state.errorSamples.push(`${answer.status} ${answer.text.slice(0, ERROR_TEXT_MAX)}`)
          }
          if (state.errors >= ERRORS_MAX) state.isRunning = false
        }
      }
    } finally {
      await caller.close()
    }
  }

  const loops = Array.from({ length: job.callers }, (_, index) => loop(index))
  await delay(job.warmupSeconds * 1_000)
  const from = performance.now()
  state.isMeasuring = true
  await delay(job.seconds * 1_000)
  state.isMeasuring = false
  const measuredSeconds = (performance.now() - from) / 1_000
  state.isRunning = false
  await Promise.all(loops)

  const { errors, errorSamples, goodByTarget, latencies } = state
  const perSecond = latencies.count() / measuredSeconds
  return { perSecond, latency: latencies.percentiles(), goodByTarget, errors, errorSamples }
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
function isGood(job: LoadJob, number: number, answer: { status: number; text: string }): boolean {
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
