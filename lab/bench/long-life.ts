import type { LocalAccount } from 'viem/accounts'
import { createApi } from './api.ts'
import type { HistorySize } from './history.ts'
import { inDatabase } from './in-database.ts'
import type { ReadResult } from './messages.ts'
import { isPartSound, openPaidRun, type Soundness } from './open-loop-run.ts'
import type { Options } from './options.ts'
import type { BenchGateway } from './site.ts'
import { type Summary, summary } from './summary.ts'
import type { LoadWorker, ReadWorker, ServingWorker } from './workers.ts'

/** Callers of the paid calls, and of the pages. */
const CALLERS = 256
const READERS = 16
/** Pages of each kind that the readers go through, from all over the history. */
const PAGES = 200
/** Starts of the old gateway that are timed. */
const STARTS = 3
const ERRORS_SHOWN_MAX = 5
const RAMP_SECONDS = 0.5

/** What a load of paid calls came to on a young gateway and on an old one. */
export type LifeLine = {
  readonly load: 'one owner' | 'many owners'
  readonly young: Summary
  readonly old: Summary
  /** Old by young, round by round. */
  readonly ratio: Summary
}

/** Latency of a kind of page, in ms. */
export type PageLine = {
  readonly page: string
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** Figures of a gateway that has lived long beside one that has not. */
export type LifeFigures = {
  readonly size: HistorySize
  readonly callers: number
  readonly readers: number
  readonly databaseMiB: number
  /** From the start of the old gateway's process until it was ready, in seconds. */
  readonly startSeconds: Summary
  readonly lines: readonly LifeLine[]
  readonly pages: readonly PageLine[]
  readonly books: Readonly<Record<'young' | 'old', Soundness>>
  /** Of the pages. */
  readonly errors: number
  readonly errorSamples: readonly string[]
}

/** Whether the money was right and every answer good. */
export const isLifeSound = ({ books, errors }: LifeFigures): boolean =>
  isPartSound(books.young) && isPartSound(books.old) && errors === 0

/** All that takes part. */
export type LifeOn = {
  readonly young: BenchGateway
  readonly old: BenchGateway
  /** The busy owner of the history. */
  readonly busy: LocalAccount
  /** Stops the old gateway and starts it again. */
  restart(): Promise<BenchGateway>
  readonly upstream: ServingWorker
  readonly load: LoadWorker
  readonly reads: ReadWorker
  readonly size: HistorySize
  say(line: string): void
}

/**
 * Measures paid calls on a gateway with a history beside an empty one, in turn, and then pages of that history. Both
 * gateways run all the time, so that what they do by themselves meets both alike.
 */
export async function measureLongLife(options: Options, on: LifeOn): Promise<LifeFigures> {
  const { young, old, upstream, load, size, say } = on
  const runs = {
    young: await openPaidRun(options, { gateway: young, upstream, say }),
    old: await openPaidRun(options, { gateway: old, upstream, say }),
  }
  const perSecond = async (which: 'young' | 'old', name: LifeLine['load'], warmupSeconds: number) => {
    const { market, spread, pay } = runs[which]
    const shape = { callers: CALLERS, warmupSeconds, seconds: options.seconds }
    return (await pay(load, name === 'one owner' ? market.hot : spread, shape)).perSecond
  }
  const lines: LifeLine[] = []
  const loads: LifeLine['load'][] = options.owners === 0 ? ['one owner'] : ['one owner', 'many owners']
  for (const name of loads) {
    const rounds: { young: number; old: number }[] = []
    for (let round = 0; round < options.rounds; round += 1) {
      const warmup = round === 0 ? options.warmupSeconds : RAMP_SECONDS
      const found = {
        young: await perSecond('young', name, warmup),
        old: await perSecond('old', name, warmup),
      }
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
  const { pages, ...wrong } = await readPages(options, on)
  const books = { young: await runs.young.close(), old: await runs.old.close() }
  const starts: number[] = []
  while (starts.length < STARTS) starts.push((await on.restart()).readyMs / 1_000)
  return {
    size,
    callers: CALLERS,
    readers: READERS,
    databaseMiB: await databaseMiB(old),
    startSeconds: summary(starts),
    lines,
    pages,
    ...wrong,
    books,
  }
}

/** Reads pages of the history as the busy owner. */
async function readPages(
  { seconds }: Options,
  { old, busy, reads, size, say }: LifeOn,
): Promise<Pick<LifeFigures, 'pages' | 'errors' | 'errorSamples'>> {
  const token = await createApi(old.url).signIn(busy)
  const headers = ['authorization', `Bearer ${token}`]
  const found: { page: string; result: ReadResult }[] = []
  for (const [page, paths] of Object.entries(pagesOf(size))) {
    const requests = paths.map(path => ({ method: 'GET' as const, path, headers, body: null }))
    const job = { origin: old.url, callers: READERS, requests, warmupSeconds: 1, seconds }
    const result = await reads.run(job)
    found.push({ page, result })
    say(`${page}: p50 ${result.latency.p50.toFixed(1)} ms, p99 ${result.latency.p99.toFixed(1)} ms`)
  }
  return {
    pages: found.map(({ page, result: { perSecond, latency } }) => {
      return { page, perSecond, p50Ms: latency.p50, p99Ms: latency.p99 }
    }),
    errors: found.reduce((sum, { result }) => sum + result.errors, 0),
    errorSamples: found.flatMap(({ result }) => result.errorSamples).slice(0, ERRORS_SHOWN_MAX),
  }
}

/** Paths of pages by kind: the newest, those of all depths, and filtered ones, of the calls and of the ledger. */
function pagesOf(size: HistorySize): Readonly<Record<string, readonly string[]>> {
  const depths = Array.from({ length: PAGES }, (_, index) => index / PAGES)
  const cursor = (key: string) => `cursor=${Buffer.from(key).toString('base64url')}`
  const callAt = (depth: number) =>
    cursor(`inv_00${String(Math.floor(depth * size.invocations)).padStart(24, '0')}`)
  const entryAt = (depth: number) => cursor(String(1 + Math.floor(depth * 2 * size.invocations)))
  const credential = (depth: number) => `cred_00${String(Math.floor(depth * 100)).padStart(24, '0')}`
  const logs = '/api/v1/usage/logs?limit=20'
  return {
    'usage logs, newest': [logs],
    'usage logs, any depth': depths.map(depth => `${logs}&${callAt(depth)}`),
    'usage logs of a credential': depths.map(depth => `${logs}&credentialId=${credential(depth)}`),
    'ledger, newest': ['/api/v1/balance/ledger?limit=20'],
    'ledger, any depth': depths.map(depth => `/api/v1/balance/ledger?limit=20&${entryAt(depth)}`),
  }
}

const databaseMiB = ({ databaseUrl }: BenchGateway): Promise<number> =>
  inDatabase(databaseUrl, async client => {
    const { rows } = await client.query<{ mib: number }>(
      'select round(pg_database_size(current_database()) / 1048576.0)::int as mib',
    )
    return rows[0]?.mib ?? 0
  })
