import { randomUUID } from 'node:crypto'
import { formatUsdc, type Usdc, usdc } from '@farebox/money'
import pg from 'pg'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { openAccount } from './account.ts'
import { createApi } from './api.ts'
import { type BooksCheck, checkBooks, readBalances } from './books.ts'
import type { BenchGateway } from './gateway.ts'
import { type HistorySize, writeHistory } from './history.ts'
import { type Market, openMarket } from './market.ts'
import type { Options } from './options.ts'
import { type Summary, summary } from './verdict.ts'
import type { LoadWorker, ReadWorker, ServingWorker } from './workers.ts'

/** Callers of the paid calls, and of the pages. */
const CALLERS = 256
const READERS = 16
/** Pages of each kind that the readers go through, from all over the history. */
const PAGES = 200
/** More calls per second than any gateway here will serve: deposits must outlast the run. */
const CALLS_PER_SECOND_MAX = 25_000
const ROUND_SLACK_SECONDS = 2
/** Deposits of the spread load, which is not perfectly even, over an even share. */
const UNEVENNESS = 3n
const ERRORS_SHOWN_MAX = 5

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
  readonly lines: readonly LifeLine[]
  readonly pages: readonly PageLine[]
  readonly books: BooksCheck
  readonly errors: number
  readonly errorSamples: readonly string[]
}

/** Whether the money was right and every answer good. */
export const isLifeSound = ({ books, errors }: LifeFigures): boolean => books.isExact && errors === 0

/**
 * Measures paid calls on a gateway with a history beside an empty one, in turn, and then pages of that history. Both
 * gateways run all the time, so that what they do by themselves meets both alike.
 */
export async function measureLongLife(
  options: Options,
  on: {
    young: BenchGateway
    old: BenchGateway
    upstream: ServingWorker
    load: LoadWorker
    reads: ReadWorker
    size: HistorySize
    say: (line: string) => void
  },
): Promise<LifeFigures> {
  const { young, old, upstream, load, reads, size, say } = on
  const busy = privateKeyToAccount(generatePrivateKey())
  await writeHistory(await old.databaseUrl(), size, busy.address)
  say('Setting up owners, deposits and credentials on both ...')
  const markets = {
    young: await marketOf(options, { gateway: young, upstream }),
    old: await marketOf(options, { gateway: old, upstream }),
  }
  const before = await readBalances(markets.old)
  const account = openAccount(markets.old)
  const errorSamples: string[] = []
  let errors = 0

  const callsOf = async (which: 'young' | 'old', name: LifeLine['load'], warmupSeconds: number) => {
    const targets = name === 'one owner' ? markets[which].hot : markets[which].spread
    const result = await load.run({
      ...{ origin: (which === 'young' ? young : old).url, path: '/api/v1/agent/invoke', isPaid: true },
      ...{ targets, callers: CALLERS, price: formatUsdc(options.price), script: null },
      ...{ keyPrefix: randomUUID(), warmupSeconds, seconds: options.seconds },
    })
    errors += result.errors
    errorSamples.push(...result.errorSamples)
    for (const [index, calls] of result.goodByTarget.entries()) {
      const target = targets[index]
      if (which === 'old' && target !== undefined) account.pay(target, options.price, calls)
    }
    return result.perSecond
  }

  const lines: LifeLine[] = []
  const loads: LifeLine['load'][] = options.owners === 0 ? ['one owner'] : ['one owner', 'many owners']
  for (const name of loads) {
    const rounds: { young: number; old: number }[] = []
    for (let round = 0; round < options.rounds; round += 1) {
      const warmup = round === 0 ? options.warmupSeconds : 0.5
      const found = { young: await callsOf('young', name, warmup), old: await callsOf('old', name, warmup) }
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

  const token = await createApi(old.url).signIn(busy)
  const pages: PageLine[] = []
  for (const [page, paths] of Object.entries(pagesOf(size))) {
    const headers = ['authorization', `Bearer ${token}`]
    const requests = paths.map(path => ({ method: 'GET' as const, path, headers, body: null }))
    const result = await reads.run({
      ...{ origin: old.url, callers: READERS, requests },
      ...{ warmupSeconds: 1, seconds: options.seconds },
    })
    errors += result.errors
    errorSamples.push(...result.errorSamples)
    pages.push({ page, perSecond: result.perSecond, p50Ms: result.latency.p50, p99Ms: result.latency.p99 })
    say(`${page}: p50 ${result.latency.p50.toFixed(1)} ms, p99 ${result.latency.p99.toFixed(1)} ms`)
  }

  say('Checking the books, against the gateway’s next reconciliation too ...')
  const books = await checkBooks(markets.old, { before, due: account.due(null) })
  return {
    ...{ size, callers: CALLERS, readers: READERS, databaseMiB: await databaseMiB(old) },
    ...{ lines, pages, books, errors, errorSamples: errorSamples.slice(0, ERRORS_SHOWN_MAX) },
  }
}

async function marketOf(
  options: Options,
  { gateway, upstream }: { gateway: BenchGateway; upstream: ServingWorker },
): Promise<Market> {
  const { owners, price } = options
  const deposit = costOfRun(options)
  return openMarket({
    ...{ gatewayUrl: gateway.url, upstreamUrl: upstream.url, owners, price, hotDeposit: deposit },
    spreadDeposit: owners === 0 ? deposit : usdc((deposit * UNEVENNESS) / BigInt(owners)),
    databaseUrl: await gateway.databaseUrl(),
  })
}

/** More than the calls of one load can cost, whatever the machine. */
function costOfRun({ rounds, seconds, warmupSeconds, price }: Options): Usdc {
  const loadSeconds = warmupSeconds + rounds * (seconds + ROUND_SLACK_SECONDS)
  return usdc(BigInt(Math.ceil(loadSeconds * CALLS_PER_SECOND_MAX)) * price)
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

async function databaseMiB(gateway: BenchGateway): Promise<number> {
  const client = new pg.Client({ connectionString: await gateway.databaseUrl() })
  await client.connect()
  try {
    const { rows } = await client.query<{ mib: number }>(
      'select round(pg_database_size(current_database()) / 1048576.0)::int as mib',
    )
    return rows[0]?.mib ?? 0
  } finally {
    await client.end()
  }
}
