import { parseArgs } from 'node:util'
import { parseUsdc } from '@farebox/money'
import { type Api, createApi } from './api.ts'
import { type ChainInfo, createDepositor } from './chain.ts'
import { startGateway } from './gateway.ts'
import { inLanes, openOwner } from './market.ts'
import { markdownTable } from './table.ts'
import { type DatabaseState, growthBetween, hotBetween, readState } from './table-growth.ts'

/**
 * `sh scripts/with-node bench/src/growth.ts`: what a paid call leaves on disk for good, by table. Starts a gateway in
 * development mode with its own database, makes paid calls of the sample services through its API, and compares the
 * sizes of the tables before and after each kind, both after a vacuum. Beside it stands what was written to the log of
 * the database, which a backup that follows the log has to carry.
 *
 * Not in it: what is the same however many calls there are, such as probes and checks of the books.
 *
 * Flags: `--calls 5000`.
 */

const FUNDS_USDC = '1000'
const CALLS_MIN = 100
const CALLS_MAX = 1_000_000
/** Calls of each kind that are made before the first is measured: pages that are there already are no growth. */
const WARMUP_CALLS = 50

const question = 'Who pays the ferryman, and what does he charge for the way back?'
const prompt = { messages: [{ role: 'user', content: question }], max_tokens: 100 }

type Kind = { readonly name: string; readonly body: (call: number) => Record<string, unknown> }

/** What agents call: a small API, a model that answers whole, and the same as a stream. */
const KINDS: readonly Kind[] = [
  {
    name: 'fixed price',
    body: call => ({ serviceId: 'echo', costUsdc: '0.010000', payload: { body: { call, question } } }),
  },
  { name: 'model, whole', body: () => ({ serviceId: 'sample-llm', payload: { body: prompt } }) },
  {
    name: 'model, streamed',
    body: () => ({ serviceId: 'sample-llm', payload: { body: { ...prompt, stream: true } } }),
  },
]

/** Growth by one kind of call. */
type Found = { readonly kind: Kind; readonly before: DatabaseState; readonly after: DatabaseState }

const say = (line: string) => void process.stdout.write(`${line}\n`)

/** One paid call, read to its end. */
async function callOnce(url: string, credential: string, body: Record<string, unknown>): Promise<void> {
  const answer = await fetch(`${url}/api/v1/agent/invoke`, {
    method: 'POST',
    headers: { 'x-credential': credential, 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, idempotencyKey: crypto.randomUUID() }),
  })
  const text = await answer.text()
  if (answer.status !== 200 || !text.includes('"SUCCEEDED"'))
    throw new Error(`A call answered ${answer.status}: ${text.slice(0, 500)}`)
}

async function openAgent(api: Api): Promise<string> {
  const deposit = createDepositor(await api.ok<ChainInfo>('GET', '/api/v1/chain'))
  return (await openOwner(api, { deposit, amount: parseUsdc(FUNDS_USDC) })).credential
}

async function measure(calls: number): Promise<Found[]> {
  say('Starting a gateway with its own database and chain ...')
  const gateway = await startGateway({
    settings: { SAMPLE_LLM_TOKENS_PER_SECOND: '0', SAMPLE_LLM_FIRST_TOKEN_MS: '0' },
  })
  try {
    const credential = await openAgent(createApi(gateway.url))
    const databaseUrl = await gateway.databaseUrl()
    const found: Found[] = []
    for (const kind of KINDS) {
      await inLanes(WARMUP_CALLS, call => callOnce(gateway.url, credential, kind.body(call)))
      const before = await readState(databaseUrl)
      await inLanes(calls, call => callOnce(gateway.url, credential, kind.body(call)))
      found.push({ kind, before, after: await readState(databaseUrl) })
      say(`${kind.name}: ${calls} calls made`)
    }
    return found
  } finally {
    await gateway.stop()
  }
}

function tableOf(found: readonly Found[], calls: number): string {
  const grown = found.map(({ before, after }) => growthBetween(before, after))
  const perCall = (bytes: number | undefined) =>
    bytes === undefined ? '' : Math.round(bytes / calls).toString()
  const names = [...new Set(grown.flat().map(({ table }) => table))]
  const totalOf = (growth: (typeof grown)[number], part: 'heap' | 'toast' | 'indexes' | 'total') =>
    growth.reduce((sum, table) => sum + table[part], 0)
  const rows = names.map(name => {
    const cells = grown.map(growth => perCall(growth.find(({ table }) => table === name)?.total))
    return [`\`${name}\``, ...cells]
  })
  const log = found.map(({ before, after }) => perCall(after.log - before.log))
  return markdownTable([
    ['bytes per paid call', ...found.map(({ kind }) => kind.name)],
    ...rows.filter(cells => cells.slice(1).some(cell => Number(cell) > 0)),
    ['all tables', ...grown.map(growth => perCall(totalOf(growth, 'total')))],
    ['of it indexes', ...grown.map(growth => perCall(totalOf(growth, 'indexes')))],
    ['written to the log', ...log],
  ])
}

function hotTableOf(found: readonly Found[]): string {
  const [first] = found
  const rows = first === undefined ? [] : hotBetween(first.before, first.after)
  return markdownTable([
    ['table', 'versions replaced', 'within their page'],
    ...rows.map(({ table, updates, hot }) => [
      `\`${table}\``,
      String(updates),
      `${((100 * hot) / updates).toFixed(1)} %`,
    ]),
  ])
}

try {
  const { values } = parseArgs({ options: { calls: { type: 'string', default: '5000' } } })
  const calls = Number(values.calls)
  if (!Number.isInteger(calls) || calls < CALLS_MIN || calls > CALLS_MAX)
    throw new Error(`--calls must be a whole number from ${CALLS_MIN} to ${CALLS_MAX}`)
  const found = await measure(calls)
  say(`\n${tableOf(found, calls)}\n\nDuring the calls at a fixed price:\n\n${hotTableOf(found)}`)
} catch (error) {
  process.stderr.write(`Growth was not measured: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
