import { usdc } from '@farebox/money'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type MoneyGateway, startMoneyGateway } from '../../../../test/kit/gateway/money-gateway.ts'
import { postMovements } from '../../../../test/kit/ledger/post-movements.ts'
import { newWallet } from '../../../../test/kit/world/wallets.ts'
import type { CamelCase } from '../../../ports.ts'
import { createRootMaker, leafHash } from './merkle-rules.ts'
import { ENTRIES_PER_SEAL_MAX, sealEntries } from './seal-entries.ts'
import { entryText, faultsOfSeal, NO_SEAL, type Seal, type SealedEntry } from './seal-rules.ts'
import { hashEntries, readSealsFrom } from './seal-store.ts'

let gateway: MoneyGateway
let other: pg.Client
beforeAll(async () => {
  gateway = await startMoneyGateway()
  gateway.cut('head')
  other = new pg.Client({ connectionString: gateway.databaseUrl })
  await other.connect()
})
afterAll(async () => {
  await other.end()
  await gateway.stop()
})

const running = new AbortController().signal
const seal = (signal = running) => sealEntries(gateway.deps, signal)
const seals = () => readSealsFrom(gateway.deps.db, 1n, 10_000)
const run = <Row extends CamelCase<Row> = object>(text: string, values: unknown[] = []) =>
  gateway.run<Row>({ text, values })

let deposits = 0
function deposit(count = 1): Promise<boolean[]> {
  const wallet = newWallet().address.toLowerCase()
  const movements = Array.from({ length: count }, () => {
    deposits += 1
    return { kind: 'deposit', wallet, amount: usdc(5n), reference: `dep_${deposits}` } as const
  })
  return gateway.deps.db.transaction(tx => postMovements(tx, movements))
}

const readAll = () =>
  run<SealedEntry>(`
    select id, kind, account, amount, reference,
           to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created_at
    from entries order by id`)

/** Fails unless every entry up to the last seal is in one seal, by hashes made here and not in the database. */
async function assertSealed(): Promise<void> {
  const entries = await readAll()
  let before: Seal | typeof NO_SEAL = NO_SEAL
  let sealed = 0
  for (const one of await seals()) {
    const within = entries.filter(({ id }) => BigInt(id) > one.afterEntry && BigInt(id) <= one.lastEntry)
    const maker = createRootMaker()
    for (const entry of within) maker.add(leafHash(entryText(entry)))
    expect(faultsOfSeal(one, before, { entries: within.length, root: maker.root() })).toEqual([])
    sealed += within.length
    before = one
  }
  expect(sealed).toBe(entries.filter(({ id }) => BigInt(id) <= before.lastEntry).length)
}

test('seals entries in the order of their ids, each seal chained to the previous one', async () => {
  expect(await seal()).toBe(0)
  await deposit()
  expect(await seal()).toBe(1)
  expect(await seal()).toBe(0)
  await deposit(3)
  expect(await seal()).toBe(1)
  expect(await seals()).toMatchObject([
    { number: 1n, afterEntry: 0n, lastEntry: 2n, entries: 2 },
    { number: 2n, afterEntry: 2n, lastEntry: 8n, entries: 6 },
  ])
  await assertSealed()
})

test('the database hashes entries with any texts as other programs do', async () => {
  await other.query(`
    insert into entries (kind, reference, account, amount, created_at)
    values ('deposit', E'läufe\\n"quoted" \\\\ \\t𝄞', 'fees', 9223372036854775807, '2026-03-29T02:30:00.000001+02'),
           ('deposit', '', 'fees', -9223372036854775807, '1999-12-31T23:59:59.999999-11:30')`)
  await seal()
  await assertSealed()
})

test('bounds the entries of a seal and the seals of a run', async () => {
  const [before] = (await seals()).slice(-1)
  await other.query(`
    insert into entries (kind, reference, account, amount)
    select 'deposit', 'many_' || i / 2, 'fees', case i % 2 when 0 then 1 else -1 end
    from generate_series(0, ${2n * ENTRIES_PER_SEAL_MAX + 9n}) as i`)
  expect(await seal()).toBe(3)
  const made = (await seals()).filter(({ number }) => number > (before?.number ?? 0n))
  expect(made.map(({ entries }) => entries)).toEqual([
    Number(ENTRIES_PER_SEAL_MAX),
    Number(ENTRIES_PER_SEAL_MAX),
    10,
  ])
  await assertSealed()
})

test('unused ids leave no gap between seals', async () => {
  const skip = (ids: bigint) =>
    run(
      `select setval(seq, pg_sequence_last_value(seq) + $1)
         from (select pg_get_serial_sequence('entries', 'id')::regclass as seq) s`,
      [ids],
    )
  await skip(ENTRIES_PER_SEAL_MAX * 3n)
  expect(await seal()).toBe(0)
  await skip(ENTRIES_PER_SEAL_MAX * 3n)
  await deposit()
  expect(await seal()).toBe(1)
  await skip(100n)
  await deposit()
  await skip(100n)
  expect(await seal()).toBe(1)
  await assertSealed()
})

test('seals no range that an open transaction may still write into', async () => {
  await other.query('begin')
  await other.query(
    `insert into entries (kind, reference, account, amount) values ('deposit', 'slow', 'fees', 1)`,
  )
  await deposit()
  expect(await seal()).toBe(0)
  await other.query(
    `insert into entries (kind, reference, account, amount) values ('deposit', 'slow', 'fees', -1)`,
  )
  await other.query('commit')
  expect(await seal()).toBe(1)
  await assertSealed()
})

test('makes no seals while the gateway is stopping', async () => {
  await deposit()
  expect(await seal(AbortSignal.abort())).toBe(0)
  expect(await seal()).toBe(1)
})

test('concurrent gateways seal every entry once and none too early, under concurrent writes', async () => {
  let isWriting = true
  const writers = Array.from({ length: 4 }, async () => {
    for (let count = 0; count < 60; count += 1) await deposit(1 + (count % 3))
  })
  const sealers = Array.from({ length: 3 }, async () => {
    let made = 0
    for (let runs = 0; isWriting && runs < 10_000; runs += 1) made += await seal()
    return made
  })
  await Promise.all(writers)
  isWriting = false
  const made = await Promise.all(sealers)
  expect(made.reduce((sum, count) => sum + count)).toBeGreaterThan(3)
  await seal()
  await assertSealed()
  const [last] = (await seals()).slice(-1)
  expect((await readAll()).filter(({ id }) => BigInt(id) > (last?.lastEntry ?? 0n))).toEqual([])
})

test('hashes entries as if read one at a time', async () => {
  const [first] = await readAll()
  const maker = createRootMaker()
  expect((await hashEntries(gateway.deps.db, { after: 5_000_000n, upTo: 5_000_001n })).root).toEqual(
    maker.root(),
  )
  if (first !== undefined) maker.add(leafHash(entryText(first)))
  const id = BigInt(first?.id ?? 0)
  expect(await hashEntries(gateway.deps.db, { after: id - 1n, upTo: id })).toEqual({
    entries: 1,
    root: maker.root(),
  })
})
