import type { LoadResult } from './messages.ts'
import { reported, type TailSummary, tailsOf } from './open-loop.ts'
import { type Load, openPaidRun, type PartOn, type Soundness } from './open-loop-run.ts'
import type { Options } from './options.ts'
import { type Summary, summary } from './summary.ts'

/** Callers of the closed loop that saturates the gateway. */
const CALLERS = 256
/** Load over the saturating one. */
const FACTOR = 2
/** Connections of the open loop: as many agents as are there at once, and more than the gateway lets wait. */
const CONNECTIONS = 2_048
/** Callers of the closed loops past saturation. */
const CROWDS = [2 * CALLERS, 4 * CALLERS] as const
/** Connections are open and queues as long as they get after this time, in seconds. */
const WARMUP_SECONDS_MIN = 3

/** What a load came to. Rates per second, latencies in ms. */
export type OverloadLine = {
  readonly load: string
  /** Whether it is twice the saturating load, which a bar is held to. */
  readonly isTwice: boolean
  readonly due: Summary
  readonly good: Summary
  readonly shed: Summary
  /** Good answers by those of the saturating load in the same round. */
  readonly ratio: Summary
  /** Of good answers, from when the call was sent. */
  readonly served: TailSummary
  /** The same from when it was due, its wait at the caller included. */
  readonly latency: TailSummary
  /** Calls of all rounds that were never sent. */
  readonly unsent: number
}

/** What the gateway serves when more is asked of it than it can do. */
export type OverloadFigures = Soundness & {
  readonly callers: number
  readonly connections: number
  readonly seconds: number
  readonly rounds: number
  readonly lines: readonly OverloadLine[]
}

/**
 * Measures good answers past saturation beside those at saturation, in turn: an open loop at twice the rate that a
 * closed loop of {@link CALLERS} just came to, and closed loops of twice and four times as many callers. Sheds are
 * no errors as long as they say when to try again; the open loop does not try again, the closed ones do as they are
 * told.
 */
export async function measureOverload(options: Options, on: PartOn): Promise<OverloadFigures> {
  const { rounds, seconds, openSeconds } = options
  const warmupSeconds = Math.max(options.warmupSeconds, WARMUP_SECONDS_MIN)
  const closed = (callers: number): Load => ({ callers, warmupSeconds, seconds })
  const names = [
    `${CALLERS} callers`,
    `open loop at ${FACTOR} times that`,
    ...CROWDS.map(callers => `${callers} callers`),
  ]
  const run = await openPaidRun(options, on)

  const found: LoadResult[][] = []
  for (let round = 0; round < rounds; round += 1) {
    const results: LoadResult[] = []
    const measure = async (load: Load): Promise<LoadResult> => {
      const result = await run.pay(on.load, run.spread, load)
      on.say(`round ${round + 1}: ${names[results.length]}: ${reported(result)}`)
      results.push(result)
      return result
    }
    const { perSecond } = await measure(closed(CALLERS))
    const arrivals = { perSecond: FACTOR * perSecond, spacing: 'random', seed: round } as const
    await measure({ callers: CONNECTIONS, arrivals, warmupSeconds, seconds: openSeconds })
    for (const callers of CROWDS) await measure(closed(callers))
    found.push(results)
  }

  const lines = names.map((load, index): OverloadLine => {
    const isTwice = index === 1 || index === 2
    return { load, isTwice, ...sumUp(found, index) }
  })
  const shape = { callers: CALLERS, connections: CONNECTIONS, seconds: openSeconds, rounds }
  return { ...shape, lines, ...(await run.close()) }
}

function sumUp(rounds: readonly (readonly LoadResult[])[], index: number) {
  const results = rounds.flatMap(round => round[index] ?? [])
  const of = (value: (result: LoadResult) => number) => summary(results.map(value))
  const saturated = rounds.map(([first]) => first?.perSecond ?? Number.NaN)
  return {
    due: of(result => result.duePerSecond),
    good: of(result => result.perSecond),
    shed: of(result => result.shedPerSecond),
    ratio: summary(results.map((result, round) => result.perSecond / (saturated[round] ?? Number.NaN))),
    served: tailsOf(results.map(({ served }) => served)),
    latency: tailsOf(results.map(({ latency }) => latency)),
    unsent: results.reduce((total, { unsent }) => total + unsent, 0),
  }
}
