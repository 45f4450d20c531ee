import { setTimeout as delay } from 'node:timers/promises'
import { type Answer, openCaller } from '../../kit/caller.ts'
import { chatRequest, STREAMED } from './chat.ts'
import { createLatencies } from './latencies.ts'
import type { StreamJob, StreamResult, Target } from './messages.ts'
import { problemOf } from './stream-rules.ts'
import { serveJobs } from './worker-process.ts'

/** Callers of streams in a process of their own. Every stream is read to its end and checked. */

/** Lost streams that end a job early: something is broken, and there is nothing to measure. */
const LOST_MAX = 2_000
const LOST_SAMPLES_MAX = 5

serveJobs(run)

async function run(job: StreamJob): Promise<StreamResult> {
  const wholeByTarget = job.targets.map(() => 0)
  const lostSamples: string[] = []
  const firstEvent = createLatencies()
  let [sent, lost] = [0, 0]
  const measuredFrom = performance.now() + job.warmupSeconds * 1_000
  const endsAt = measuredFrom + job.seconds * 1_000

  const loop = async (index: number): Promise<void> => {
    await delay((index / job.callers) * job.warmupSeconds * 1_000)
    const caller = openCaller(job.origin)
    while (performance.now() < endsAt && lost <= LOST_MAX) {
      const number = sent
      sent += 1
      const target = number % job.targets.length
      const from = performance.now()
      let firstMs: number | null = null
      const answer: Answer | Error = await caller
        .post({
          ...requestOf(job, job.targets[target], number),
          onData: () => {
            firstMs ??= performance.now() - from
          },
        })
        .catch((error: Error) => error)
      if (firstMs !== null && from >= measuredFrom) firstEvent.add(firstMs)
      const problem = answer instanceof Error ? answer.message : problemOf(answer, job)
      if (problem === null) {
        wholeByTarget[target] = (wholeByTarget[target] ?? 0) + 1
        continue
      }
      lost += 1
      if (lostSamples.length < LOST_SAMPLES_MAX) lostSamples.push(problem)
    }
    await caller.close()
  }
  await Promise.all(Array.from({ length: job.callers }, (_, index) => loop(index)))
  return { wholeByTarget, lost, lostSamples, firstEvent: firstEvent.percentiles() }
}

function requestOf(
  { path, isPaid, keyPrefix, script }: StreamJob,
  target: Target | undefined,
  number: number,
) {
  if (target === undefined) throw new RangeError('A job needs at least one target.')
  const { serviceId, credential } = target
  const request = chatRequest(script, number)
  const idempotencyKey = `${keyPrefix}-${number}`
  const body = isPaid
    ? { serviceId, idempotencyKey, responseMode: 'stream', payload: { body: request } }
    : { ...request, ...STREAMED }
  return { path, credential, body: JSON.stringify(body) }
}
