import { parseArgs } from 'node:util'
import { formatUsdc, parseUsdc } from '@farebox/money'
import { inLanes } from './market.ts'
import type { Script } from './messages.ts'
import { type ModelMarket, openModelMarket } from './model-market.ts'
import { openSite } from './site.ts'
import { markdownTable } from './table.ts'
import { type DatabaseState, growthBetween, hotBetween, readState } from './table-growth.ts'
import { chatRequest } from './workers/chat.ts'
import { startModel } from './workers.ts'

/**
 * `sh scripts/with-node lab/bench/growth.ts`: what a paid call leaves on disk for good, by table. Starts a gateway
 * with its own database, makes paid calls of a small API and of a model, and compares the
 * sizes of the tables before and after each kind, both after a vacuum. Beside it stands what was written to the log of
 * the database, which a backup that follows the log has to carry.
 *
 * Not in it: what is the same however many calls there are, such as probes and checks of the books.
 *
 * Flags: `--calls 5000`.
 */

const CALLS_MIN = 100
const CALLS_MAX = 1_000_000
/** Calls of each kind that are made before the first is measured: pages that are there already are no growth. */
const WARMUP_CALLS = 50

const question = 'Who pays the ferryman, and what does he charge for the way back?'
const PRICE = parseUsdc('0.01')
const SCRIPT: Script = { chunks: 40, paceMs: 0, inputTokens: 21, outputTokens: 80, cutAfter: null }

type Kind = { readonly name: string; readonly body: (call: number) => Record<string, unknown> }

/** What agents call: a small API, a model that answers whole, and the same as a stream. */
function kindsOf({ fixed, model: [model] }: ModelMarket): readonly Kind[] {
  const asked = (call: number, isStreamed: boolean) => ({
    serviceId: model?.serviceId,
    payload: { body: { ...chatRequest(SCRIPT, call), stream: isStreamed } },
  })
  return [
    {
      name: 'fixed price',
      body: call => ({
        serviceId: fixed.serviceId,
        costUsdc: formatUsdc(PRICE),
        payload: { body: { number: call, question } },
      }),
    },
    { name: 'model, whole', body: call => asked(call, false) },
    { name: 'model, streamed', body: call => asked(call, true) },
  ]
}

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

async function measure(calls: number): Promise<Found[]> {
  await using started = new AsyncDisposableStack()
  say('Starting a gateway with its own database and chain ...')
  const site = await openSite()
  started.defer(() => site.stop())
  const model = await startModel()
  started.defer(() => model.stop())
  const gateway = await (await site.prepare({ owners: 0 })).start()
  started.defer(() => gateway.stop())
  const market = await openModelMarket({ gateway, modelUrl: model.url, price: PRICE })
  const { databaseUrl } = gateway
  const found: Found[] = []
  for (const kind of kindsOf(market)) {
    const call = (number: number) => callOnce(gateway.url, market.fixed.credential, kind.body(number))
    await inLanes(WARMUP_CALLS, call)
    const before = await readState(databaseUrl)
    await inLanes(calls, call)
    found.push({ kind, before, after: await readState(databaseUrl) })
    say(`${kind.name}: ${calls} calls made`)
  }
  return found
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
