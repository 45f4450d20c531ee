import { randomUUID } from 'node:crypto'
import { formatUsdc } from '@farebox/money'
import type { Script, StreamResult } from './messages.ts'
import { costOf } from './model-market.ts'
import type { ModelRun } from './model-run.ts'
import { type Summary, summary } from './summary.ts'

/** Streams at once while the first event is timed. */
export const FIRST_BYTE_STREAMS = 50
/** One second a stream: at any time one is starting while the others run. */
const SCRIPT: Script = { chunks: 50, paceMs: 20, inputTokens: 23, outputTokens: 50, cutAfter: null }
const STREAM_SECONDS = 1
/** Streams without pauses, before anything is timed: code that ran a hundred times is not yet compiled. */
const WARM_SCRIPT: Script = { ...SCRIPT, chunks: 10, paceMs: 0, outputTokens: 10 }
const LOST_SHOWN_MAX = 5

/** Times to the first event, in ms: rounds of direct and paid streams in turn. */
export type FirstByte = {
  readonly streams: number
  readonly direct: { readonly p50Ms: Summary; readonly p99Ms: Summary }
  readonly paid: { readonly p50Ms: Summary; readonly p99Ms: Summary }
  /** Difference of the medians of each round. */
  readonly addedP50Ms: Summary
  readonly lost: number
  readonly lostSamples: readonly string[]
}

/**
 * Times the first event of streams, straight from the model and paid for by way of the gateway, in turn, each with
 * {@link FIRST_BYTE_STREAMS} callers who read one stream after another. Nobody is kept waiting by the model, and the
 * machine has time to spare: what is added is the gateway's.
 */
export async function timeFirstByte(
  run: ModelRun,
  plan: { rounds: number; seconds: number; warmupSeconds: number },
): Promise<FirstByte> {
  const { market, account, say } = run
  const lostSamples: string[] = []
  let lost = 0
  const read = async (isPaid: boolean, script: Script, seconds: number): Promise<StreamResult> => {
    const cost = costOf(script)
    const chargedUsdc = formatUsdc(cost)
    const result = await run.streams.run({
      ...(isPaid ? run.paid : { origin: run.model.url, path: '/v1/chat/completions' }),
      isPaid,
      targets: market.model,
      callers: FIRST_BYTE_STREAMS,
      plans: market.model.map((_, target) => ({ target, script, leaveAfter: null, chargedUsdc })),
      rampSeconds: STREAM_SECONDS,
      seconds,
      keyPrefix: randomUUID(),
    })
    for (const { end, plan: index, why } of result.outcomes) {
      const target = market.model[index]
      if (end === 'whole' && isPaid && target !== undefined) account.pay(target, cost)
      if (end === 'whole') continue
      lost += 1
      if (lostSamples.length < LOST_SHOWN_MAX) lostSamples.push(String(why))
    }
    return result
  }

  for (const isPaid of [false, true]) await read(isPaid, WARM_SCRIPT, plan.warmupSeconds)
  const direct: StreamResult[] = []
  const paid: StreamResult[] = []
  for (let round = 0; round < plan.rounds; round += 1) {
    direct.push(await read(false, SCRIPT, plan.seconds))
    paid.push(await read(true, SCRIPT, plan.seconds))
    const [bare, ours] = [direct, paid].map(results => results.at(-1)?.firstEvent.p50 ?? Number.NaN)
    say(`first byte, round ${round + 1}: direct p50 ${bare?.toFixed(2)} ms, paid p50 ${ours?.toFixed(2)} ms`)
  }
  const over = (results: readonly StreamResult[]) => ({
    p50Ms: summary(results.map(({ firstEvent }) => firstEvent.p50)),
    p99Ms: summary(results.map(({ firstEvent }) => firstEvent.p99)),
  })
  const added = paid.map(
    ({ firstEvent }, round) => firstEvent.p50 - (direct[round]?.firstEvent.p50 ?? Number.NaN),
  )
  return {
    streams: FIRST_BYTE_STREAMS,
    direct: over(direct),
    paid: over(paid),
    addedP50Ms: summary(added),
    lost,
    lostSamples,
  }
}
