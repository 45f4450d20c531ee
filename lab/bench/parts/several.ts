import { ledgerPartitionOf } from '@farebox/wire/partition'
import { type ProcessorSeconds, withProcessorSeconds } from '../../kit/proc.ts'
import type { SiteGateway } from '../../kit/site.ts'
import { summary, withSpread } from '../../kit/tables.ts'
import { microsPer, reported } from '../contestants/measure.ts'
import { BUSY_CALLERS } from '../contestants/verdict.ts'
import { findingsOf, isSound, openPaidRun } from '../market/paid-run.ts'
import type { Options } from '../options.ts'
import type { PartResult, Section, Stage } from '../part.ts'
import type { LoadResult } from '../workers/messages.ts'
import { startLoad, startProvider } from '../workers/workers.ts'

/** Most gateways at once. */
const GATEWAYS_MAX = 4
/** Numbers of gateways, and the routing of calls to them. */
const SHAPES = [
  { gateways: 1, isByPartition: false },
  { gateways: 2, isByPartition: false },
  { gateways: 4, isByPartition: false },
  { gateways: 2, isByPartition: true },
  { gateways: 4, isByPartition: true },
] as const
type Shape = (typeof SHAPES)[number]
const RAMP_SECONDS = 1

/** Batches that gateways have appended, and how often they met another's; null where the metrics have none. */
type Appends = { readonly batches: number; readonly locked: number; readonly conflicts: number } | null

type SeveralRound = LoadResult & { readonly micros: ProcessorSeconds; readonly appends: Appends }

/**
 * Measures many owners' calls through one, two and four gateways of one database, in turn: with each caller at one
 * gateway whoever's calls it makes ("at random"), and with each owner's calls at the gateway of its partition. All
 * gateways run all the time.
 */
export async function runSeveral(options: Options, stage: Stage): Promise<PartResult> {
  const provider = stage.stopLater(await startProvider())
  const load = stage.stopLater(startLoad())
  const place = await (await stage.openSite()).prepare({ owners: options.owners })
  const first = stage.stopLater(await place.start())
  const gateways = [first]
  while (gateways.length < GATEWAYS_MAX) gateways.push(stage.stopLater(await place.start()))
  const run = await openPaidRun(options, { gateway: first, provider, say: stage.say })
  const targets = run.spread.map(target => ({
    ...target,
    partition: ledgerPartitionOf(first.owners.addresses[target.owner] ?? ''),
  }))
  const play = async (shape: Shape, warmupSeconds: number): Promise<SeveralRound> => {
    const some = gateways.slice(0, shape.gateways)
    const of = { servers: some.map(({ pid }) => pid), postmaster: first.postmaster }
    const before = await readAppends(some)
    const { result, seconds } = await withProcessorSeconds(of, () =>
      run.pay(load, targets, {
        callers: BUSY_CALLERS,
        warmupSeconds,
        seconds: options.seconds,
        moreOrigins: some.slice(1).map(({ url }) => url),
        isByPartition: shape.isByPartition,
      }),
    )
    const round = { ...result, micros: microsPer(result, seconds) }
    stage.say(`${nameOf(shape)}: ${reported(round)}`)
    return { ...round, appends: between(before, await readAppends(some)) }
  }

  const rounds: SeveralRound[][] = SHAPES.map(() => [])
  for (const shape of [SHAPES[0], SHAPES[2]]) await play(shape, options.warmupSeconds)
  for (let round = 0; round < options.rounds; round += 1) {
    for (const [index, shape] of SHAPES.entries()) rounds[index]?.push(await play(shape, RAMP_SECONDS))
  }
  const soundness = await run.close()
  const [one = [], two = []] = rounds
  return {
    sections: [sectionOf(rounds)],
    findings: findingsOf(soundness, 'several gateways'),
    reached: { twoGateways: ratioOf(two, one) },
    isSound: isSound(soundness),
  }
}

const nameOf = ({ gateways, isByPartition }: Shape): string =>
  gateways === 1 ? '1 gateway' : `${gateways} gateways, ${isByPartition ? 'by partition' : 'at random'}`

const ratioOf = (above: readonly SeveralRound[], below: readonly SeveralRound[]) =>
  summary(above.map(({ perSecond }, round) => perSecond / (below[round]?.perSecond ?? Number.NaN)))

function sectionOf(rounds: readonly (readonly SeveralRound[])[]): Section {
  const [one = []] = rounds
  const rows = SHAPES.map((shape, index) => {
    const of = rounds[index] ?? []
    const figure = (value: (round: SeveralRound) => number) => summary(of.map(value))
    const median = (digits: number, value: (round: SeveralRound) => number) =>
      figure(value).median.toFixed(digits)
    const appends = of.flatMap(round => round.appends ?? [])
    const perBatch = (count: 'locked' | 'conflicts') =>
      appends.length === 0 ? '-' : summary(appends.map(each => each[count] / each.batches)).median.toFixed(2)
    const rate = figure(({ perSecond }) => perSecond)
    return [
      ...[nameOf(shape), withSpread(rate, 0), withSpread(ratioOf(of, one), 2)],
      ...[median(0, ({ micros }) => micros.servers), median(0, ({ micros }) => micros.database)],
      ...[median(1, ({ latency }) => latency.p50), median(1, ({ latency }) => latency.p99)],
      ...[perBatch('conflicts'), perBatch('locked')],
    ]
  })
  const heading = [
    ...['gateways', 'calls/s (rounds)', '÷ one gateway (rounds)', 'gateways, us a call'],
    ...['PostgreSQL, us a call', 'p50 ms', 'p99 ms', 'conflicts a batch', 'locked batches'],
  ]
  const note =
    `${BUSY_CALLERS} callers in all, many owners. At random, a caller keeps to one gateway, whoever's call it makes; ` +
    'by partition, an owner does.'
  return { title: 'Several gateways on one database', table: [heading, ...rows], notes: [note] }
}

/** Sums up the batches of all gateways by their metrics; null where none has them. */
export function appendsIn(metrics: readonly string[]): Appends {
  const sum = (metric: string): number | null => {
    const line = new RegExp(`^${metric}(?:\\{[^}]*\\})? (\\S+)$`, 'gm')
    const values = metrics.flatMap(text => Array.from(text.matchAll(line), ([, value]) => Number(value)))
    return values.length === 0 ? null : values.reduce((total, value) => total + value, 0)
  }
  const batches = sum('farebox_ledger_batches_total')
  if (batches === null) return null
  const locked = sum('farebox_ledger_batches_total\\{how="locked"\\}') ?? 0
  return { batches, locked, conflicts: sum('farebox_ledger_conflicts_total') ?? 0 }
}

async function readAppends(gateways: readonly SiteGateway[]): Promise<Appends> {
  const read = async ({ url, metricsToken }: SiteGateway) => {
    const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${metricsToken}` } })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`GET /metrics: ${answer.status} ${text.slice(0, 200)}`)
    return text
  }
  return appendsIn(await Promise.all(gateways.map(read)))
}

const between = (before: Appends, after: Appends): Appends =>
  before &&
  after && {
    batches: after.batches - before.batches,
    locked: after.locked - before.locked,
    conflicts: after.conflicts - before.conflicts,
  }
