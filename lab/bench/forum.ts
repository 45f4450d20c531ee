import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { formatUsdc } from '@farebox/money'
import { inDatabase } from './in-database.ts'
import { openMarket } from './market.ts'
import type { Percentiles } from './messages.ts'
import { readJobRuns } from './metrics.ts'
import type { Options } from './options.ts'
import type { BenchGateway } from './site.ts'
import type { LoadWorker, ServingWorker } from './workers.ts'

const TOPICS = 30_000
const SEARCHERS = 40
/** Each of the two loads, in seconds: long enough for a few runs of every job that is watched. */
const SECONDS = 40
const WARMUP_SECONDS = 3
const LOOK_EVERY_MS = 100
const TIMEOUT_MS = 30_000
/** Words of titles, two of them in each besides its number; and how they are misspelt. */
const WORDS = [
  'webhook',
  'deliveries',
  'signatures',
  'withdrawal',
  'credential',
  'provider',
  'timeouts',
  'discovery',
]
const MISSPELT = [
  'webhok delivries',
  'sigantures',
  'withdrawl credental',
  'provder timeuots',
  'dicsovery webhok',
]

/** Settings of the gateway: each search comes from another client. */
export const FORUM_SETTINGS = { TRUST_PROXY: '1' }

/** Jobs that may not wait for searches. */
const JOBS = ['keep-lease', 'follow-vault', 'seal-entries'] as const

/** Paid calls of one caller, and the jobs meanwhile. */
export type ForumLoad = {
  readonly name: 'alone' | 'beside searches'
  readonly calls: Percentiles & { readonly perSecond: number }
  /** Longest time between the ends of two runs, in ms, and runs, by job. */
  readonly jobs: readonly { readonly name: string; readonly runs: number; readonly longestMs: number }[]
  /** Answers to searches by their status. */
  readonly searches: Readonly<Record<string, number>>
}

/** Figures of misspelt searches of a large forum, beside paid calls. */
export type ForumFigures = {
  readonly topics: number
  readonly searchers: number
  readonly seconds: number
  readonly loads: readonly ForumLoad[]
  readonly errors: readonly string[]
}

/** Measures what misspelt searches of the forum do to who pays, and to the jobs that guard money. */
export async function measureForum(
  options: Options,
  on: { gateway: BenchGateway; upstream: ServingWorker; load: LoadWorker; say: (line: string) => void },
): Promise<ForumFigures> {
  const { gateway, upstream, load, say } = on
  const { price } = options
  await writeTopics(gateway.databaseUrl)
  const market = await openMarket({ gateway, upstreamUrl: upstream.url, price })
  const errors: string[] = []
  const loads: ForumLoad[] = []
  for (const name of ['alone', 'beside searches'] as const) {
    const over = new AbortController()
    const [jobs, searches] = [watchJobs(gateway, over.signal), new Map<string, number>()]
    const searchers = name === 'alone' ? 0 : SEARCHERS
    const searching = Array.from({ length: searchers }, (_, seat) =>
      searchOn(gateway.url, { seat, signal: over.signal, answers: searches }),
    )
    const result = await load
      .run({
        origin: gateway.url,
        path: '/api/v1/agent/invoke',
        isPaid: true,
        callers: 1,
        script: null,
        targets: market.hot,
        price: formatUsdc(price),
        keyPrefix: randomUUID(),
        warmupSeconds: WARMUP_SECONDS,
        seconds: SECONDS,
      })
      .finally(() => over.abort())
    await Promise.all(searching)
    errors.push(...result.errorSamples)
    const calls = { ...result.latency, perSecond: result.perSecond }
    loads.push({ name, calls, jobs: await jobs, searches: Object.fromEntries(searches) })
    say(`${name}: p50 ${calls.p50.toFixed(1)} ms, p99 ${calls.p99.toFixed(1)} ms`)
  }
  return { topics: TOPICS, searchers: SEARCHERS, seconds: SECONDS, loads, errors }
}

/** Topics of nobody, each with words that are misspelt in the searches. */
function writeTopics(databaseUrl: string): Promise<unknown> {
  return inDatabase(databaseUrl, async client => {
    await client.query(
      `insert into forum_topics (id, category, title, body)
       select 'top_bench' || lpad(n::text, 17, '0'), 'general',
         words[1 + n % 8] || ' ' || words[1 + (n / 8) % 8] || ' question ' || md5(n::text),
         'How is this done? ' || md5(n::text)
       from generate_series(1, $1::int) as n, (select $2::text[] as words) as w`,
      [TOPICS, WORDS],
    )
    await client.query('vacuum analyze forum_topics')
  })
}

/** Searches again and again, each time as another client; counts the answers by their status. */
async function searchOn(
  url: string,
  { seat, signal, answers }: { seat: number; signal: AbortSignal; answers: Map<string, number> },
): Promise<void> {
  for (let turn = 0; !signal.aborted; turn += 1) {
    const query = `${MISSPELT[(seat + turn) % MISSPELT.length]} ${seat}`
    const headers = { 'x-forwarded-for': `10.${seat}.${(turn >> 8) % 256}.${turn % 256}` }
    const status = await fetch(`${url}/api/v1/forum/topics?q=${encodeURIComponent(query)}`, {
      headers,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).then(
      async answer => {
        await answer.arrayBuffer()
        return String(answer.status)
      },
      () => 'none',
    )
    answers.set(status, (answers.get(status) ?? 0) + 1)
  }
}

/** Looks at when the jobs were done last, until told to stop; what has not run at the end is waited for in the figures. */
async function watchJobs(gateway: BenchGateway, signal: AbortSignal): Promise<ForumLoad['jobs']> {
  const seen = new Map<string, { at: number; first: number; runs: number; longestMs: number }>()
  const look = async () => {
    for (const [name, { doneAtMs: at, runs }] of await readJobRuns(gateway)) {
      const { at: before, first, longestMs } = seen.get(name) ?? { at, first: runs, longestMs: 0 }
      seen.set(name, { at, first, runs, longestMs: Math.max(longestMs, at - before) })
    }
  }
  await look()
  while (!signal.aborted) {
    await pause(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined)
    await look()
  }
  const now = Date.now()
  return JOBS.map(name => {
    const found = seen.get(name)
    if (found === undefined) throw new Error(`The job ${name} is not among the metrics.`)
    const longestMs = Math.max(found.longestMs, now - found.at)
    return { name, runs: found.runs - found.first, longestMs }
  })
}
