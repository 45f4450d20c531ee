import { createHash } from 'node:crypto'
import { type Usdc, usdc } from '@farebox/money'
import sql, { raw } from 'sql-template-tag'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ClosableDb } from '../../src/adapters/postgres.ts'
import { findTokenHolders } from '../../src/domains/credentials/store.ts'
import type { CallLedger } from '../../src/domains/invocation/admission/commit-calls.ts'
import { createLedgerStore } from '../../src/domains/invocation/log/ledger-store.ts'
import { catchUp } from '../../src/domains/ledger/read-current.ts'
import type { Db } from '../../src/ports.ts'
import {
  endingOf,
  hold,
  type LedgerFixture,
  type Payer,
  pay,
  startLedgerFixture,
  waitingOf,
} from '../kit/ledger/ledger-fixture.ts'
import { METERING } from '../kit/ledger/ledger-values.ts'
import { postMovements } from '../kit/ledger/post-movements.ts'

/** Owners of one batch. */
const KEYS = 32
/** Rows that each table has when the kept plans are used again, besides those of the test's own calls. */
const ROWS = 3_000
/** Batches by which the log grows, of KEYS calls each. */
const LOG_ROUNDS = 30
/** Executions after which PostgreSQL keeps a plan, and one more. */
const UNTIL_KEPT = 7
/** Tables whose rows are read more than once: of the log for each of its columns, of open calls for each partition. */
const READS: Readonly<Record<string, number>> = { ledger_log: 8, ledger_log_pkey: 8, open_calls: 16 }
/** Maximum rows of a table, and blocks of one index, that a batch may read or write per key. */
const ROWS_PER_KEY_MAX = 4
const BLOCKS_PER_KEY_MAX = 16

const CHARGE: Usdc = usdc(10n)

let on: LedgerFixture
/** One connection as batches have it, and one as requests have it: plans are kept by connection. */
let keyed: ClosableDb
let plain: ClosableDb
let calls: CallLedger
/** Payers of the first batch, which meets empty tables. */
let first: Payer[]
/** Owners that no gateway has met. */
let strangers: Payer[]

beforeAll(async () => {
  on = await startLedgerFixture({ connectionsMax: 1 })
  keyed = on.connect({ byKeyOnly: true, connectionsMax: 1 })
  plain = on.connect({ connectionsMax: 1 })
  calls = gateway()
  await statisticsOfNothing()
  await findTokenHolders(plain, [Buffer.alloc(32)])
  first = await payers()
  strangers = await payers()
  for (let round = 0; round < UNTIL_KEPT; round += 1) {
    for (const db of [keyed, plain]) {
      await everyPath(first.slice(0, 2), db)
      await meteredPath(first.slice(0, 2), db)
      await findTokenHolders(db, digestsOf(first.slice(0, 2)))
    }
  }
  await fill()
  for (let round = 0; round < LOG_ROUNDS; round += 1)
    await fromAll(first, payer => pay(calls, on.requestOf(payer, 20n), CHARGE))
  await catchUp(plain)
})
afterAll(async () => {
  await Promise.all([keyed.close(), plain.close()])
  await on.stop()
})

const payers = (): Promise<Payer[]> => Promise.all(Array.from({ length: KEYS }, () => on.payer(1_000_000n)))
const gateway = () =>
  on.gateway({
    store: createLedgerStore({ batchDb: keyed, ids: on.ids }, { monthlyDefault: usdc(1_000_000n) }),
  })
const fromAll = <Result>(owners: readonly Payer[], act: (payer: Payer) => Promise<Result>) =>
  Promise.all(owners.map(act))

/** Calls that end at once and that end later, and a deposit; `db` projects. */
async function everyPath(owners: readonly Payer[], db: Db): Promise<void> {
  await fromAll(owners, payer => pay(calls, on.requestOf(payer, 20n), CHARGE))
  const held = await fromAll(owners, payer => hold(calls, on.requestOf(payer, 20n)))
  await catchUp(db)
  for (const { request, drawnAt } of held) await calls.settle(endingOf(request, drawnAt, CHARGE))
  await catchUp(db)
  for (const payer of owners) await deposit(db, payer)
}
/** Calls that wait for their usage, with nothing kept of their answers. */
async function meteredPath(owners: readonly Payer[], db: Db): Promise<void> {
  const held = await fromAll(owners, payer => hold(calls, on.requestOf(payer, 20n, { metering: METERING })))
  await catchUp(db)
  for (const { request, drawnAt } of held) await calls.settle(waitingOf(request, drawnAt))
  await catchUp(db)
  for (const { request, drawnAt } of held)
    await calls.settle({ ...endingOf(request, drawnAt, CHARGE), from: 'PROCESSING' })
  await catchUp(db)
}
const deposit = (db: Db, { wallet }: Payer) =>
  db.transaction(tx =>
    postMovements(tx, [{ kind: 'deposit', wallet, amount: usdc(1n), reference: on.ids.next('dep') }]),
  )

const digestsOf = (owners: readonly Payer[]) =>
  owners.map(({ credentialId }) => createHash('sha256').update(credentialId).digest())

/**
 * Analyzes every table while it has room for many rows and none in it, as after a load that was rolled back, and keeps
 * autovacuum from analyzing them again. Also keeps it from summarizing BRIN indexes, which counts as reading their tables.
 */
async function statisticsOfNothing(): Promise<void> {
  const tables = await on.run<{ name: string }>(sql`
    select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`)
  for (const { name } of tables) await on.run(sql`alter table ${raw(name)} set (autovacuum_enabled = off)`)
  const indexes = await on.run<{ name: string }>(sql`
    select c.relname as name from pg_class c join pg_am a on a.oid = c.relam
    where a.amname = 'brin' and c.relnamespace = 'public'::regnamespace`)
  for (const { name } of indexes) await on.run(sql`alter index ${raw(name)} set (autosummarize = off)`)
  await expect(
    fill(() => {
      throw new RangeError('rolled back')
    }),
  ).rejects.toThrow('rolled back')
  await on.run(sql`analyze`)
}

/** Fills the tables by SQL, past the log. Nobody analyzes them. */
async function fill(andThen: () => void = () => undefined): Promise<void> {
  const owner = on.connect({ connectionString: on.ownerUrl, connectionsMax: 1 })
  const filled = owner.transaction(async tx => {
    await tx.query(sql`
      select set_config('farebox.projecting', 'on', true), set_config('session_replication_role', 'replica', true)`)
    await tx.query(sql`
      create temp table filling on commit drop as
      select 'fill_' || n as id, '0x' || lpad(to_hex(n), 40, '0') as owner,
        '0x' || lpad(to_hex(n + ${ROWS}::integer), 40, '0') as provider
      from generate_series(1, ${ROWS}::integer) n order by sha256(n::text::bytea)`)
    await tx.query(sql`insert into wallets (address, username) select owner, owner from filling`)
    await tx.query(sql`insert into spending_policies (owner) select owner from filling`)
    await tx.query(sql`
      insert into credentials (id, owner, name, token_hash, rpm, reset_interval, interval_start)
      select id, owner, 'filling', sha256(owner::bytea), 60, 'daily', now() from filling`)
    await tx.query(sql`insert into accounts (id, posted) select 'consumer:' || owner, 5 from filling`)
    await tx.query(sql`
      insert into invocations (id, credential_id, idempotency_key, request_hash, owner, provider, service_id, status,
        hold, drawn_at, partition)
      select id, id, id, '', owner, provider, 'svc', 'PENDING', 0, now(), ledger_partition_of(owner) from filling`)
    await tx.query(sql`
      insert into metered_calls (invocation_id, input_price, output_price, max_output_tokens, pre_auth_mode, is_streamed,
        partition)
      select id, 1, 1, 1, 'auto', false, ledger_partition_of(owner) from filling`)
    await tx.query(sql`
      insert into services (id, owner, agent_tool_name, service_name, summary, description, tags, service_kind,
        price_model, price, method, timeout_ms, request, response)
      select id, owner, id, id, '', '', '{}', 'api', 'fixed', 1, 'POST', 1000, '{}', '{}' from filling`)
    await tx.query(sql`
      insert into pending_results (invocation_id, result, partition)
      select id, '', ledger_partition_of(owner) from filling`)
    andThen()
  })
  await filled.finally(async () => {
    await flushed(owner)
    await owner.close()
  })
}

type Counts = ReadonlyMap<string, number>
/** Makes what a connection has counted visible. */
const flushed = (db: Pick<Db, 'query'>) => db.query(sql`select pg_stat_force_next_flush()`)
/**
 * Rows read of each table, and blocks read or written of each index. Every pool has one connection, and each makes its
 * counts visible first: else PostgreSQL does so up to ten seconds later, in the midst of other work.
 */
async function counts(): Promise<Counts> {
  for (const db of [keyed, plain, on.db, { query: on.run }]) await flushed(db)
  const rows = await on.run<{ name: string; count: bigint }>(sql`
    select relname as name, (seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint as count from pg_stat_user_tables
    union all
    select indexrelname, (idx_blks_read + idx_blks_hit)::bigint from pg_statio_user_indexes`)
  return new Map(rows.map(({ name, count }) => [name, Number(count)]))
}
const HEADS = /^ledger_(partitions|projections)/
/** Returns what some work reads beyond its keys. */
async function excessOf(work: () => Promise<unknown>, keys = KEYS): Promise<Record<string, number>> {
  const before = await counts()
  await work()
  const after = await counts()
  const excess = [...after].flatMap(([name, count]) => {
    const grown = count - (before.get(name) ?? 0)
    const isIndex = /_(pkey|key|by_\w+|idx)$/.test(name)
    const reads = READS[name] ?? 1
    const most = keys * reads * (isIndex ? BLOCKS_PER_KEY_MAX : ROWS_PER_KEY_MAX)
    return HEADS.test(name) || grown <= most ? [] : [[name, grown] as const]
  })
  return Object.fromEntries(excess)
}

test('a batch of new owners reads only the rows of its keys', async () => {
  const open = await fromAll(first, payer => hold(calls, on.requestOf(payer, 20n)))
  expect(await excessOf(() => fromAll(strangers, payer => hold(calls, on.requestOf(payer, 20n))))).toEqual({})
  for (const { request, drawnAt } of open) await calls.settle(endingOf(request, drawnAt, CHARGE))
})

test('an append reads only the rows of its keys', async () => {
  await fromAll(first, payer => pay(calls, on.requestOf(payer, 20n), CHARGE))
  const work = () => fromAll(first, payer => pay(calls, on.requestOf(payer, 20n), CHARGE))
  expect(await excessOf(work, 2 * KEYS)).toEqual({})
})

test.each(['keyed', 'plain'] as const)(
  'a projection reads only the rows of its keys, on a connection that is %s',
  async name => {
    const db = { keyed, plain }[name]
    const metered = () =>
      fromAll(first, payer => hold(calls, on.requestOf(payer, 20n, { metering: METERING })))
    await fromAll(first, payer => pay(calls, on.requestOf(payer, 20n), CHARGE))
    const held = await metered()
    const excess = [await excessOf(() => catchUp(db), 2 * KEYS)]
    for (const { request, drawnAt } of held) await calls.settle(waitingOf(request, drawnAt, '{}'))
    excess.push(await excessOf(() => catchUp(db)))
    for (const { request, drawnAt } of held)
      await calls.settle({ ...endingOf(request, drawnAt, CHARGE), from: 'PROCESSING' })
    excess.push(await excessOf(() => catchUp(db)))
    expect(excess).toEqual([{}, {}, {}])
  },
)

test('deposits and manual changes read only the rows of their owners', async () => {
  expect(await excessOf(() => fromAll(first, payer => deposit(plain, payer)), 2 * KEYS)).toEqual({})
  const change = () =>
    plain.transaction(async tx => {
      const owners = first.map(({ wallet }) => wallet)
      await tx.query(sql`select ledger_lock(${owners}::text[])`)
      await tx.query(sql`update credentials set spent = spent + 1 where owner = any(${owners}::text[])`)
    })
  expect(await excessOf(change)).toEqual({})
})

test('looks tokens up only by their digests', async () => {
  expect(await excessOf(() => findTokenHolders(plain, digestsOf(first)))).toEqual({})
})
