import { usdc } from '@farebox/money'
import fc from 'fast-check'
import pg from 'pg'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type MoneyGateway, startMoneyGateway } from '../../../../test/kit/gateway/money-gateway.ts'
import { creditWithoutChain } from '../../../../test/kit/ledger/credit.ts'
import { type HistoryFixture, startHistory } from '../../../../test/kit/ledger/history-fixture.ts'
import { recordAct } from '../../admin/record-act.ts'
import { createVouchers } from '../../vouchers/create-vouchers.ts'
import { redeemVoucher } from '../../vouchers/redeem-voucher.ts'
import { changesOf, type Movement } from '../rules.ts'
import { type Reconciliation, reconcile } from './reconcile.ts'
import { reconcileRecent } from './reconcile-recent.ts'

// Corrupts the books in each way that SQL allows who rules the database, balances adjusted so that they fit their
// entries, and has every check name the row.

/** Seed of the amounts that the tests change. */
const SEED = 20_261_122
const CHECKS = { settledSeconds: 0, sumsAgeSecondsMax: 86_400 }

let gateway: MoneyGateway
let history: HistoryFixture
let ruler: pg.Client
let restore: string
beforeAll(async () => {
  gateway = await startMoneyGateway()
  gateway.cut('head') // no vault holds this money
  history = await startHistory(gateway.deps)
  // Wallets have more than any corruption takes.
  for (let count = 0; count < 5; count += 1) await history.paidCall()
  for (const owner of [0, 1]) await history.step({ kind: 'deposit', owner, amount: 10_000 })
  ruler = new pg.Client({ connectionString: gateway.ownerUrl })
  await ruler.connect()
  await ruler.query('set session_replication_role = replica')
  // The copies contain the sums that regular checks start from.
  expect((await checkAll()).findings).toEqual([])
  restore = await backUp()
})
afterAll(async () => {
  await ruler.end()
  await gateway.stop()
})
beforeEach(async () => {
  await ruler.query('rollback') // what a test that failed has left
  await ruler.query(restore)
})

const checkAll = () => reconcile(gateway.deps, undefined, CHECKS)
async function checkRecent(): Promise<Reconciliation> {
  const outcome = await reconcileRecent(gateway.deps, CHECKS)
  if (outcome === null) throw new Error('Nothing was checked.')
  return outcome
}

/** Copies every table; returns what puts the copies back. */
async function backUp(): Promise<string> {
  const { rows } = await ruler.query<{ name: string; columns: string }>(`
    select t.table_name as name, string_agg(quote_ident(c.column_name), ', ') as columns
    from information_schema.tables t
    join information_schema.columns c using (table_schema, table_name)
    where t.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.is_generated = 'NEVER'
    group by t.table_name`)
  await ruler.query('create schema copies')
  for (const { name } of rows) await ruler.query(`create table copies.${name} as table public.${name}`)
  const back = rows.map(
    ({ name, columns }) =>
      `insert into ${name} (${columns}) overriding system value select ${columns} from copies.${name};`,
  )
  // Not by truncating: that replaces the files of every table and index, and these tables hold a few rows each.
  const empty = rows.map(({ name }) => `delete from ${name};`)
  return `begin; ${empty.join(' ')} ${back.join(' ')} commit;`
}

/** A history with one of everything. */
type Past = {
  readonly call: string
  /** A call that was paid by a voucher in part. */
  readonly gifted: string
  readonly owner: string
  readonly provider: string
  readonly other: string
  readonly credential: string
  /** Reference of a deposit, and its transaction. */
  readonly deposit: string
  readonly txHash: string
  readonly depositor: string
  readonly withdrawal: string
  readonly waiting: string
  readonly funding: string
  readonly redemption: string
  readonly voucher: string
  readonly pending: string
}

async function live(): Promise<Past> {
  const { deps } = gateway
  const [owner = '', depositor = ''] = history.owners
  const [provider = '', other = ''] = history.providers
  const call = await history.paidCall()
  await history.step({ kind: 'deposit', owner: 0, amount: 500 })
  await history.step({ kind: 'hold', credential: 0, provider: 0, amount: 300 })
  await creditWithoutChain(deps, depositor, usdc(900n))
  const { body: made } = await createVouchers(
    deps,
    {
      amount: usdc(70n),
      count: 1,
      redemptionsMax: 2,
      createdBy: depositor,
      idempotencyKey: null,
      expiresAt: new Date(Date.now() + 86_400_000),
    },
    (tx, after) =>
      recordAct(deps, tx, {
        actor: depositor,
        action: 'vouchers.create',
        target: after.batchId,
        before: null,
        after,
        reason: null,
      }),
  )
  await redeemVoucher(deps, {
    wallet: owner,
    voucherCode: made.vouchers[0]?.voucherCode ?? '',
    idempotencyKey: null,
  })
  const gifted = await history.paidCall()
  await history.step({ kind: 'withdraw', provider: 0, part: 10 })
  await pay()
  await history.step({ kind: 'withdraw', provider: 0, part: 10 })
  const one = async (text: string) => String((await ruler.query(text)).rows[0]?.id)
  const txHash = await one(
    `select tx_hash as id from vault_deposits where wallet = '${depositor}' order by confirmed_at desc limit 1`,
  )
  return {
    call,
    gifted,
    owner,
    provider,
    other,
    depositor,
    txHash,
    deposit: `7:${txHash}:0`,
    credential: history.credentials[0] ?? '',
    withdrawal: await one(`select id from withdrawals where status = 'COMPLETED' order by id desc limit 1`),
    waiting: await one(`select id from withdrawals where status = 'PENDING_REVIEW' order by id desc limit 1`),
    funding: await one('select id from promotion_fundings order by created_at desc limit 1'),
    redemption: await one('select id from voucher_redemptions order by created_at desc limit 1'),
    voucher: await one('select id from vouchers order by created_at desc limit 1'),
    pending: await one(`select id from invocations where status = 'PENDING' order by id desc limit 1`),
  }
}

/** Pays the newest withdrawal that waits, as the vault would have. */
async function pay(): Promise<void> {
  const [row] = (
    await ruler.query(
      `select id, wallet, amount from withdrawals where status = 'PENDING_REVIEW' order by id desc limit 1`,
    )
  ).rows
  await ruler.query(`begin;
    insert into entries (kind, reference, account, amount)
    values ('withdrawal-paid', '${row.id}', 'provider:${row.wallet}', -${row.amount}), ('withdrawal-paid', '${row.id}', 'vault', ${row.amount});
    ${balanced()}
    update accounts set reserved = reserved - ${row.amount} where id = 'provider:${row.wallet}';
    ${complete(row.id)}
    commit`)
}

const complete = (id: string) => `
  update withdrawals set status = 'COMPLETED', deadline = 1, signature = '0x', issued_block = 1, chain_id = 7,
    vault = '0x' || repeat('0', 40), signer = '0x' || repeat('0', 40), redeemed_in = id || ':0', redeemed_block = 1
  where id = '${id}';`

/** Makes every balance what its entries say. */
const balanced = () => `
  insert into accounts (id) select distinct account from entries on conflict do nothing;
  update accounts a set posted = coalesce((select sum(amount) from entries where account = a.id), 0)
  where posted <> coalesce((select sum(amount) from entries where account = a.id), 0);`

type Corruption = {
  readonly what: string
  /** The change; entries and balances fit afterwards unless `isUnfit`. */
  readonly sql: (past: Past, amount: number) => string
  /** Text of the row that must be named. */
  readonly row: (past: Past) => string
  readonly isUnfit?: true
}
const legs = (reference: string) => `entries where reference = '${reference}'`
const doubled = (where: string) => `
  insert into entries (kind, reference, account, amount) select kind, reference, account, amount from ${where};`

const corruptions: readonly Corruption[] = [
  {
    what: 'a provider leg in another account',
    sql: ({ call, provider, other }) => `
      update entries set account = 'provider:${other}' where reference = '${call}' and account = 'provider:${provider}';`,
    row: ({ call }) => call,
  },
  {
    what: 'a consumer leg in another account',
    sql: ({ call, owner, depositor }) => `
      update entries set account = 'consumer:${depositor}' where reference = '${call}' and account = 'consumer:${owner}';`,
    row: ({ call }) => call,
  },
  {
    what: 'a fee reduced in favour of the provider',
    sql: ({ call, provider }, n) => `
      update entries set amount = amount - ${n} where reference = '${call}' and account = 'fees';
      update entries set amount = amount + ${n} where reference = '${call}' and account = 'provider:${provider}';`,
    row: ({ call }) => call,
  },
  {
    what: 'a capture with every amount doubled',
    sql: ({ call }) => `update entries set amount = amount * 2 where reference = '${call}';`,
    row: ({ call }) => call,
  },
  {
    what: 'a missing leg',
    sql: ({ call }) => `delete from ${legs(call)} and account = 'fees';`,
    row: ({ call }) => call,
  },
  {
    what: 'a missing capture',
    sql: ({ call }) => `delete from ${legs(call)};`,
    row: ({ call }) => call,
  },
  {
    what: 'a duplicate leg',
    sql: ({ call }) => doubled(`${legs(call)} and account = 'fees'`),
    row: ({ call }) => call,
  },
  { what: 'a duplicate capture', sql: ({ call }) => doubled(legs(call)), row: ({ call }) => call },
  {
    what: 'a movement of an unknown kind',
    sql: ({ owner }, n) => `
      insert into entries (kind, reference, account, amount)
      values ('gift', 'gift_1', 'consumer:${owner}', ${n}), ('gift', 'gift_1', 'vault', -${n});`,
    row: () => 'gift gift_1',
  },
  {
    what: 'a phantom deposit',
    sql: ({ owner }, n) => `
      insert into entries (kind, reference, account, amount)
      values ('deposit', '7:0xff:0', 'consumer:${owner}', ${n}), ('deposit', '7:0xff:0', 'vault', -${n});`,
    row: () => 'deposit 7:0xff:0',
  },
  {
    what: 'a deposit credited twice',
    sql: ({ deposit }) => doubled(legs(deposit)),
    row: ({ deposit }) => `deposit ${deposit}`,
  },
  {
    what: 'a deposit of another amount than its event',
    sql: ({ deposit }, n) =>
      `update entries set amount = amount + sign(amount) * ${n} where reference = '${deposit}';`,
    row: ({ deposit }) => `deposit ${deposit}`,
  },
  {
    what: 'a deposit without entries',
    sql: ({ deposit }) => `delete from ${legs(deposit)};`,
    row: ({ deposit }) => `deposit ${deposit}`,
  },
  {
    what: 'an event of another wallet than the one credited',
    sql: ({ txHash, owner }) => `update vault_deposits set wallet = '${owner}' where tx_hash = '${txHash}';`,
    row: ({ deposit }) => `deposit ${deposit}`,
  },
  {
    what: 'a missing event',
    sql: ({ txHash }) => `delete from vault_deposits where tx_hash = '${txHash}';`,
    row: ({ deposit }) => `deposit ${deposit}`,
  },
  {
    what: 'a deposit shown to its wallet with another amount',
    sql: ({ txHash }, n) => `update deposits set credited = credited + ${n} where tx_hash = '${txHash}';`,
    row: ({ txHash }) => txHash,
  },
  {
    what: 'a withdrawal completed without entries',
    sql: ({ waiting, provider }) => `
      update accounts set reserved = reserved - (select amount from withdrawals where id = '${waiting}')
      where id = 'provider:${provider}'; ${complete(waiting)}`,
    row: ({ waiting }) => `withdrawal-paid ${waiting}`,
  },
  {
    what: 'a paid withdrawal of another amount',
    sql: ({ withdrawal }, n) => `update withdrawals set amount = amount + ${n} where id = '${withdrawal}';`,
    row: ({ withdrawal }) => `withdrawal-paid ${withdrawal}`,
  },
  {
    what: 'a missing paid withdrawal',
    sql: ({ withdrawal }) => `delete from withdrawals where id = '${withdrawal}';`,
    row: ({ withdrawal }) => `withdrawal-paid ${withdrawal}`,
  },
  {
    what: 'a rejected withdrawal that keeps its money locked',
    sql: ({ waiting }) => `update withdrawals set status = 'REJECTED' where id = '${waiting}';`,
    row: ({ provider }) => `provider:${provider}`,
  },
  {
    what: 'a funding of promotions of another amount',
    sql: ({ funding }, n) => `update promotion_fundings set amount = amount + ${n} where id = '${funding}';`,
    row: ({ funding }) => `promotion-funding ${funding}`,
  },
  {
    what: 'a missing funding of promotions',
    sql: ({ funding }) => `delete from promotion_fundings where id = '${funding}';`,
    row: ({ funding }) => `promotion-funding ${funding}`,
  },
  {
    what: 'a voucher that paid another wallet than its record says',
    sql: ({ redemption, depositor }) =>
      `update voucher_redemptions set wallet = '${depositor}' where id = '${redemption}';`,
    row: ({ redemption }) => `voucher ${redemption}`,
  },
  {
    what: 'a voucher that counts one redemption too many',
    sql: ({ voucher }) => `update vouchers set redeemed = redeemed + 1 where id = '${voucher}';`,
    row: ({ voucher }) => voucher,
  },
  {
    what: 'a voucher of another value than was created',
    sql: ({ voucher }) => `update vouchers set amount = amount - 1 where id = '${voucher}';`,
    row: ({ voucher }) => voucher,
  },
  {
    what: 'a voucher for more wallets than was created',
    sql: ({ voucher }, n) =>
      `update vouchers set redemptions_max = redemptions_max + ${n} where id = '${voucher}';`,
    row: ({ voucher }) => voucher,
  },
  {
    what: 'a call of another provider than the one paid',
    sql: ({ call, other }) => `update invocations set provider = '${other}' where id = '${call}';`,
    row: ({ call }) => call,
  },
  {
    what: 'a call charged less than was captured',
    sql: ({ call }, n) => `update invocations set charged = charged - ${n} where id = '${call}';`,
    row: ({ call }) => call,
  },
  {
    what: 'a call with another fee than was captured',
    sql: ({ call }, n) => `update invocations set fee = fee - ${n} where id = '${call}';`,
    row: ({ call }) => call,
  },
  {
    what: 'a call recorded as spending no voucher',
    sql: ({ gifted }) => `update invocations set promotional = 0 where id = '${gifted}';`,
    row: ({ owner }) => `consumer:${owner}`,
  },
  {
    what: 'a voucher recorded as deposited money',
    sql: ({ redemption }) => `update voucher_redemptions set promotional = 0 where id = '${redemption}';
      update accounts set promotional = 0 where id like 'consumer:%' and promotional > 0;`,
    row: ({ owner }) => `consumer:${owner}`,
  },
  {
    what: 'earnings from vouchers recorded as from deposits',
    sql: ({ provider }) => `update accounts set promotional = 0 where id = 'provider:${provider}';`,
    row: ({ provider }) => `provider:${provider}`,
  },
  {
    what: 'a withdrawal recorded as taking more from vouchers',
    sql: ({ waiting }) => `update withdrawals set promotional = promotional + 1 where id = '${waiting}';`,
    row: ({ provider }) => `provider:${provider}`,
  },
  {
    what: 'a paid call recorded as failed',
    sql: ({ call }) =>
      `update invocations set status = 'FAILED_FINAL', charged = 0, fee = 0 where id = '${call}';`,
    row: ({ call }) => call,
  },
  {
    what: 'an open call without a gateway',
    sql: ({ pending }) => `delete from open_calls where invocation_id = '${pending}';`,
    row: ({ pending }) => pending,
  },
  {
    what: 'a finished call among the open ones',
    sql: ({ call }) => `insert into open_calls values ('${call}', 'gw_history');`,
    row: ({ call }) => call,
  },
  {
    what: 'a balance that no entry explains',
    sql: ({ owner }, n) => `update accounts set posted = posted + ${n} where id = 'consumer:${owner}';`,
    row: ({ owner }) => `consumer:${owner}`,
    isUnfit: true,
  },
  {
    what: 'unexplained reserved money',
    sql: ({ owner }) => `update accounts set reserved = reserved + 1 where id = 'consumer:${owner}';`,
    row: ({ owner }) => `consumer:${owner}`,
  },
  {
    what: 'a wrong credential counter',
    sql: ({ credential }, n) => `update credentials set spent = spent + ${n} where id = '${credential}';`,
    row: ({ credential }) => credential,
  },
  {
    what: 'a wrong policy counter',
    sql: ({ owner }, n) =>
      `update spending_policies set day_drawn = day_drawn + ${n} where owner = '${owner}';`,
    row: ({ owner }) => owner,
  },
]

const amounts = fc.sample(fc.integer({ min: 1, max: 40 }), { seed: SEED, numRuns: corruptions.length })

describe.each(corruptions.map((corruption, index) => ({ ...corruption, amount: amounts[index] ?? 1 })))(
  '$what',
  ({ sql: corrupt, row, amount, isUnfit }) => {
    const apply = (past: Past) =>
      ruler.query(`begin; ${corrupt(past, amount)} ${isUnfit ? '' : balanced()} commit`)
    const named = (outcome: Reconciliation, past: Past) => {
      expect(outcome.consistent).toBe(false)
      expect(outcome.findings.map(finding => finding.row)).toContainEqual(expect.stringContaining(row(past)))
    }

    test('is reported by the next regular check and by a full check', async () => {
      expect((await checkRecent()).findings).toEqual([])
      const past = await live()
      await apply(past)
      named(await checkRecent(), past)
      named(await checkAll(), past)
    })

    test('is reported by a full check when it is old', async () => {
      const past = await live()
      expect((await checkAll()).findings).toEqual([])
      await live()
      expect((await checkRecent()).findings).toEqual([])
      await apply(past)
      named(await checkAll(), past)
    })
  },
)

test('every kind of movement with entries is a capture or has records', async () => {
  const wallet = '0x'
  const [amount, hold, charge, fee, reference] = [usdc(2n), usdc(2n), usdc(2n), usdc(1n), 'r']
  const one = { wallet, amount, reference }
  const examples: { readonly [Kind in Movement['kind']]: Movement & { kind: Kind } } = {
    deposit: { kind: 'deposit', ...one },
    'promotion-funding': { kind: 'promotion-funding', ...one },
    voucher: { kind: 'voucher', ...one },
    hold: { kind: 'hold', provider: '0xb', ...one },
    release: { kind: 'release', ...one },
    capture: { kind: 'capture', consumer: wallet, provider: wallet, hold, charge, fee, reference },
    'withdrawal-lock': { kind: 'withdrawal-lock', ...one },
    'withdrawal-release': { kind: 'withdrawal-release', promotional: one.amount, ...one },
    'withdrawal-paid': { kind: 'withdrawal-paid', ...one },
    'redemption-adopted': { kind: 'redemption-adopted', ...one },
    'deposit-reversed': { kind: 'deposit-reversed', ...one },
    loss: { kind: 'loss', amount, reference },
  }
  const [view] = await gateway.deps.db.query<{ text: string }>(sql`
    select pg_get_viewdef('recorded_movements') || (
      select string_agg(pg_get_constraintdef(oid), ' ') from pg_constraint where conrelid = 'settlements'::regclass) as text`)
  const kinds = Object.values(examples)
    .filter(movement => changesOf(movement).some(({ posted = 0n }) => posted !== 0n))
    .map(({ kind }) => kind)
  expect(kinds.filter(kind => kind !== 'capture' && !view?.text.includes(`'${kind}'`))).toEqual([])
})
