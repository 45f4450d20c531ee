import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type MoneyGateway, startMoneyGateway } from '../../../../test/kit/gateway/money-gateway.ts'
import { type HistoryFixture, type Step, startHistory } from '../../../../test/kit/ledger/history-fixture.ts'
import type { CamelCase } from '../../../ports.ts'
import { type Reconciliation, reconcile } from './reconcile.ts'
import { reconcileRecent } from './reconcile-recent.ts'

let gateway: MoneyGateway
let history: HistoryFixture

beforeAll(async () => {
  gateway = await startMoneyGateway()
  // The liabilities of these books were never deposited.
  gateway.cut('head')
})
afterAll(() => gateway.stop())
beforeEach(async () => {
  history = await startHistory(gateway.deps)
  // Each test begins with consistent books, whatever the previous one left.
  expect((await checkAll()).findings).toEqual([])
})

const DAY = 86_400
/** Sums follow the books at once: nothing here takes longer than a statement. */
const soon = { settledSeconds: 0, sumsAgeSecondsMax: DAY }
const checkRecent = (options: Parameters<typeof reconcileRecent>[1] = soon) =>
  checked(reconcileRecent(gateway.deps, options))
const checkAll = () => reconcile(gateway.deps, undefined, soon)
const run = <Row extends CamelCase<Row> = object>(text: string, values: unknown[] = []) =>
  gateway.run<Row>({ text, values })

async function checked(check: Promise<Reconciliation | null>): Promise<Reconciliation> {
  const outcome = await check
  if (outcome === null) throw new Error('Nothing was checked.')
  return outcome
}

const rowsOf = ({ findings }: Reconciliation) => findings.map(({ check, row }) => [check, row])

/** Id and progress of the sums that regular checks go by. */
async function live() {
  const [row] = await run<{ id: bigint; entryId: bigint; cut: number; carried: number }>(`
    select id, entry_id, jsonb_array_length(cut_movements) as cut,
           (select count(*)::int from carried_calls where checkpoint = id) as carried
    from book_checkpoints where is_live`)
  if (row === undefined) throw new Error('There is no live checkpoint.')
  return row
}

const index = fc.nat(11)
const part = fc.integer({ min: 0, max: 100 })
const amount = fc.integer({ min: 1, max: 900 })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('deposit'), owner: index, amount }) },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('hold'), credential: index, provider: index, amount }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('end'),
      call: index,
      part,
      how: fc.constantFrom('capture', 'capture', 'capture', 'release', 'await'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('interval'), credential: index }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('day'), owner: index }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('withdraw'), provider: index, part }) },
) as fc.Arbitrary<Step>
const times = fc.array(fc.array(step, { maxLength: 10 }), { minLength: 1, maxLength: 5 })

/** Lives through steps, and has the books checked after each stretch of them. */
async function liveThrough(stretches: readonly (readonly Step[])[]): Promise<void> {
  for (const stretch of stretches) {
    for (const each of stretch) await history.step(each)
    const { id } = await live()
    expect((await checkRecent()).findings).toEqual([])
    // It went on from the sums there were: nothing made it read everything.
    expect((await live()).id).toBe(id)
  }
}

test('neither a regular nor a full check finds anything in consistent books, whatever happened', async () => {
  await fc.assert(
    fc.asyncProperty(times, async stretches => {
      await liveThrough(stretches)
      await assertSums()
      expect((await checkAll()).findings).toEqual([])
      await assertSums()
    }),
    { numRuns: 15 },
  )
})

/** Checks that sums equal the calls themselves. */
async function assertSums(): Promise<void> {
  const differing = await run(`
    (select 'fees' as what, owner as who, sum(fee) from invocation_fees group by owner having sum(fee) > 0
     except select 'fees', owner, sum(fee) from invocations where fee > 0 group by owner)
    union all
    (select 'fees', owner, sum(fee) from invocations where fee > 0 group by owner
     except select 'fees', owner, sum(fee) from invocation_fees group by owner)
    union all
    (select 'earned', provider || service_id || day, sum(calls) + sum(earned) from provider_earnings
       group by provider, service_id, day
     except select 'earned', provider || service_id || (finished_at at time zone 'UTC')::date,
       count(*) + sum(charged - fee) from invocations where status = 'SUCCEEDED'
       group by provider, service_id, (finished_at at time zone 'UTC')::date)`)
  expect(differing).toEqual([])
}

/** Ways to break books by hand. Each names the reported rows, and its repair. */
type Break = {
  readonly what: string
  readonly sql: string
  readonly mend: string
  readonly reported: (at: { call: string; owner: string; credential: string }) => [string, string][]
}
const touchEntry = (change: string) => `
  alter table entries disable trigger user; ${change}; alter table entries enable trigger user`
const breaks: readonly Break[] = [
  {
    what: 'a balance that no entry explains',
    sql: `update accounts set posted = posted + 1 where id = 'consumer:OWNER'`,
    mend: `update accounts set posted = posted - 1 where id = 'consumer:OWNER'`,
    reported: ({ owner }) => [['posted-is-the-sum-of-entries', `consumer:${owner}`]],
  },
  {
    what: 'money reserved for no call',
    sql: `update accounts set posted = posted + 1, reserved = reserved + 1 where id = 'consumer:OWNER'`,
    mend: `update accounts set posted = posted - 1, reserved = reserved - 1 where id = 'consumer:OWNER'`,
    reported: ({ owner }) => [
      ['posted-is-the-sum-of-entries', `consumer:${owner}`],
      ['reserved-is-the-sum-of-open-records', `consumer:${owner}`],
    ],
  },
  {
    what: 'credential counters that no call explains',
    sql: `update credentials set calls_used = calls_used + 1 where id = 'CREDENTIAL'`,
    mend: `update credentials set calls_used = calls_used - 1 where id = 'CREDENTIAL'`,
    reported: ({ credential }) => [['credential-counters-are-explained-by-calls', credential]],
  },
  {
    what: 'a policy that has drawn more than its calls',
    sql: `update spending_policies set month_drawn = month_drawn + 1 where owner = 'OWNER'`,
    mend: `update spending_policies set month_drawn = month_drawn - 1 where owner = 'OWNER'`,
    reported: ({ owner }) => [['policy-counters-are-explained-by-calls', owner]],
  },
  {
    what: 'a finished call among the open ones',
    sql: `insert into open_calls values ('CALL', 'gw_history')`,
    mend: `delete from open_calls where invocation_id = 'CALL'`,
    reported: ({ call, owner }) => [
      ['open-calls-are-those-not-finished', call],
      ['reserved-is-the-sum-of-open-records', `consumer:${owner}`],
    ],
  },
]
/** Changes of what only ever grows: the regular check reads what is new, so these are its own as long as they are. */
const tampered: readonly Break[] = [
  {
    what: 'a missing entry',
    sql: touchEntry(`
      create table taken as select * from entries where reference = 'CALL' and account = 'consumer:OWNER';
      delete from entries where reference = 'CALL' and account = 'consumer:OWNER'`),
    mend: `insert into entries (id, kind, reference, account, amount, created_at) overriding system value
           select * from taken; drop table taken`,
    reported: ({ call, owner }) => [
      ['a-captured-call-has-its-entry', call],
      ['entries-of-a-movement-add-up-to-zero', `capture ${call}`],
      ['posted-is-the-sum-of-entries', `consumer:${owner}`],
    ],
  },
  {
    what: 'an entry with another amount, and a matching balance',
    sql: touchEntry(`
      update entries set amount = amount + 1 where reference = 'CALL' and account = 'consumer:OWNER';
      update accounts set posted = posted + 1 where id = 'consumer:OWNER'`),
    mend: touchEntry(`
      update entries set amount = amount - 1 where reference = 'CALL' and account = 'consumer:OWNER';
      update accounts set posted = posted - 1 where id = 'consumer:OWNER'`),
    reported: ({ call }) => [
      ['a-captured-call-has-its-entry', call],
      ['entries-of-a-movement-add-up-to-zero', `capture ${call}`],
    ],
  },
  {
    what: 'a call charged more than was captured',
    sql: `update invocations set hold = hold + 1, charged = charged + 1 where id = 'CALL'`,
    mend: `update invocations set hold = hold - 1, charged = charged - 1 where id = 'CALL'`,
    reported: ({ call, credential, owner }) => [
      ['a-captured-call-has-its-entry', call],
      ['credential-counters-are-explained-by-calls', credential],
      ['policy-counters-are-explained-by-calls', owner],
    ],
  },
]

const PHANTOM = `0x${'77'.repeat(32)}`
/** Money that went to the wrong wallet, or came from nowhere, with every balance explained by its entries. */
const misplaced: readonly Break[] = [
  {
    what: 'earnings that went to another provider',
    sql: touchEntry(`
      update entries set amount = amount - 20 where reference = 'CALL' and account = 'provider:PROVIDER';
      update accounts set posted = posted - 20 where id = 'provider:PROVIDER';
      insert into entries (kind, reference, account, amount) values ('capture', 'CALL', 'provider:OTHER', 20);
      insert into accounts (id, posted) values ('provider:OTHER', 20)
        on conflict (id) do update set posted = accounts.posted + 20`),
    mend: touchEntry(`
      update entries set amount = amount + 20 where reference = 'CALL' and account = 'provider:PROVIDER';
      update accounts set posted = posted + 20 where id = 'provider:PROVIDER';
      delete from entries where reference = 'CALL' and account = 'provider:OTHER';
      update accounts set posted = posted - 20 where id = 'provider:OTHER'`),
    reported: ({ call }) => [['a-captured-call-has-its-entry', call]],
  },
  {
    what: 'a fee that went to the provider',
    sql: touchEntry(`
      update entries set amount = amount - 10 where reference = 'CALL' and account = 'fees';
      update entries set amount = amount + 10 where reference = 'CALL' and account = 'provider:PROVIDER';
      update accounts set posted = posted - 10 where id = 'fees';
      update accounts set posted = posted + 10 where id = 'provider:PROVIDER'`),
    mend: touchEntry(`
      update entries set amount = amount + 10 where reference = 'CALL' and account = 'fees';
      update entries set amount = amount - 10 where reference = 'CALL' and account = 'provider:PROVIDER';
      update accounts set posted = posted + 10 where id = 'fees';
      update accounts set posted = posted - 10 where id = 'provider:PROVIDER'`),
    reported: ({ call }) => [['a-captured-call-has-its-entry', call]],
  },
  {
    what: 'a deposit that no event of the vault explains',
    sql: `
      insert into entries (kind, reference, account, amount)
      values ('deposit', '7:${PHANTOM}:0', 'consumer:OWNER', 5), ('deposit', '7:${PHANTOM}:0', 'vault', -5);
      update accounts set posted = posted + 5 where id = 'consumer:OWNER';
      update accounts set posted = posted - 5 where id = 'vault'`,
    mend: touchEntry(`
      delete from entries where reference = '7:${PHANTOM}:0';
      update accounts set posted = posted - 5 where id = 'consumer:OWNER';
      update accounts set posted = posted + 5 where id = 'vault'`),
    reported: () => [['a-record-has-its-entry', `deposit 7:${PHANTOM}:0`]],
  },
]

/** A call that is over, and the texts of a break about it. */
async function fixture({ sql: broken, mend, reported }: Break) {
  const call = await history.paidCall()
  const [owner = '', credential = ''] = [history.owners[0], history.credentials[0]]
  const [provider = '', other = ''] = history.providers
  const apply = async (text: string) => {
    const client = new pg.Client({ connectionString: gateway.ownerUrl })
    await client.connect()
    try {
      await client.query(
        text
          .replaceAll('CALL', call)
          .replaceAll('OWNER', owner)
          .replaceAll('CREDENTIAL', credential)
          .replaceAll('PROVIDER', provider)
          .replaceAll('OTHER', other),
      )
    } finally {
      await client.end()
    }
  }
  const sorted = (rows: [string, string][]) => rows.toSorted(([a], [b]) => (a < b ? -1 : 1))
  return {
    reported: sorted(reported({ call, owner, credential })),
    doBreak: () => apply(broken),
    mend: () => apply(mend),
    rowsOf: (outcome: Reconciliation) =>
      sorted(rowsOf(outcome).map(([check, row]) => [check ?? '', row ?? ''] as [string, string])),
  }
}

const past: Step[] = [
  { kind: 'deposit', owner: 0, amount: 5_000 },
  { kind: 'hold', credential: 0, provider: 0, amount: 100 },
  { kind: 'end', call: 0, how: 'capture', part: 50 },
  { kind: 'hold', credential: 1, provider: 1, amount: 100 },
]

describe.each([...breaks, ...tampered, ...misplaced])('$what', broken => {
  test('in new rows is found by the regular check, and reported until it is repaired', async () => {
    await liveThrough([past, past])
    const at = await fixture(broken)
    await at.doBreak()
    const first = await checkRecent()
    expect(first.consistent).toBe(false)
    expect(at.rowsOf(first)).toEqual(at.reported)
    expect(at.rowsOf(await checkAll())).toEqual(at.reported)
    expect(at.rowsOf(await checkRecent())).toEqual(at.reported)
    await at.mend()
    expect((await checkRecent()).findings).toEqual([])
  })
})

describe('the slow check beside the regular ones', () => {
  const slowly = () => checkRecent({ ...soon, sumsAgeSecondsMax: 0 })

  test.each(tampered)('finds $what in old rows', async broken => {
    const at = await fixture(broken)
    await liveThrough([past, past, past])
    await at.doBreak()
    expect((await slowly()).consistent).toBe(false)
    expect(at.rowsOf(await checkAll())).toEqual(at.reported)
    await at.mend()
    expect((await checkRecent()).findings).toEqual([])
  })

  test('replaces its previous sums completely', async () => {
    await liveThrough([past, past])
    const before = await live()
    expect((await slowly()).findings).toEqual([])
    const after = await live()
    expect(after.id).toBeGreaterThan(before.id)
    await slowly()
    for (const table of ['account_sums', 'credential_sums', 'owner_sums', 'earned_days', 'carried_calls']) {
      expect(await run(`select 1 from ${table} where checkpoint <= $1`, [before.id])).toEqual([])
    }
  })
})

/** The record of a deposit of 7 that a transaction is to bring the entries of. */
async function recordDeposit(client: pg.Client, wallet: string | undefined): Promise<string> {
  await client.query(
    `insert into vault_deposits (chain_id, tx_hash, log_index, wallet, amount, block_number, block_hash, credited_at)
     select 7, '0x' || encode(sha256(convert_to($1 || count(*), 'utf8')), 'hex'), 0, $1, 7, 1, '', now()
     from vault_deposits`,
    [wallet],
  )
  const { rows } = await client.query<{ reference: string }>(
    `insert into deposits (id, wallet, tx_hash, status, credited)
     select 'late ' || tx_hash, wallet, tx_hash, 'credited', amount from vault_deposits v
     where wallet = $1 and not exists (select from deposits d where d.wallet = v.wallet and d.tx_hash = v.tx_hash)
     returning '7:' || tx_hash || ':0' as reference`,
    [wallet],
  )
  return rows[0]?.reference ?? ''
}

describe('entries committed after entries with higher ids', () => {
  test('are summed once they are committed, and not before', async () => {
    const late = new pg.Client({ connectionString: gateway.ownerUrl })
    await late.connect()
    try {
      await late.query('begin')
      await late.query(`select nextval(pg_get_serial_sequence('entries', 'id'))`)
      const wallet = history.owners[1]
      await late.query(
        `insert into entries (kind, reference, account, amount)
         values ('deposit', $1, $2, 7), ('deposit', $1, 'vault', -7)`,
        [await recordDeposit(late, wallet), `consumer:${wallet}`],
      )
      await history.paidCall()
      const before = await live()
      expect((await checkRecent()).findings).toEqual([])
      expect((await live()).entryId).toBe(before.entryId)
      await late.query(
        `insert into accounts (id, posted) values ($1, 7) on conflict (id) do update set posted = accounts.posted + 7`,
        [`consumer:${wallet}`],
      )
      await late.query(`update accounts set posted = posted - 7 where id = 'vault'`)
      await late.query('commit')
      expect((await checkRecent()).findings).toEqual([])
      expect((await live()).entryId).toBeGreaterThan(before.entryId)
      expect((await checkRecent()).findings).toEqual([])
    } finally {
      await late.end()
    }
  })

  test('that no balance contains are reported as soon as they are committed', async () => {
    const late = new pg.Client({ connectionString: gateway.ownerUrl })
    await late.connect()
    try {
      await late.query('begin')
      await late.query(
        `insert into entries (kind, reference, account, amount) values ('deposit', 'odd', 'vault', -7)`,
      )
      await history.paidCall()
      expect((await checkRecent()).findings).toEqual([])
      await late.query('commit')
      expect(rowsOf(await checkRecent())).toEqual([
        ['a-record-has-its-entry', 'deposit odd'],
        ['entries-of-a-movement-add-up-to-zero', 'deposit odd'],
        ['posted-is-the-sum-of-entries', 'vault'],
      ])
      await run(`alter table entries disable trigger user`)
      await run(`delete from entries where reference = 'odd'`)
      await run(`alter table entries enable trigger user`)
    } finally {
      await late.end()
    }
  })

  test('of a movement split by a check add up over two checks', async () => {
    const late = new pg.Client({ connectionString: gateway.ownerUrl })
    await late.connect()
    try {
      const account = `consumer:${history.owners[1]}`
      await late.query('begin')
      const reference = await recordDeposit(late, history.owners[1])
      await late.query(
        `insert into entries (kind, reference, account, amount) values ('deposit', $1, $2, 7)`,
        [reference, account],
      )
      await history.paidCall()
      const checked = checkRecent()
      // The check waits for writers that were active when it began: once it waits, it knows them.
      await expect
        .poll(
          () =>
            run(
              `select 1 from pg_stat_activity where datname = current_database()
                 and query like 'select settled_entry_id%' and state = 'active' and wait_event = 'PgSleep'`,
            ),
          { interval: 5 },
        )
        .not.toEqual([])
      await late.query(
        `insert into entries (kind, reference, account, amount) values ('deposit', $1, 'vault', -7)`,
        [reference],
      )
      await late.query(
        `insert into accounts (id, posted) values ($1, 7) on conflict (id) do update set posted = accounts.posted + 7`,
        [account],
      )
      await late.query(`update accounts set posted = posted - 7 where id = 'vault'`)
      await late.query('commit')
      expect((await checked).findings).toEqual([])
      expect((await live()).cut).toBe(1)
      expect((await checkRecent()).findings).toEqual([])
      expect((await live()).cut).toBe(0)
    } finally {
      await late.end()
    }
  })
})

test('past history written by another program triggers one full check without findings', async () => {
  await liveThrough([past])
  const before = await live()
  const [credential, owner] = [history.credentials[0], history.owners[0]]
  await run(
    `insert into invocations (id, credential_id, idempotency_key, request_hash, owner, provider, service_id, status,
       hold, drawn_at, finished_at)
     values ('inv_0', $1, 'old', '', $2, '0x', 'svc', 'SUCCEEDED', 0, now() - interval '9 days', now())`,
    [credential, owner],
  )
  await run(`update credentials set calls_used = calls_used + 1 where id = $1`, [credential])
  expect((await checkRecent()).findings).toEqual([])
  const after = await live()
  expect(after.id).toBeGreaterThan(before.id)
  await liveThrough([past])
  await run(`delete from invocations where id = 'inv_0'`)
  await run(`update credentials set calls_used = calls_used - 1 where id = $1`, [credential])
})

test('concurrent checks of several gateways find nothing and leave one set of sums', async () => {
  await liveThrough([past])
  const outcomes = await Promise.all([checkRecent(), checkAll(), checkRecent(), checkAll(), checkRecent()])
  expect(outcomes.flatMap(({ findings }) => findings)).toEqual([])
  expect(await run(`select 1 from book_checkpoints`)).toHaveLength(1)
  await liveThrough([past])
})

test('books are checked at once, and wholly, after the clock of the database was set back', async () => {
  await liveThrough([past])
  await run("update reconciliations set at = at + interval '3 hours'")
  await run("update book_checkpoints set drawn_before = drawn_before + interval '3 hours'")
  await history.step({ kind: 'hold', credential: 0, provider: 0, amount: 10 })
  const { id } = await live()
  const { findings } = await checkRecent({ ...soon, everySeconds: DAY })
  expect(findings).toEqual([])
  expect((await live()).id).toBeGreaterThan(id)
})

test('one of several gateways that are due at the same time checks for all', async () => {
  const count = async () => (await run<{ n: number }>('select count(*)::int as n from reconciliations'))[0]?.n
  const before = (await count()) ?? 0
  const inTurn = () => reconcileRecent(gateway.deps, { ...soon, everySeconds: DAY })
  expect(await Promise.all([inTurn(), inTurn(), inTurn()])).toEqual([null, null, null])
  expect(await count()).toBe(before)

  await run("update reconciliations set at = at - interval '2 days'")
  const outcomes = await Promise.all([inTurn(), inTurn(), inTurn()])
  expect(outcomes.filter(outcome => outcome !== null)).toMatchObject([{ consistent: true }])
  expect(await count()).toBe(before + 1)
})
