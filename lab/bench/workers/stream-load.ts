import { setTimeout as delay } from 'node:timers/promises'
import type { StreamJob, StreamOutcome, StreamResult } from '../messages.ts'
import { chatRequest, STREAMED } from './chat.ts'
import { createLatencies } from './latencies.ts'
import { machineNow } from './shared-clock.ts'
import { type OutgoingStream, openStreamCaller } from './stream-caller.ts'

/** The callers of streams, in a process of their own. Every stream is read to its end and held to its plan. */

/** Lost streams that end a job early: something is broken, and there is nothing to measure. */
const LOST_MAX = 2_000

process.once('disconnect', () => process.exit(0))
process.on('message', (job: StreamJob) => {
  run(job).then(
    result => process.send?.({ result }),
    (error: unknown) => process.send?.({ failure: String(error) }),
  )
})

async function run(job: StreamJob): Promise<StreamResult> {
  const outcomes: StreamOutcome[] = []
  const firstEvent = createLatencies()
  const chunk = createLatencies()
  let taken = 0
  let lost = 0
  let open = 0
  let openMost = 0
  const startedAt = performance.now()
  const rampEndsAt = startedAt + job.rampSeconds * 1_000
  const endsAt = job.seconds === null ? null : rampEndsAt + job.seconds * 1_000

  /** The number of the next stream; null when there is none to come. */
  const next = (): number | null => {
    if (lost > LOST_MAX) return null
    if (endsAt === null ? taken === job.plans.length : performance.now() >= endsAt) return null
    taken += 1
    return taken - 1
  }
  const loop = async (index: number): Promise<void> => {
    await delay((index / job.callers) * job.rampSeconds * 1_000)
    const caller = openStreamCaller(job.origin)
    try {
      for (let number = next(); number !== null; number = next()) {
        const plan = number % job.plans.length
        const from = performance.now()
        const isMeasured = endsAt === null || from >= rampEndsAt
        let isOpen = false
        const outcome = await caller.read(streamOf(job, plan, number), {
          first() {
            isOpen = true
            open += 1
            openMost = Math.max(open, openMost)
            if (isMeasured) firstEvent.add(performance.now() - from)
          },
          chunk: at => chunk.add(machineNow() - at),
        })
        if (isOpen) open -= 1
        if (outcome.end === 'lost') lost += 1
        outcomes.push({ plan, ...outcome })
      }
    } finally {
      await caller.close()
    }
  }

  await Promise.all(Array.from({ length: job.callers }, (_, index) => loop(index)))
  return {
    outcomes,
    openMost,
    chunks: chunk.count(),
    seconds: (performance.now() - startedAt) / 1_000,
    firstEvent: firstEvent.percentiles(),
    chunk: chunk.percentiles(),
  }
}

function streamOf(job: StreamJob, planIndex: number, number: number): OutgoingStream {
  const plan = job.plans[planIndex]
  const target = job.targets[plan?.target ?? 0]
  if (plan === undefined || target === undefined) throw new RangeError('A job needs plans and their targets.')
  const { path, isPaid, keyPrefix } = job
  const request = chatRequest(plan.script, number)
  const body = isPaid
    ? {
        serviceId: target.serviceId,
        idempotencyKey: `${keyPrefix}-${number}`,
        responseMode: 'stream',
        payload: { body: request },
      }
    : { ...request, ...STREAMED }
  return { path, credential: target.credential, body: JSON.stringify(body), plan, isPaid }
}
