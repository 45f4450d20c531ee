import { inDatabase } from '../../kit/in-database.ts'
import type { SiteGateway } from '../../kit/site.ts'
import { type Summary, summary, withSpread } from '../../kit/tables.ts'
import { type HistorySize, LONG_LIFE, writeHistory } from '../market/history.ts'
import { findingsOf, isSound, openPaidRun } from '../market/paid-run.ts'
import type { Options } from '../options.ts'
import type { PartResult, Section, Stage } from '../part.ts'
import { startLoad, startProvider } from '../workers/workers.ts'

const CALLERS = 256
/** Starts of the old gateway that are timed. */
const STARTS = 3
const RAMP_SECONDS = 0.5
const LOADS = ['one owner', 'many owners'] as const

/** Calls per second on a young gateway and on an old one. */
type Line = {
  readonly load: (typeof LOADS)[number]
  readonly young: Summary
  readonly old: Summary
  /** Old by young, round by round. */
  readonly ratio: Summary
}

/**
 * Measures paid calls on a gateway with a history beside an empty one, in turn, then starts on
 * that history. Both gateways run all the time, so that what they do by themselves meets both alike.
 */
export async function runLife(options: Options, stage: Stage): Promise<PartResult> {
  const { say, stopLater } = stage
  const { owners } = options
  const provider = stopLater(await startProvider())
  const load = stopLater(startLoad())
  const site = await stage.openSite()
  const size = { ...LONG_LIFE, invocations: options.history }
  const young = await stage.startGateway({ owners, site })
  const fill = (databaseUrl: string) => writeHistory(databaseUrl, size)
  const place = await site.prepare({ owners, fill })
  const old = stopLater(await place.start())

  const runs = {
    young: await openPaidRun(options, { gateway: young, provider, say }),
    old: await openPaidRun(options, { gateway: old, provider, say }),
  }
  const lines: Line[] = []
  for (const name of LOADS.slice(0, owners === 0 ? 1 : LOADS.length)) {
    const rounds: { young: number; old: number }[] = []
    for (let round = 0; round < options.rounds; round += 1) {
      const warmupSeconds = round === 0 ? options.warmupSeconds : RAMP_SECONDS
      const play = async ({ market, spread, pay }: (typeof runs)['old']) => {
        const shape = { callers: CALLERS, warmupSeconds, seconds: options.seconds }
        return (await pay(load, name === 'one owner' ? market.hot : spread, shape)).perSecond
      }
      const found = { young: await play(runs.young), old: await play(runs.old) }
      rounds.push(found)
      say(`${name}, round ${round + 1}: young ${Math.round(found.young)}/s, old ${Math.round(found.old)}/s`)
    }
    lines.push({
      load: name,
      young: summary(rounds.map(round => round.young)),
      old: summary(rounds.map(round => round.old)),
      ratio: summary(rounds.map(round => round.old / round.young)),
    })
  }
  const books = { young: await runs.young.close(), old: await runs.old.close() }
  const starts: number[] = []
  for (let last = old; starts.length < STARTS; starts.push(last.readyMs / 1_000)) {
    await last.stop()
    last = stopLater(await place.start())
  }
  const figures = { size, databaseMiB: await sizeOf(old), startSeconds: summary(starts), lines, books }
  const ratioOf = (name: Line['load']) => lines.find(line => line.load === name)?.ratio ?? null
  return {
    sections: sectionsOf(figures),
    reached: {
      oneOwnerWithHistory: ratioOf('one owner'),
      manyOwnersWithHistory: ratioOf('many owners'),
      start: figures.startSeconds,
    },
    findings: [...findingsOf(books.young, 'beside a history'), ...findingsOf(books.old, 'with a history')],
    isSound: isSound(books.young) && isSound(books.old),
  }
}

/** Returns the size of a gateway's database in MiB. */
const sizeOf = ({ databaseUrl }: SiteGateway): Promise<number> =>
  inDatabase(databaseUrl, async client => {
    const { rows } = await client.query<{ bytes: string }>(
      'select pg_database_size(current_database()) as bytes',
    )
    return Math.round(Number(rows[0]?.bytes) / 2 ** 20)
  })

const thousands = (count: number) => count.toLocaleString('en-US')

function sectionsOf(figures: {
  size: HistorySize
  databaseMiB: number
  startSeconds: Summary
  lines: readonly Line[]
}): Section[] {
  const { size, databaseMiB, startSeconds, lines } = figures
  const rows = lines.map(({ load, young, old, ratio }) => {
    return [String(CALLERS), load, withSpread(young, 0), withSpread(old, 0), withSpread(ratio, 3)]
  })
  return [
    {
      title: 'A gateway with a history beside an empty one',
      table: [
        ['callers', 'load', 'empty, calls/s (rounds)', 'with a history, calls/s (rounds)', 'ratio (rounds)'],
        ...rows,
      ],
      notes: [
        `The history: ${thousands(size.invocations)} calls, ${thousands(size.credentials)} credentials and ` +
          `${thousands(size.services)} services, ${thousands(databaseMiB)} MiB of database. Both gateways ran all the ` +
          'time and were called in turn. The one with a history, started again, was ready after ' +
          `${withSpread(startSeconds, 2)} s.`,
      ],
    },
  ]
}
