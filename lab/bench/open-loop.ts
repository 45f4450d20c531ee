import type { LoadResult, Tail } from './messages.ts'
import { openPaidRun, type PartOn, type Soundness } from './open-loop-run.ts'
import type { Options } from './options.ts'
import { type Summary, summary } from './summary.ts'
import type { ServingWorker } from './workers.ts'

/** Callers of the closed loop that finds the maximum; an open loop has as many connections. */
const CALLERS = 256
/** Shares of the maximum that arrive, of the gateway and of the control. */
const SHARES = { gateway: [0.5, 0.25, 0.75], control: [0.5] } as const
/** The share that a bar is held to. */
export const BAR_SHARE = 0.5

/** Rounds of a tail. */
export type TailSummary = Readonly<Record<keyof Tail, Summary>>

/** What an open loop at a share of the maximum came to. Rates per second, latencies in ms. */
export type OpenLine = {
  readonly contestant: 'gateway' | 'control'
  readonly share: number
  /** What the closed loop came to in the same round. */
  readonly maximum: Summary
  readonly due: Summary
  readonly good: Summary
  readonly shed: Summary
  /** From when a call was due. */
  readonly latency: TailSummary
  /** From when it was sent: the difference to {@link OpenLine.latency} is the wait at the caller. */
  readonly served: TailSummary
  /** Calls of all rounds that were never sent. */
  readonly unsent: number
}

/** Latency under arrivals that do not wait for answers. */
export type OpenFigures = Soundness & {
  readonly callers: number
  readonly seconds: number
  readonly rounds: number
  readonly lines: readonly OpenLine[]
}

/**
 * Measures latency at shares of the maximum, of the gateway and of the control. Each round first finds the maximum of
 * that round in a closed loop, and then has arrivals at random times, counted from when they were due.
 */
export async function measureOpen(
  options: Options,
  on: PartOn & { control: ServingWorker },
): Promise<OpenFigures> {
  const { rounds, seconds, openSeconds, warmupSeconds } = options
  const closed = { callers: CALLERS, warmupSeconds, seconds }
  const open = { callers: CALLERS, warmupSeconds, seconds: openSeconds }
  const run = await openPaidRun(options, on)

  const found: { contestant: OpenLine['contestant']; share: number; maximum: number; result: LoadResult }[] =
    []
  for (let round = 0; round < rounds; round += 1) {
    for (const contestant of ['control', 'gateway'] as const) {
      const load = (shape: Parameters<typeof run.pay>[2]) =>
        contestant === 'gateway' ? run.pay(on.load, run.spread, shape) : run.free(on.load, on.control, shape)
      const maximum = (await load(closed)).perSecond
      on.say(`round ${round + 1}: ${contestant} at most ${Math.round(maximum)}/s`)
      for (const share of SHARES[contestant]) {
        const arrivals = { perSecond: maximum * share, spacing: 'random', seed: round } as const
        const result = await load({ ...open, arrivals })
        found.push({ contestant, share, maximum, result })
        on.say(`round ${round + 1}: ${contestant} at ${share * 100} %: ${reported(result)}`)
      }
    }
  }
  const shares = [
    ...SHARES.control.map(share => ({ contestant: 'control', share }) as const),
    ...SHARES.gateway.toSorted().map(share => ({ contestant: 'gateway', share }) as const),
  ]
  const lines = shares.map(({ contestant, share }): OpenLine => {
    const of = found.filter(one => one.contestant === contestant && one.share === share)
    return { contestant, share, maximum: summary(of.map(one => one.maximum)), ...sumUp(of) }
  })
  return { callers: CALLERS, seconds: openSeconds, rounds, lines, ...(await run.close()) }
}

function sumUp(rounds: readonly { readonly result: LoadResult }[]) {
  const results = rounds.map(({ result }) => result)
  const of = (value: (result: LoadResult) => number) => summary(results.map(value))
  return {
    due: of(result => result.duePerSecond),
    good: of(result => result.perSecond),
    shed: of(result => result.shedPerSecond),
    latency: tailsOf(results.map(({ latency }) => latency)),
    served: tailsOf(results.map(({ served }) => served)),
    unsent: results.reduce((total, { unsent }) => total + unsent, 0),
  }
}

/** Rounds in one figure, percentile by percentile. */
export function tailsOf(tails: readonly Tail[]): TailSummary {
  const of = (which: keyof Tail) => summary(tails.map(tail => tail[which]))
  return { p50: of('p50'), p99: of('p99'), p999: of('p999'), max: of('max') }
}

/** A round in a line, while the bench runs. */
export function reported({ perSecond, shedPerSecond, latency, errors }: LoadResult): string {
  return (
    `${Math.round(perSecond)}/s good, ${Math.round(shedPerSecond)}/s shed, ` +
    `p50 ${latency.p50.toFixed(1)} ms, p99 ${latency.p99.toFixed(1)} ms${errors > 0 ? `, ${errors} ERRORS` : ''}`
  )
}
