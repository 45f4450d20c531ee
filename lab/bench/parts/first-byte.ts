import { randomUUID } from 'node:crypto'
import { formatUsdc, usdc } from '@farebox/money'
import { INVOKE } from '../../kit/caller.ts'
import { costOfTokens } from '../../kit/person.ts'
import { type Summary, summary, withSpread } from '../../kit/tables.ts'
import { openServices } from '../market/market.ts'
import { findingsOf, isSound, openBooks } from '../market/paid-run.ts'
import type { Options } from '../options.ts'
import type { PartResult, Section, Stage } from '../part.ts'
import type { Script, StreamResult } from '../workers/messages.ts'
import { startProvider, startStreams } from '../workers/workers.ts'

/** Streams at once. */
const STREAMS = 50
/** Owners beside the hot one. */
const OWNERS = 9
/** Micro-USDC per million tokens: odd, so that nearly every charge has something to round. */
const PRICE = { input: usdc(1_234_567n), output: usdc(6_000_001n) } as const
/** Streams of one second: at any time one is starting while the others run. */
const SCRIPT: Script = { chunks: 50, paceMs: 20, inputTokens: 23, outputTokens: 50 }
const RAMP_SECONDS = 1
/** Streams without pauses, before anything is timed: code that ran a hundred times is not yet compiled. */
const WARM_SCRIPT: Script = { ...SCRIPT, chunks: 10, paceMs: 0, outputTokens: 10 }
const TIMEOUT_MS = 120_000

type Times = { readonly p50Ms: Summary; readonly p99Ms: Summary }

/**
 * Times the first event of streams, in turn straight from the model and through the gateway. The model answers at once
 * and the machine is not busy, so the difference is the time that the gateway adds.
 */
export async function runFirstByte(options: Options, stage: Stage): Promise<PartResult> {
  const { stopLater, say } = stage
  const model = stopLater(await startProvider())
  const streams = stopLater(startStreams())
  const gateway = await stage.startGateway({ owners: OWNERS })
  const urls = [`${model.url}/v1/chat/completions`]
  const offer = { name: 'Bench model', urls, price: PRICE, timeoutMs: TIMEOUT_MS }
  const { services, ...accounts } = await openServices(gateway, [offer])
  const books = await openBooks(accounts, say)
  const { credentials } = gateway.owners
  const targets = credentials.map((credential, owner) => {
    return { owner, service: 0, serviceId: services[0] ?? '', credential }
  })
  const read = async (isPaid: boolean, script: Script, seconds: number): Promise<StreamResult> => {
    const cost = costOfTokens(script, PRICE)
    const result = await streams.run({
      ...(isPaid
        ? { origin: gateway.url, path: INVOKE }
        : { origin: model.url, path: '/v1/chat/completions' }),
      isPaid,
      targets,
      callers: STREAMS,
      script,
      chargedUsdc: formatUsdc(cost),
      warmupSeconds: RAMP_SECONDS,
      seconds,
      keyPrefix: randomUUID(),
    })
    books.note({ errors: result.lost, errorSamples: result.lostSamples })
    for (const [index, target] of targets.entries())
      if (isPaid) books.account.pay(target, cost, result.wholeByTarget[index] ?? 0)
    return result
  }

  for (const isPaid of [false, true]) await read(isPaid, WARM_SCRIPT, options.warmupSeconds)
  const [direct, paid]: [StreamResult[], StreamResult[]] = [[], []]
  for (let round = 1; round <= options.rounds; round += 1) {
    direct.push(await read(false, SCRIPT, options.seconds))
    paid.push(await read(true, SCRIPT, options.seconds))
    const [bare, ours] = [direct, paid].map(results => results.at(-1)?.firstEvent.p50.toFixed(2))
    say(`first byte, round ${round}: direct p50 ${bare} ms, paid p50 ${ours} ms`)
  }
  const addedP50Ms = summary(
    paid.map(({ firstEvent }, round) => firstEvent.p50 - (direct[round]?.firstEvent.p50 ?? Number.NaN)),
  )
  const soundness = await books.close()
  const figures = { streams: STREAMS, direct: timesOf(direct), paid: timesOf(paid), addedP50Ms }
  return {
    sections: [sectionOf(figures)],
    findings: findingsOf(soundness, 'first byte'),
    reached: { firstEvent: addedP50Ms },
    isSound: isSound(soundness),
  }
}

const timesOf = (results: readonly StreamResult[]): Times => ({
  p50Ms: summary(results.map(({ firstEvent }) => firstEvent.p50)),
  p99Ms: summary(results.map(({ firstEvent }) => firstEvent.p99)),
})

function sectionOf(figures: { direct: Times; paid: Times; addedP50Ms: Summary }): Section {
  const cellsOf = (name: string, { p50Ms, p99Ms }: Times) => {
    return [String(STREAMS), name, withSpread(p50Ms, 2), withSpread(p99Ms, 2)]
  }
  return {
    title: 'Time to the first event of a stream',
    table: [
      ['streams at once', 'contestant', 'p50 ms (rounds)', 'p99 ms (rounds)', 'added p50 ms (rounds)'],
      [...cellsOf('direct', figures.direct), ''],
      [...cellsOf('gateway', figures.paid), withSpread(figures.addedP50Ms, 2)],
    ],
    notes: [
      'From the request to the first event in the body. Callers read one stream of 50 chunks in a second after ' +
        'another; direct and paid rounds took turns, and what is added is the difference of the medians of each ' +
        'round. A paid stream starts when its hold is on disk.',
    ],
  }
}
