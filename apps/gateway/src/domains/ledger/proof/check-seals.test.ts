import { usdc } from '@farebox/money'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type MoneyGateway, startMoneyGateway, USDC } from '../../../../test/kit/gateway/money-gateway.ts'
import type { Member } from '../../../../test/kit/world/member.ts'
import { openTicket, openWithdrawal } from '../../../../test/kit/world/withdrawals.ts'
import { reconcile } from '../reconcile/reconcile.ts'
import { reconcileRecent } from '../reconcile/reconcile-recent.ts'
import { sealEntries } from './seal-entries.ts'
import { NO_SEAL, type Seal, type SealBody, sealHash } from './seal-rules.ts'
import { hashEntries, readSealsFrom } from './seal-store.ts'

let gateway: MoneyGateway
let provider: Member
let database: pg.Client
beforeAll(async () => {
  gateway = await startMoneyGateway({ requiredConfirmations: 1 })
  database = new pg.Client({ connectionString: gateway.ownerUrl })
  await database.connect()
  provider = await gateway.member()
})
afterAll(async () => {
  await database.end()
  await gateway.stop()
})
beforeEach(async () => {
  // Each test begins with consistent books, whatever the previous one left.
  expect((await checkAll()).findings).toEqual([])
})

const DAY = 86_400
const soon = { settledSeconds: 0, sumsAgeSecondsMax: DAY }
const checkAll = () => reconcile(gateway.deps, undefined, soon)
const checkRecent = () => reconcileRecent(gateway.deps, soon)
const checkSlowly = () => reconcileRecent(gateway.deps, { ...soon, sumsAgeSecondsMax: 0 })
const seal = () => sealEntries(gateway.deps, new AbortController().signal)
const seals = () => readSealsFrom(gateway.deps.db, 1n, 1_000)
const checksOf = (outcome: { findings: readonly { check: string }[] } | null) =>
  new Set(outcome?.findings.map(({ check }) => check))

const TAMPERED = ['entries', 'seals', 'ledger_log'] as const
/** Changes append-only rows, like somebody with full control of the database. */
async function tamper(change: string, values: unknown[] = []): Promise<void> {
  for (const table of TAMPERED) await database.query(`alter table ${table} disable trigger user`)
  const { rowCount } = await database.query(change, values)
  for (const table of TAMPERED) await database.query(`alter table ${table} enable trigger user`)
  expect(rowCount).toBeGreaterThan(0)
}

/** Makes seals over somebody's earnings; returns the newest. */
async function live(stretches: number): Promise<Seal> {
  for (let count = 0; count < stretches; count += 1) {
    await gateway.earn(provider, usdc(USDC))
    expect(await seal()).toBe(1)
  }
  const newest = (await seals()).at(-1)
  if (newest === undefined) throw new Error('There is no seal.')
  return newest
}

/** Ways to break the seal that ends at `$1` while every balance stays explained, and their repairs. */
const tampered = [
  {
    what: 'an entry with a changed time',
    does: `update entries set created_at = created_at + interval '1 us' where id = $1`,
    mends: `update entries set created_at = created_at - interval '1 us' where id = $1`,
    check: 'a-seal-fits-its-entries',
  },
  {
    what: 'changed amounts with matching balances',
    does: `with both_entries as (
             update entries set amount = amount + case when amount < 0 then 1 else -1 end
             where reference = (select reference from entries where id = $1) and kind = 'capture'
             returning account, case when amount < 0 then 1 else -1 end as by)
           update accounts set posted = posted + by from both_entries e where accounts.id = e.account`,
    mends: `with both_entries as (
              update entries set amount = amount - case when amount < 0 then 1 else -1 end
              where reference = (select reference from entries where id = $1) and kind = 'capture'
              returning account, case when amount < 0 then 1 else -1 end as by)
            update accounts set posted = posted - by from both_entries e where accounts.id = e.account`,
    check: 'a-seal-fits-its-entries',
  },
  {
    what: 'a missing entry',
    does: `with gone as (delete from entries where id = $1 returning *) insert into kept_aside select * from gone`,
    mends: `with back as (delete from kept_aside where id = $1 returning *)
            insert into entries (id, kind, reference, account, amount, created_at) overriding system value
            select id, kind, reference, account, amount, created_at from back`,
    check: 'a-seal-fits-its-entries',
  },
  {
    what: 'a movement inserted among sealed entries',
    does: `insert into entries (id, kind, reference, account, amount) overriding system value
           values ($1, 'deposit', 'put in', 'fees', 5), ($1, 'deposit', 'put in', 'fees', -5)`,
    mends: `delete from entries where id = $1 and reference = 'put in'`,
    check: 'a-seal-fits-its-entries',
  },
  {
    what: 'a seal with another root',
    does: `update seals set root = sha256(root) where last_entry = $1`,
    mends: `update seals set root = $2 where last_entry = $1`,
    check: 'a-seal-has-the-hash-of-what-it-says',
  },
  {
    what: 'a seal with another hash',
    does: `update seals set hash = sha256(hash) where last_entry = $1`,
    mends: `update seals set hash = $3 where last_entry = $1`,
    check: 'a-seal-has-the-hash-of-what-it-says',
  },
  {
    what: 'a seal that names other log rows',
    does: `update seals set heads = jsonb_set(heads, '{0,head}', to_jsonb('9' || (heads #>> '{0,head}'))) where last_entry = $1`,
    mends: `update seals set heads = jsonb_set(heads, '{0,head}', to_jsonb(substr(heads #>> '{0,head}', 2)))
            where last_entry = $1`,
    check: 'a-seal-is-over-the-log',
  },
  {
    what: 'a changed log row that a seal names',
    does: `with named as (
             select (h ->> 'partition')::smallint as partition, (h ->> 'head')::bigint as head
             from seals cross join lateral jsonb_array_elements(heads) h
             where last_entry = $1 and h ->> 'head' <> '0' order by 1 limit 1)
           update ledger_log l set hash = sha256(decode(repeat('00', 32), 'hex') || hash) from named n
           where l.partition = n.partition and l.seq = n.head`,
    mends: `with named as (
              select (h ->> 'partition')::smallint as partition, (h ->> 'head')::bigint as head, h ->> 'hash' as hash
              from seals cross join lateral jsonb_array_elements(heads) h
              where last_entry = $1 and h ->> 'head' <> '0' order by 1 limit 1)
            update ledger_log l set hash = decode(substr(n.hash, 3), 'hex') from named n
            where l.partition = n.partition and l.seq = n.head`,
    check: 'a-seal-is-over-the-log',
  },
] as const

describe.each(tampered)('$what', ({ does, mends, check }) => {
  beforeAll(async () => {
    await database.query('create table if not exists kept_aside as select * from entries limit 0')
  })
  const mend = (of: Seal) => {
    const values = [
      of.lastEntry,
      ...(mends.includes('$2') ? [of.root] : []),
      ...(mends.includes('$3') ? [of.hash] : []),
    ]
    return tamper(mends.replace('$3', '$2'), values)
  }

  test('in a new seal is found by the regular check', async () => {
    const newest = await live(1)
    await tamper(does, [newest.lastEntry])
    const outcome = await checkRecent()
    expect(outcome?.consistent).toBe(false)
    expect(checksOf(outcome)).toContain(check)
    await mend(newest)
    expect((await checkRecent())?.findings).toEqual([])
  })

  test('in an old seal is found by the full check, and stops tickets until it is repaired', async () => {
    const old = await live(1)
    await live(2)
    expect((await checkRecent())?.findings).toEqual([])
    await openTicket(provider, '0.01')
    await tamper(does, [old.lastEntry])
    const found = await checkSlowly()
    expect(found?.consistent).toBe(false)
    expect(checksOf(found)).toContain(check)
    const named = found?.findings.filter(finding => finding.check === check)
    expect(named?.map(({ row }) => row)).toContainEqual(expect.stringMatching(`^seal ${old.number}, `))
    const { status, body } = await openWithdrawal(provider, '0.01')
    expect([status, body.statusLabel, body.ticket]).toEqual([200, 'PENDING_REVIEW', null])
    expect(checksOf(await checkAll())).toContain(check)
    await mend(old)
    expect((await checkRecent())?.findings).toEqual([])
    await openTicket(provider, '0.01')
  })
})

test('finds entries inserted below the first one', async () => {
  await live(1)
  await tamper(`insert into entries (id, kind, reference, account, amount) overriding system value
    values (-7, 'deposit', 'below', 'fees', 5), (-6, 'deposit', 'below', 'fees', -5)`)
  expect((await checkAll()).findings).toMatchObject([{ check: 'a-seal-fits-its-entries', row: /^seal 1, / }])
  await tamper(`delete from entries where reference = 'below'`)
})

test('finds seals that were all rebuilt over changed entries', async () => {
  await live(2)
  expect((await checkRecent())?.findings).toEqual([])
  await database.query('drop table if exists seals_before')
  await database.query('create table seals_before as select * from seals')
  await tamper(
    `update entries set created_at = created_at + interval '1 us' where id = (select min(id) from entries)`,
  )
  let before: Seal | typeof NO_SEAL = NO_SEAL
  for (const one of await seals()) {
    const after = one.number === 1n ? 0n : one.afterEntry
    const body = { ...one, ...(await hashEntries(gateway.deps.db, { after, upTo: one.lastEntry })) }
    const made: SealBody = { ...body, previous: before.hash }
    const hash = sealHash(made)
    await tamper('update seals set root = $2, previous = $3, hash = $4 where number = $1', [
      one.number,
      made.root,
      made.previous,
      hash,
    ])
    before = { ...made, hash }
  }
  expect(checksOf(await checkAll())).toEqual(new Set(['a-seal-stays-as-it-was']))
  expect(checksOf(await checkRecent())).toEqual(new Set(['a-seal-stays-as-it-was']))
  await tamper(
    `update entries set created_at = created_at - interval '1 us' where id = (select min(id) from entries)`,
  )
  await tamper(
    'update seals s set root = b.root, previous = b.previous, hash = b.hash from seals_before b where b.number = s.number',
  )
})

test('finds missing seals, at the end or in the middle', async () => {
  await live(3)
  expect((await checkRecent())?.findings).toEqual([])
  const newest = (await seals()).at(-1)
  await database.query('drop table if exists seals_before')
  await database.query('create table seals_before as select * from seals')
  const giveBack = () =>
    tamper(
      'insert into seals select b.* from seals_before b where not exists (select from seals s where s.number = b.number)',
    )

  await tamper('delete from seals where number = $1', [newest?.number])
  expect(checksOf(await checkRecent())).toEqual(new Set(['a-seal-stays-as-it-was']))
  // Nor does it help to have the sealer make it again: it bears another time.
  expect(await seal()).toBe(1)
  expect(checksOf(await checkAll())).toEqual(new Set(['a-seal-stays-as-it-was']))
  await tamper('delete from seals where number = $1', [newest?.number])
  await giveBack()
  expect((await checkRecent())?.findings).toEqual([])

  await tamper('delete from seals where number = $1', [(newest?.number ?? 0n) - 1n])
  expect(checksOf(await checkAll())).toEqual(
    new Set([
      'seals-are-numbered-without-a-gap',
      'a-seal-goes-on-where-the-one-before-ended',
      'a-seal-contains-the-hash-of-the-one-before',
    ]),
  )
  await giveBack()
})

test('triggers reject every change of entries and seals until they are disabled', async () => {
  await live(1)
  for (const table of ['entries', 'seals']) {
    for (const change of [
      `update ${table} set ${table === 'seals' ? 'number = number' : 'id = default'}`,
      `delete from ${table}`,
      `truncate ${table}`,
    ]) {
      await expect(database.query(change)).rejects.toThrow('append-only')
    }
  }
})
