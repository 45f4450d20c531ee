import { formatUsdc, usdc } from '@farebox/money'
import { INVOKE } from '../../kit/caller.ts'
import { inDatabase } from '../../kit/in-database.ts'
import type { SiteGateway } from '../../kit/site.ts'
import { inLanes, openServices } from '../market/market.ts'
import type { Options } from '../options.ts'
import type { PartResult, Stage } from '../part.ts'
import { chatRequest } from '../workers/chat.ts'
import type { Script } from '../workers/messages.ts'
import { startProvider } from '../workers/workers.ts'

/** Calls of each kind that are made before the first is measured: pages that are there already are no growth. */
const WARMUP_CALLS = 50
const QUESTION = 'Who pays the ferryman, and what does he charge for the way back?'
const TOKEN_PRICES = { input: usdc(1_234_567n), output: usdc(6_000_001n) }
const SCRIPT: Script = { chunks: 40, paceMs: 0, inputTokens: 21, outputTokens: 80 }

type Body = Readonly<Record<string, unknown>>
/** Bytes by table and part, and the position of the write-ahead log. */
type State = { readonly sizes: ReadonlyMap<string, number>; readonly log: number }
type Found = { readonly kind: string; readonly before: State; readonly after: State }

/**
 * Measures what a paid call leaves on disk for good, by table: makes paid calls of a small API and of a model, and
 * compares the sizes of the tables before and after each kind, both after a vacuum. Beside it stands what was written to
 * the write-ahead log, which a backup that follows the log has to carry.
 */
export async function runGrowth({ calls, price }: Options, stage: Stage): Promise<PartResult> {
  const provider = stage.stopLater(await startProvider())
  const gateway = await stage.startGateway({ owners: 0 })
  const { services } = await openServices(gateway, [
    { name: 'Growth api', urls: [`${provider.url}/call`], price },
    { name: 'Growth model', urls: [`${provider.url}/v1/chat/completions`], price: TOKEN_PRICES },
  ])
  const [api, model] = services
  const ask = (stream: boolean) => (call: number) => {
    return { serviceId: model, payload: { body: { ...chatRequest(SCRIPT, call), stream } } }
  }
  const kinds: Readonly<Record<string, (call: number) => Body>> = {
    'fixed price': number => {
      return {
        serviceId: api,
        costUsdc: formatUsdc(price),
        payload: { body: { number, question: QUESTION } },
      }
    },
    'model, whole': ask(false),
    'model, streamed': ask(true),
  }
  const found: Found[] = []
  for (const [kind, bodyOf] of Object.entries(kinds)) {
    const call = (number: number) => callOnce(gateway, bodyOf(number))
    await inLanes(WARMUP_CALLS, call)
    const before = await readState(gateway.databaseUrl)
    await inLanes(calls, call)
    found.push({ kind, before, after: await readState(gateway.databaseUrl) })
    stage.say(`${kind}: ${calls} calls made`)
  }
  const table = tableOf(found, calls)
  const notes = [`${calls} calls of each kind, after a vacuum; probes and checks of the books are in it too.`]
  return { figures: table, sections: [{ title: 'Growth', table, notes }], findings: [], isSound: true }
}

async function callOnce({ url, owners }: SiteGateway, body: Body): Promise<void> {
  const answer = await fetch(url + INVOKE, {
    method: 'POST',
    headers: { 'x-credential': owners.credentials[0] ?? '', 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, idempotencyKey: crypto.randomUUID() }),
  })
  const text = await answer.text()
  if (answer.status !== 200 || !text.includes('"SUCCEEDED"'))
    throw new Error(`A call was answered ${answer.status}: ${text.slice(0, 500)}`)
}

/** Reads sizes after a vacuum: space that was taken in advance is not counted, nor what calls no longer need. */
const readState = (databaseUrl: string): Promise<State> =>
  inDatabase(databaseUrl, async client => {
    await client.query('select ledger_catch_up()')
    // Before the vacuum, which writes to it too.
    const at = await client.query<{ log: number }>(
      `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as log`,
    )
    await client.query('vacuum')
    const { rows } = await client.query<{ name: string; bytes: number; indexes: number }>(
      `select relname as name, pg_total_relation_size(oid)::float8 as bytes, pg_indexes_size(oid)::float8 as indexes
       from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by 1`,
    )
    const sum = (pick: (row: (typeof rows)[number]) => number) =>
      rows.reduce((all, row) => all + pick(row), 0)
    const sizes = rows.map(({ name, bytes }) => [`\`${name}\``, bytes] as const)
    const all = [['all tables', sum(({ bytes }) => bytes)] as const]
    const indexes = [['of it indexes', sum(row => row.indexes)] as const]
    return { sizes: new Map([...sizes, ...all, ...indexes]), log: at.rows[0]?.log ?? 0 }
  })

function tableOf(found: readonly Found[], calls: number): string[][] {
  const perCall = (bytes: number) => Math.round(bytes / calls)
  const names = [...(found[0]?.after.sizes.keys() ?? [])]
  const rows = names.map(name => [
    name,
    ...found.map(({ before, after }) =>
      perCall((after.sizes.get(name) ?? 0) - (before.sizes.get(name) ?? 0)),
    ),
  ])
  const log = found.map(({ before, after }) => perCall(after.log - before.log))
  return [
    ['bytes per paid call', ...found.map(({ kind }) => kind)],
    ...rows.filter(cells => cells.slice(1).some(cell => Number(cell) > 0)).map(cells => cells.map(String)),
    ['written to the log', ...log.map(String)],
  ]
}
