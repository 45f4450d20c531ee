import pg from 'pg'
import type { ReadJob } from './messages.ts'
import type { Options } from './options.ts'
import { SERVICES, sequence, vocabularyOf, wordOf, writeServices } from './search-market.ts'
import type { BenchGateway } from './site.ts'
import type { ReadWorker } from './workers.ts'

/** Callers that look for services, all at once. */
const CALLERS = 16
/** Texts that are asked for again and again, and texts that nobody asks for twice. */
const TEXTS_KNOWN = 500
const TEXTS_NEW = 20_000
const REGISTRY_PAGES = 1_000
/** While the market changes, one service does so often, in ms. */
const CHANGE_EVERY_MS = 250
const ERRORS_SHOWN_MAX = 5

/** Latency of one way of looking for services, in ms. */
export type SearchLine = {
  readonly request: string
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** Figures of a gateway whose market is large. */
export type SearchFigures = {
  readonly services: number
  readonly callers: number
  readonly lines: readonly SearchLine[]
  readonly errors: number
  readonly errorSamples: readonly string[]
}

/** Whether every answer was good. */
export const isSearchSound = ({ errors }: SearchFigures): boolean => errors === 0

type Request = ReadJob['requests'][number]

/** Measures discovery, search and registry, each by itself, on a market of {@link SERVICES} services. */
export async function measureSearch(
  options: Options,
  on: { gateway: BenchGateway; reads: ReadWorker; say: (line: string) => void },
): Promise<SearchFigures> {
  const { gateway, reads, say } = on
  await writeServices(gateway.databaseUrl)
  const [credential = ''] = gateway.owners.credentials
  const lines: SearchLine[] = []
  const errorSamples: string[] = []
  let errors = 0

  for (const { request, requests, isChanging } of loadsOf(credential)) {
    const changes = isChanging ? await keepChanging(gateway.databaseUrl) : null
    const { warmupSeconds, seconds } = options
    const job = { origin: gateway.url, callers: CALLERS, requests, warmupSeconds, seconds }
    const result = await reads.run(job).finally(() => changes?.stop())
    errors += result.errors
    errorSamples.push(...result.errorSamples)
    const { p50, p99 } = result.latency
    lines.push({ request, perSecond: result.perSecond, p50Ms: p50, p99Ms: p99 })
    say(`${request}: ${Math.round(result.perSecond)}/s, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`)
  }
  const shown = errorSamples.slice(0, ERRORS_SHOWN_MAX)
  return { services: SERVICES, callers: CALLERS, lines, errors, errorSamples: shown }
}

type Load = { readonly request: string; readonly requests: readonly Request[]; readonly isChanging?: boolean }

function loadsOf(credential: string): Load[] {
  const random = sequence(2)
  const vocabulary = vocabularyOf(sequence(1))
  const text = (words: number) => Array.from({ length: words }, () => wordOf(vocabulary, random)).join(' ')
  const textOf = () => text(1 + Math.floor(random() * 3))
  const get = (path: string): Request => ({ method: 'GET', path, headers: [], body: null })
  const search = (body: object): Request => ({
    method: 'POST',
    path: '/api/v1/agent/discovery/search',
    headers: ['content-type', 'application/json', 'x-credential', credential],
    body: JSON.stringify(body),
  })
  const known = Array.from({ length: TEXTS_KNOWN }, textOf)
  const knownSearches = known.map(query => search({ query }))
  return [
    {
      request: 'discover',
      requests: ['', ...known].map(query =>
        get(`/api/v1/services/discover?search_query=${encodeURIComponent(query)}`),
      ),
    },
    { request: 'search', requests: knownSearches },
    {
      request: 'registry, page by page',
      requests: Array.from({ length: REGISTRY_PAGES }, (_, index) =>
        get(`/marketplace/registry.json?page=${index + 1}`),
      ),
    },
    {
      request: 'registry, by text',
      requests: known.map(query => get(`/marketplace/registry.json?q=${encodeURIComponent(query)}`)),
    },
    { request: 'search, while services change', requests: knownSearches, isChanging: true },
    {
      request: 'search, each text for the first time',
      requests: Array.from({ length: TEXTS_NEW }, () =>
        search({ query: text(2 + Math.floor(random() * 2)) }),
      ),
    },
    {
      request: 'search, each text misspelt for the first time',
      requests: Array.from({ length: TEXTS_NEW }, () => search({ query: misspelt(text(2), random) })),
    },
  ]
}

/** A text with two letters of it swapped. */
function misspelt(text: string, random: () => number): string {
  const at = Math.floor(random() * (text.length - 1))
  return `${text.slice(0, at)}${text[at + 1] ?? ''}${text[at] ?? ''}${text.slice(at + 2)}`
}

/** Has one service after the other change its price. */
async function keepChanging(databaseUrl: string): Promise<{ stop(): Promise<void> }> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  let changes = 0
  let last: Promise<unknown> = Promise.resolve()
  const timer = setInterval(() => {
    changes += 1
    const id = `svc_00000000000000000000${String(changes % SERVICES).padStart(6, '0')}`
    last = client.query('update services set price = price + 1 where id = $1', [id])
    last.catch(() => undefined)
  }, CHANGE_EVERY_MS)
  return {
    async stop() {
      clearInterval(timer)
      await last
      await client.end()
    },
  }
}
