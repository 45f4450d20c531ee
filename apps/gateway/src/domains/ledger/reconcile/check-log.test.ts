import { usdc } from '@farebox/money'
import { GatewayError } from '@farebox/wire/errors'
import { ledgerPartitionOf } from '@farebox/wire/partition'
import pg from 'pg'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { mostRowsOf, type PlanNode, planOf, recordPlans } from '../../../../test/kit/database/plans.ts'
import {
  endingOf,
  hold,
  type LedgerFixture,
  type Payer,
  pay,
  startLedgerFixture,
  waitingOf,
} from '../../../../test/kit/ledger/ledger-fixture.ts'
import { silent } from '../../../../test/kit/silent-log.ts'
import { until } from '../../../../test/kit/until.ts'
import { systemClock } from '../../../adapters/clock.ts'
import type { Chain, Db, Statement, Tx } from '../../../ports.ts'
import type { CallLedger } from '../../invocation/admission/commit-calls.ts'
import type { Metering } from '../../invocation/pricing/metering-rules.ts'
import { catchUp } from '../read-current.ts'
import { compareLogPart } from './log-compare-store.ts'
import { readLogPart } from './log-mark-store.ts'
import { type Reconciliation, reconcile } from './reconcile.ts'
import { reconcileRecent } from './reconcile-recent.ts'

let fixture: LedgerFixture
let calls: CallLedger
let ruler: pg.Client
let payer: Payer
beforeAll(async () => {
  fixture = await startLedgerFixture()
  calls = fixture.gateway()
  ruler = new pg.Client({ connectionString: fixture.ownerUrl })
  await ruler.connect()
  await ruler.query('set session_replication_role = replica')
})
afterAll(async () => {
  await ruler.end()
  await fixture.stop()
})
beforeEach(async () => {
  // Each test begins with consistent books, whatever the previous one left.
  expect((await checkAll()).findings).toEqual([])
  payer = await fixture.payer(1_000_000n)
})

const DAY = 86_400
const soon = { settledSeconds: 0, sumsAgeSecondsMax: DAY }
const unreachable = () => Promise.reject(new GatewayError('UNAVAILABLE', {}, { retryAfterSeconds: 2 }))
const deps = (db: Db = fixture.current) => ({
  db,
  chain: {
    head: unreachable,
    facts: { chainId: 7, vault: '0x', requiredConfirmations: 1 },
  } as unknown as Chain,
  log: silent,
  clock: systemClock,
})
const checkAll = () => reconcile(deps(), undefined, soon)
async function checkRecent(): Promise<Reconciliation> {
  const outcome = await reconcileRecent(deps(), soon)
  if (outcome === null) throw new Error('Nothing was checked.')
  return outcome
}
const checksOf = ({ findings }: Reconciliation) => [...new Set(findings.map(({ check }) => check))].sort()

/** Terms of a metered call. */
const metering: Metering = {
  inputPricePer1M: usdc(3_000_000n),
  outputPricePer1M: usdc(9_000_000n),
  cacheReadPricePer1M: null,
  cacheWritePricePer1M: null,
  maxInputTokens: 50,
  maxOutputTokens: 10,
  preAuthMode: 'auto',
  isStreamed: false,
}

const usage = { inputTokens: 40, outputTokens: 8, totalTokens: 48, cacheReadTokens: 0, cacheWriteTokens: 0 }

/** History of an owner: a paid call, one with pending usage, and an open one. */
type Past = {
  readonly partition: number
  /** Rows of the log: the one that ended the paid call, and the last one of the partition. */
  readonly seq: bigint
  readonly last: bigint
  readonly paid: string
  readonly waiting: string
}

async function live(): Promise<Past> {
  const partition = ledgerPartitionOf(payer.wallet)
  const head = async () => {
    const [row] = await fixture.run<{ head: bigint }>(
      sql`select head from ledger_partitions where partition = ${partition}`,
    )
    return row?.head ?? 0n
  }
  const paid = fixture.requestOf(payer, 3_000n, { metering })
  const { drawnAt } = await hold(calls, paid)
  await calls.settle({
    ...endingOf(paid, drawnAt, 2_000n),
    metered: { usage, cost: usdc(2_000n), isCapped: false, reportedBy: null },
  })
  const seq = await head()
  const waits = await hold(calls, fixture.requestOf(payer, 500n, { metering }))
  await calls.settle(waitingOf(waits.request, waits.drawnAt))
  await hold(calls, fixture.requestOf(payer, 700n))
  await catchUp(fixture.db)
  return { partition, seq, last: await head(), paid: paid.invocationId, waiting: waits.request.invocationId }
}

const PARTITION = (at: Past) => `partition ${at.partition}`
const ROW = (at: Past) => `partition ${at.partition}, row ${at.seq}`
const LAST_ROW = (at: Past) => `partition ${at.partition}, row ${at.last}`
/** Gives the last row of the partition, and the partition, the hash that it has after a change. */
const RESEALED = `
  update ledger_log l set hash = ledger_hash(b.hash, l.partition, l.seq, l.writer, l.held::text, l.awaited::text,
    l.ended::text, l.credentials::text, l.policies::text, l.accounts::text, l.changed::text)
  from ledger_log b where l.partition = PARTITION and l.seq = LAST and b.partition = PARTITION and b.seq = LAST - 1;
  update ledger_partitions p set hash = l.hash from ledger_log l
  where p.partition = PARTITION and l.partition = PARTITION and l.seq = LAST;`

/** Ways to break what the log proves. `also`: what other checks say of it. */
type Break = {
  readonly what: string
  readonly sql: string
  readonly mend: string
  readonly check: string
  readonly row: (at: Past) => string
  readonly also?: readonly string[]
  /** Further findings once the row was compared in its earlier state. */
  readonly alsoOld?: readonly string[]
}
const breaks: readonly Break[] = [
  {
    what: 'a missing log row',
    sql: `create table taken as select * from ledger_log where partition = PARTITION and seq = SEQ;
          delete from ledger_log where partition = PARTITION and seq = SEQ`,
    mend: `insert into ledger_log select * from taken; drop table taken`,
    check: 'the-log-is-numbered-without-a-gap',
    row: at => `partition ${at.partition}, row ${at.seq + 1n}`,
  },
  {
    what: 'a log row with another charge',
    sql: `update ledger_log set ended = replace(ended::text, '"charge":"2000"', '"charge":"2001"')::json
          where partition = PARTITION and seq = SEQ`,
    mend: `update ledger_log set ended = replace(ended::text, '"charge":"2001"', '"charge":"2000"')::json
           where partition = PARTITION and seq = SEQ`,
    check: 'a-row-of-the-log-has-the-hash-of-what-it-says',
    row: ROW,
  },
  {
    what: 'a partition with another hash than its last row',
    sql: `update ledger_partitions set hash = sha256(hash) where partition = PARTITION`,
    mend: `update ledger_partitions p set hash = l.hash from ledger_log l
           where p.partition = PARTITION and l.partition = PARTITION and l.seq = LAST`,
    check: 'the-log-ends-where-its-partition-says',
    row: PARTITION,
  },
  {
    what: 'a log row past the head of its partition',
    sql: `insert into ledger_log (partition, seq, writer, hash)
          select partition, seq + 1, 'nobody', sha256(hash) from ledger_log where partition = PARTITION and seq = LAST`,
    mend: `delete from ledger_log where partition = PARTITION and seq = LAST + 1`,
    check: 'the-log-ends-where-its-partition-says',
    row: PARTITION,
  },
  {
    what: 'a projection ahead of the log',
    sql: `update ledger_projections set projected = projected + 5 where partition = PARTITION`,
    mend: `update ledger_projections set projected = projected - 5 where partition = PARTITION`,
    check: 'what-is-projected-is-in-the-log',
    row: PARTITION,
  },
  {
    what: 'a call held under another key than in the log',
    sql: `update invocations set idempotency_key = idempotency_key || 'x' where id = 'PAID'`,
    mend: `update invocations set idempotency_key = left(idempotency_key, -1) where id = 'PAID'`,
    check: 'a-call-is-what-the-log-says',
    row: at => at.paid,
  },
  {
    what: 'a call that ended at another time than in the log',
    sql: `update invocations set finished_at = finished_at + interval '1 ms' where id = 'PAID'`,
    mend: `update invocations set finished_at = finished_at - interval '1 ms' where id = 'PAID'`,
    check: 'a-call-is-what-the-log-says',
    row: at => at.paid,
  },
  {
    what: 'a call charged differently in the log, with entries and balances that fit the call',
    sql: `update invocations set charged = charged + 10 where id = 'PAID';
          update entries set amount = amount - 10 where reference = 'PAID' and account = 'consumer:OWNER';
          update entries set amount = amount + 10 where reference = 'PAID' and account = 'provider:PROVIDER';
          update accounts set posted = posted - 10 where id = 'consumer:OWNER';
          update accounts set posted = posted + 10 where id = 'provider:PROVIDER';
          update credentials set spent = spent + 10 where id = 'CREDENTIAL';
          update spending_policies set month_drawn = month_drawn + 10, day_drawn = day_drawn + 10 where owner = 'OWNER'`,
    mend: `update invocations set charged = charged - 10 where id = 'PAID';
           update entries set amount = amount + 10 where reference = 'PAID' and account = 'consumer:OWNER';
           update entries set amount = amount - 10 where reference = 'PAID' and account = 'provider:PROVIDER';
           update accounts set posted = posted + 10 where id = 'consumer:OWNER';
           update accounts set posted = posted - 10 where id = 'provider:PROVIDER';
           update credentials set spent = spent - 10 where id = 'CREDENTIAL';
           update spending_policies set month_drawn = month_drawn - 10, day_drawn = day_drawn - 10 where owner = 'OWNER'`,
    check: 'a-call-is-what-the-log-says',
    row: at => at.paid,
    also: ['a-row-is-what-the-log-said-last'],
  },
  {
    what: 'a call that awaits its usage at another price than in the log',
    sql: `update metered_calls set output_price = output_price + 1 where invocation_id = 'WAITING'`,
    mend: `update metered_calls set output_price = output_price - 1 where invocation_id = 'WAITING'`,
    check: 'a-call-is-what-the-log-says',
    row: at => at.waiting,
  },
  {
    what: 'a call with another usage than in the log',
    sql: `update metered_calls set cost = cost + 1 where invocation_id = 'PAID'`,
    mend: `update metered_calls set cost = cost - 1 where invocation_id = 'PAID'`,
    check: 'a-call-is-what-the-log-says',
    row: at => at.paid,
  },
  {
    what: 'a call that awaits its usage in the log only',
    sql: `update invocations set status = 'PENDING' where id = 'WAITING'`,
    mend: `update invocations set status = 'PROCESSING' where id = 'WAITING'`,
    check: 'a-call-is-what-the-log-says',
    row: at => at.waiting,
  },
  {
    what: 'a call deleted with its entries',
    sql: `create table taken as select * from invocations where id = 'WAITING';
          delete from invocations where id = 'WAITING'`,
    mend: `insert into invocations select * from taken; drop table taken`,
    check: 'a-call-is-what-the-log-says',
    row: at => at.waiting,
    also: [
      'credential-counters-are-explained-by-calls',
      'open-calls-are-those-not-finished',
      'policy-counters-are-explained-by-calls',
      'reserved-is-the-sum-of-open-records',
    ],
  },
  {
    what: 'a call missing from the log',
    sql: `insert into invocations (id, credential_id, idempotency_key, request_hash, owner, provider, service_id, status,
            hold, drawn_at, finished_at)
          select 'inv_phantom', credential_id, 'phantom', request_hash, owner, provider, service_id, 'FAILED_FINAL', hold,
            drawn_at, drawn_at from invocations where id = 'PAID'`,
    mend: `delete from invocations where id = 'inv_phantom'`,
    check: 'a-call-was-held-in-the-log',
    row: () => 'inv_phantom',
  },
  {
    what: 'a rate counter that the log does not explain',
    sql: `update credentials set rate_window = rate_window || '\\x00' where id = 'CREDENTIAL'`,
    mend: `update credentials set rate_window = substr(rate_window, 1, length(rate_window) - 1) where id = 'CREDENTIAL'`,
    check: 'a-row-is-what-the-log-said-last',
    row: () => `credential ${payer.credentialId}`,
  },
  {
    what: 'a policy that the log does not explain',
    sql: `update spending_policies set day_start = day_start - interval '1 ms' where owner = 'OWNER'`,
    mend: `update spending_policies set day_start = day_start + interval '1 ms' where owner = 'OWNER'`,
    check: 'a-row-is-what-the-log-said-last',
    row: () => `policy ${payer.wallet}`,
  },
  {
    what: 'an account that the log does not explain',
    sql: `update accounts set posted = posted + 1 where id = 'consumer:OWNER'`,
    mend: `update accounts set posted = posted - 1 where id = 'consumer:OWNER'`,
    check: 'a-row-is-what-the-log-said-last',
    row: () => `account ${payer.wallet}`,
    also: ['posted-is-the-sum-of-entries'],
  },
  {
    what: 'a batch whose balance differs from its calls, in the log and the account',
    sql: `update ledger_log set accounts = replace(accounts::text, '"posted":"998000"', '"posted":"998001"')::json
          where partition = PARTITION and seq = LAST;
          ${RESEALED}
          update accounts set posted = posted + 1 where id = 'consumer:OWNER'`,
    mend: `update ledger_log set accounts = replace(accounts::text, '"posted":"998001"', '"posted":"998000"')::json
           where partition = PARTITION and seq = LAST;
           ${RESEALED}
           update accounts set posted = posted - 1 where id = 'consumer:OWNER'`,
    check: 'an-account-is-the-sum-of-its-events',
    row: at => `${payer.wallet}, ${LAST_ROW(at)}`,
    also: ['posted-is-the-sum-of-entries'],
    alsoOld: ['the-log-stays-as-it-was'],
  },
]

const textFor = (text: string, { partition, seq, last, paid, waiting }: Past) =>
  text
    .replaceAll('PARTITION', `${partition}`)
    .replaceAll('SEQ', `${seq}`)
    .replaceAll('LAST', `${last}`)
    .replaceAll('PAID', paid)
    .replaceAll('WAITING', waiting)
    .replaceAll('OWNER', payer.wallet)
    .replaceAll('PROVIDER', fixture.provider)
    .replaceAll('CREDENTIAL', payer.credentialId)
const apply = (text: string, at: Past) => ruler.query(`begin; ${textFor(text, at)}; commit`)

describe.each(breaks)('$what', ({ sql: broken, mend, check, row, also = [], alsoOld = [] }) => {
  const named = (outcome: Reconciliation, at: Past, more: readonly string[] = []) => {
    expect(checksOf(outcome)).toEqual([check, ...also, ...more].sort())
    const rows = outcome.findings.filter(finding => finding.check === check).map(finding => finding.row)
    expect(rows).toContain(row(at))
  }

  test('is found by the next regular check and by a full check, until it is repaired', async () => {
    expect((await checkRecent()).findings).toEqual([])
    const at = await live()
    await apply(broken, at)
    named(await checkRecent(), at)
    named(await checkAll(), at)
    await apply(mend, at)
    expect((await checkRecent()).findings).toEqual([])
  })

  test('is found by a full check when it is old', async () => {
    const at = await live()
    expect((await checkRecent()).findings).toEqual([])
    await apply(broken, at)
    named(await checkAll(), at, alsoOld)
    await apply(mend, at)
    expect((await checkRecent()).findings).toEqual([])
  })
})

test('reports a wrong balance of a batch until the account is corrected', async () => {
  const at = await live()
  await apply(
    `update ledger_log set accounts = replace(accounts::text, '"posted":"998000"', '"posted":"998001"')::json
     where partition = PARTITION and seq = LAST;
     ${RESEALED}
     update accounts set posted = posted + 1 where id = 'consumer:OWNER'`,
    at,
  )
  expect(checksOf(await checkRecent())).toContain('an-account-is-the-sum-of-its-events')
  expect(checksOf(await checkAll())).toContain('an-account-is-the-sum-of-its-events')
  await fixture.run(sql`update accounts set posted = posted - 1 where id = ${`consumer:${payer.wallet}`}`)
  expect((await checkAll()).findings).toEqual([])
})

test('compares every row of a log longer than a step once', async () => {
  const owners = await Promise.all(Array.from({ length: 20 }, () => fixture.payer(1_000_000n)))
  const isLong = async () => {
    const [row] = await fixture.run<{ isLong: boolean }>(
      sql`select count(*) > 2048 as is_long from ledger_log`,
    )
    return row?.isLong === true
  }
  // How many rows a round makes depends on how many calls share a batch.
  await until('the log is longer than a step', async () => {
    await Promise.all(owners.map(owner => pay(calls, fixture.requestOf(owner, 10n), usdc(7n))))
    return isLong()
  })
  expect((await checkRecent()).findings).toEqual([])
  const marks = sql`
    select p.partition from ledger_partitions p
    join ledger_marks m on m.partition = p.partition and m.seq = p.head and m.hash = p.hash
    join book_checkpoints b on b.id = m.checkpoint and b.is_live`
  expect(await fixture.run(marks)).toHaveLength(16)
  expect((await checkAll()).findings).toEqual([])
  expect(await fixture.run(marks)).toHaveLength(16)
})

/** Returns the plan of the comparison of the rows of the log that no check has compared yet. */
async function planOfCheck(): Promise<PlanNode> {
  const plans: PlanNode[] = []
  const [mark] = await fixture.run<{ checkpoint: bigint }>(
    sql`select max(checkpoint) as checkpoint from ledger_marks`,
  )
  const checkpoint = mark?.checkpoint ?? 0n
  await fixture.db.transaction(async tx => {
    const part = await readLogPart(tx, checkpoint, 1_024)
    const explaining: Tx = {
      inTransaction: true,
      async query<Row>(statement: Statement) {
        plans.push(await planOf(tx, statement))
        // Returns the number of rows of the statement; its findings do not matter here.
        return [{ findings: [], isAll: true } as Row]
      },
    }
    await compareLogPart(explaining, checkpoint, part, 'new')
  })
  const [plan] = plans
  if (plan === undefined) throw new Error('Nothing was compared.')
  return plan
}

test('a check reads the stored states of moved accounts only, however many are stored', async () => {
  const payers = await Promise.all(Array.from({ length: 100 }, () => fixture.payer(1_000n)))
  const payAll = () => Promise.all(payers.map(each => pay(calls, fixture.requestOf(each, 10n), usdc(10n))))
  await payAll()
  await checkRecent()
  await payAll()
  await catchUp(fixture.db)
  // 200 rows about 100 accounts: a join of the two would go through 20,000.
  expect(mostRowsOf(await planOfCheck())).toBeLessThan(5_000)
})

test('a full check looks up its sums by key, whichever joins the planner prefers', async () => {
  const payers = await Promise.all(Array.from({ length: 200 }, () => fixture.payer(1_000n)))
  await Promise.all(payers.map(each => pay(calls, fixture.requestOf(each, 10n), usdc(10n))))
  // The statistics do not know the sums of this check: it may take 200 of them for one, and join them by nested loops.
  const { db, plans } = recordPlans(
    fixture.current,
    text => text.includes('credential_states'),
    sql`select set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true)`,
  )
  expect((await reconcile(deps(db), undefined, soon)).findings).toEqual([])
  expect(plans).toHaveLength(1)
  // A join of 200 accounts, or credentials, with as many sums would go through 20,000 rows or more.
  expect(Math.max(...plans.map(mostRowsOf))).toBeLessThan(10_000)
})
