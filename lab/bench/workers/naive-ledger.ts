import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { LoadJob, RoundResult } from '../messages.ts'
import { createLatencies } from './latencies.ts'
import { holdCall, settleCall } from './naive-steps.ts'

/**
 * The naive ledger, database alone: what a paid call does to the money, without any call. Each caller has a connection
 * and takes one call after the other through its two steps, each a transaction of its own: hold, then settle with the
 * answer stored.
 */

/** About what the gateway stores of an answer of the bench's provider, in characters. */
const ANSWER = JSON.stringify({ status: 'SUCCEEDED', result: { ok: true, note: 'x'.repeat(400) } })

const [databaseUrl] = process.argv.slice(2)
if (databaseUrl === undefined) throw new Error('Usage: naive-ledger.ts <database url>')

process.once('disconnect', () => process.exit(0))
process.on('message', (job: LoadJob) => {
  run(job).then(
    result => process.send?.({ result }),
    (error: unknown) => process.send?.({ failure: String(error) }),
  )
})

async function run(job: LoadJob): Promise<RoundResult> {
  const latencies = createLatencies()
  const state = { isRunning: true, isMeasuring: false, cycles: 0 }
  const loops = Array.from({ length: job.callers }, async () => {
    const client = new pg.Client({ connectionString: databaseUrl })
    await client.connect()
    try {
      while (state.isRunning) {
        const id = `inv_${job.keyPrefix}_${state.cycles}`
        state.cycles += 1
        const startedAt = performance.now()
        const requestHash = createHash('sha256').update(id).digest()
        await holdCall(client, { id, key: `${job.keyPrefix}-${state.cycles}`, requestHash })
        await settleCall(client, { id, answer: ANSWER })
        if (state.isMeasuring) latencies.add(performance.now() - startedAt)
      }
    } finally {
      await client.end()
    }
  })
  const ended = Promise.all(loops)
  // A loop that fails before the time is over must not go unheard meanwhile.
  ended.catch(() => undefined)
  await delay(job.warmupSeconds * 1_000)
  const from = performance.now()
  state.isMeasuring = true
  await delay(job.seconds * 1_000)
  state.isMeasuring = false
  const measuredSeconds = (performance.now() - from) / 1_000
  state.isRunning = false
  await ended
  return {
    perSecond: latencies.count() / measuredSeconds,
    latency: latencies.percentiles(),
    shedPerSecond: 0,
    goodByTarget: [state.cycles],
    errors: 0,
    errorSamples: [],
  }
}
