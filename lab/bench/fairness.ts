import type { LoadResult, Tail } from './messages.ts'
import { reported } from './open-loop.ts'
import { type Load, openPaidRun, type PaidRun, type PartOn, type Soundness } from './open-loop-run.ts'
import type { Options } from './options.ts'
import { type Summary, summary } from './summary.ts'
import { createLatencies } from './workers/latencies.ts'
import type { LoadWorker } from './workers.ts'

/** Calls per second of the one who is measured: far below what anybody could mind. */
const PER_SECOND = 50
/** His connections: more than he has calls under way, unless he is kept waiting. */
const CONNECTIONS = 32
/** Owners, however many other parts have: more than callers. */
export const FAIRNESS_OWNERS = 500
/** Callers of the background, which saturates the gateway, whoever they belong to. */
const CALLERS = 256
/** The background is there longer than he is, in seconds. */
const OVERLAP_SECONDS = 0.5

/** What goes on beside him. */
const SURROUNDINGS = ['nobody else', 'many owners', 'one hot owner'] as const
type Surrounding = (typeof SURROUNDINGS)[number]

/** What one owner at a low rate finds beside others. */
export type FairnessLine = {
  readonly surrounding: Surrounding
  /** Good answers of the others, per second. */
  readonly background: Summary | null
  /** Sheds of the others, per second. */
  readonly backgroundShed: Summary | null
  /** His calls that were answered well, and those that were shed or never sent, of all rounds. */
  readonly good: number
  readonly refused: number
  /** Of his good calls of all rounds together, from when they were due, in ms. */
  readonly latency: Tail
  /** His 99th percentile, round by round. */
  readonly p99Ms: Summary
}

/** How much of an owner's latency is whose. */
export type FairnessFigures = Soundness & {
  readonly perSecond: number
  readonly callers: number
  readonly owners: number
  readonly seconds: number
  readonly rounds: number
  readonly lines: readonly FairnessLine[]
  /** His 99th percentile beside one hot owner by that beside many owners with as many callers, over all rounds. */
  readonly ratio: number
}

/** One load beside its background. */
type Sight = { readonly his: LoadResult; readonly others: LoadResult | null }

/**
 * Measures one owner, whose calls come at a low rate, in turn on an idle gateway, beside a load of many owners that
 * saturates it, and beside the same load of one owner. His calls come from a process of their own. Nobody shares his
 * service: what is measured is what other owners do to him, not other callers of his provider.
 */
export async function measureFairness(
  options: Options,
  on: PartOn & { victim: LoadWorker },
): Promise<FairnessFigures> {
  const { rounds, openSeconds, warmupSeconds } = options
  const run = await openPaidRun(options, on)

  const sights: Record<Surrounding, Sight[]> = { 'nobody else': [], 'many owners': [], 'one hot owner': [] }
  for (let round = 0; round < rounds; round += 1) {
    // What drifts in a round, drifts against the one and against the other.
    for (const surrounding of round % 2 === 0 ? SURROUNDINGS : SURROUNDINGS.toReversed()) {
      const times = { warmupSeconds, seconds: openSeconds }
      const sight = await look(run, on, { surrounding, ...times, seed: round })
      sights[surrounding].push(sight)
      on.say(`round ${round + 1}: one owner beside ${surrounding}: ${reported(sight.his)}`)
      if (sight.others !== null) on.say(`  ${surrounding}: ${reported(sight.others)}`)
    }
  }
  const lines = SURROUNDINGS.map(surrounding => lineOf(surrounding, sights[surrounding], openSeconds))
  const p99Of = (name: Surrounding) =>
    lines.find(({ surrounding }) => surrounding === name)?.latency.p99 ?? Number.NaN
  return {
    perSecond: PER_SECOND,
    callers: CALLERS,
    owners: run.spread.length - 1,
    seconds: openSeconds,
    rounds,
    lines,
    ratio: p99Of('one hot owner') / p99Of('many owners'),
    ...(await run.close()),
  }
}

async function look(
  run: PaidRun,
  { load, victim }: { load: LoadWorker; victim: LoadWorker },
  on: { surrounding: Surrounding; warmupSeconds: number; seconds: number; seed: number },
): Promise<Sight> {
  const { surrounding, warmupSeconds, seconds, seed } = on
  const [he] = run.spread
  if (he === undefined) throw new Error('The market has no owners.')
  const others = {
    'nobody else': [],
    'many owners': run.spread.filter(({ service }) => service !== he.service),
    'one hot owner': run.market.hot,
  }[surrounding]
  const crowd: Load = { callers: CALLERS, warmupSeconds, seconds: seconds + OVERLAP_SECONDS }
  const arrivals = { perSecond: PER_SECOND, spacing: 'random', seed } as const
  const alone: Load = { callers: CONNECTIONS, arrivals, warmupSeconds, seconds, returnsEach: true }
  const [his, theirs] = await Promise.all([
    run.pay(victim, [he], alone),
    others.length === 0 ? null : run.pay(load, others, crowd),
  ])
  return { his, others: theirs }
}

function lineOf(surrounding: Surrounding, sights: readonly Sight[], seconds: number): FairnessLine {
  const together = createLatencies()
  for (const { his } of sights) for (const ms of his.each ?? []) together.add(ms)
  const others = sights.flatMap(sight => sight.others ?? [])
  const count = (value: (his: LoadResult) => number) =>
    sights.reduce((total, { his }) => total + Math.round(value(his)), 0)
  const of = (value: (result: LoadResult) => number) =>
    others.length === 0 ? null : summary(others.map(value))
  return {
    surrounding,
    background: of(result => result.perSecond),
    backgroundShed: of(result => result.shedPerSecond),
    good: count(his => his.perSecond * seconds),
    refused: count(his => his.shedPerSecond * seconds + his.unsent),
    latency: together.tail(),
    p99Ms: summary(sights.map(({ his }) => his.latency.p99)),
  }
}
