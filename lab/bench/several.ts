import { ledgerPartitionOf } from '@farebox/wire/partition'
import { microsPer } from './measure.ts'
import type { LoadResult } from './messages.ts'
import { readMetrics } from './metrics.ts'
import { reported } from './open-loop.ts'
import { isPartSound, openPaidRun, soundnessFindings } from './open-loop-run.ts'
import type { Options } from './options.ts'
import type { PartResult } from './part.ts'
import { type ProcessorSeconds, withProcessorSeconds } from './process-times.ts'
import type { BenchGateway } from './site.ts'
import { summary } from './summary.ts'
import { withSpread } from './table.ts'
import { BUSY_CALLERS } from './verdict.ts'
import type { LoadWorker, ServingWorker } from './workers.ts'

/** Most gateways at once. */
export const GATEWAYS_MAX = 4
/** How calls come to gateways. */
const SHAPES = [
  { gateways: 1, isByPartition: false },
  { gateways: 2, isByPartition: false },
  { gateways: 4, isByPartition: false },
  { gateways: 2, isByPartition: true },
  { gateways: 4, isByPartition: true },
] as const
const RAMP_SECONDS = 1

/** What the gateways' metrics say of their appends; null where they say nothing. */
type Appends = { readonly batches: number; readonly locked: number; readonly conflicts: number } | null

type SeveralRound = LoadResult & { readonly micros: ProcessorSeconds; readonly appends: Appends }

/**
 * Measures many owners' calls through one, two and four gateways of one database, in turn, with each caller at one
 * gateway whoever's calls it makes ("at random"), and with each owner's calls at the gateway of its partition. All
 * gateways run all the time.
 */
export async function measureSeveral(
  options: Options,
  on: {
    gateways: readonly BenchGateway[]
    upstream: ServingWorker
    load: LoadWorker
    say: (line: string) => void
  },
): Promise<PartResult> {
  const { gateways, upstream, load, say } = on
  const [first] = gateways
  if (first === undefined) throw new Error('There are no gateways.')
  const run = await openPaidRun(options, { gateway: first, upstream, say })
  const targets = run.spread.map(target => ({
    ...target,
    partition: ledgerPartitionOf(first.owners.addresses[target.owner] ?? ''),
  }))
  const play = async (shape: (typeof SHAPES)[number], warmupSeconds: number): Promise<SeveralRound> => {
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
    say(`${nameOf(shape)}: ${reported(result)}`)
    return {
      ...result,
      micros: microsPer(result, seconds),
      appends: between(before, await readAppends(some)),
    }
  }

  const rounds: SeveralRound[][] = SHAPES.map(() => [])
  for (const shape of [SHAPES[0], SHAPES[2]]) await play(shape, options.warmupSeconds)
  for (let round = 0; round < options.rounds; round += 1) {
    for (const [index, shape] of SHAPES.entries()) rounds[index]?.push(await play(shape, RAMP_SECONDS))
  }
  const soundness = await run.close()
  const [one = [], two = []] = rounds
  return {
    figures: { ...soundness, shapes: SHAPES.map((shape, index) => ({ ...shape, rounds: rounds[index] })) },
    sections: [sectionOf(rounds)],
    bars: [],
    findings: soundnessFindings(soundness, 'several gateways'),
    reached: { twoGateways: ratioOf(two, one) },
    isSound: isPartSound(soundness),
  }
}

const nameOf = ({ gateways, isByPartition }: (typeof SHAPES)[number]): string =>
  gateways === 1 ? '1 gateway' : `${gateways} gateways, ${isByPartition ? 'by partition' : 'at random'}`

const ratioOf = (above: readonly SeveralRound[], below: readonly SeveralRound[]) =>
  summary(above.map(({ perSecond }, round) => perSecond / (below[round]?.perSecond ?? Number.NaN)))

function sectionOf(rounds: readonly (readonly SeveralRound[])[]) {
  const rows = SHAPES.map((shape, index) => {
    const of = rounds[index] ?? []
    const figure = (value: (round: SeveralRound) => number) => summary(of.map(value))
    const appends = of.flatMap(({ appends }) => appends ?? [])
    const perBatch = (count: 'locked' | 'conflicts') =>
      appends.length === 0 ? '-' : summary(appends.map(one => one[count] / one.batches)).median.toFixed(2)
    return [
      ...[
        nameOf(shape),
        withSpread(
          figure(({ perSecond }) => perSecond),
          0,
        ),
      ],
      withSpread(ratioOf(of, rounds[0] ?? []), 2),
      ...[figure(({ micros }) => micros.servers), figure(({ micros }) => micros.database)].map(({ median }) =>
        median.toFixed(0),
      ),
      ...[figure(({ latency }) => latency.p50), figure(({ latency }) => latency.p99)].map(({ median }) =>
        median.toFixed(1),
      ),
      ...[perBatch('conflicts'), perBatch('locked')],
    ]
  })
  return {
    title: 'Several gateways on one database',
    table: [
      [
        ...[
          'gateways',
          'calls/s (rounds)',
          '÷ one gateway (rounds)',
          'gateways, us a call',
          'PostgreSQL, us a call',
        ],
        ...['p50 ms', 'p99 ms', 'conflicts a batch', 'locked batches'],
      ],
      ...rows,
    ],
    notes: [
      `${BUSY_CALLERS} callers in all, many owners. At random, a caller keeps to one gateway, whoever's call it makes; by ` +
        'partition, an owner does.',
    ],
  }
}

/** How many batches gateways have appended so far, and how often they met another's, by their metrics; null: none told. */
export function appendsIn(metrics: readonly string[]): Appends {
  const sum = (metric: string): number | null => {
    const line = new RegExp(`^${metric}(?:\\{[^}]*\\})? (\\S+)$`, 'gm')
    const values = metrics.flatMap(text => [...text.matchAll(line)].map(([, value]) => Number(value)))
    return values.length === 0 ? null : values.reduce((total, value) => total + value, 0)
  }
  const batches = sum('farebox_ledger_batches_total')
  if (batches === null) return null
  const locked = sum('farebox_ledger_batches_total\\{how="locked"\\}') ?? 0
  return { batches, locked, conflicts: sum('farebox_ledger_conflicts_total') ?? 0 }
}

const readAppends = async (gateways: readonly BenchGateway[]): Promise<Appends> =>
  appendsIn(await Promise.all(gateways.map(readMetrics)))

const between = (before: Appends, after: Appends): Appends =>
  before &&
  after && {
    batches: after.batches - before.batches,
    locked: after.locked - before.locked,
    conflicts: after.conflicts - before.conflicts,
  }
