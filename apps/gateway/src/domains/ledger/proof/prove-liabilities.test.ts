import { usdc } from '@farebox/money'
import type { InclusionAnswer, Reserves } from '@farebox/wire/balance'
import pg from 'pg'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type MoneyGateway, startMoneyGateway, USDC } from '../../../../test/kit/gateway/money-gateway.ts'
import { postMovements } from '../../../../test/kit/ledger/post-movements.ts'
import { send } from '../../../../test/kit/network/http.ts'
import type { Member } from '../../../../test/kit/world/member.ts'
import { openTicket, openWithdrawal } from '../../../../test/kit/world/withdrawals.ts'
import type { Db } from '../../../ports.ts'
import { isIncluded } from './liability-rules.ts'
import { bytesOf } from './merkle-rules.ts'
import { proveLiabilities, TREE_KEPT_SECONDS } from './prove-liabilities.ts'

let gateway: MoneyGateway
let member: Member
let database: pg.Client
beforeAll(async () => {
  gateway = await startMoneyGateway({ requiredConfirmations: 1 })
  database = new pg.Client({ connectionString: gateway.ownerUrl })
  await database.connect()
})
afterAll(async () => {
  await database.end()
  await gateway.stop()
})
beforeEach(async () => {
  gateway.heal()
  member = await gateway.member()
})

const prove = (options = {}) => proveLiabilities(gateway.deps, options)
const micros = (text: string) => usdc(BigInt(text.replace('.', '')))
const inclusionOf = (of: Member, query = '') => of.send<InclusionAnswer>(`/proof/inclusion${query}`)

/** The newest statement; the answer of a gateway may be a second old. */
async function statement(): Promise<Reserves> {
  const [row] = (
    await database.query(`select encode(root, 'hex') as root from liability_trees order by id desc limit 1`)
  ).rows
  const read = async () => (await send<Reserves>(gateway.url, '/api/v1/proof/reserves')).body
  await expect.poll(async () => (await read()).merkleRoot).toBe(`0x${row.root}`)
  return read()
}

function verify(reported: InclusionAnswer): boolean {
  return isIncluded({
    wallet: reported.walletAddress.toLowerCase(),
    salt: bytesOf(reported.salt),
    balance: micros(reported.balanceUsdc),
    root: bytesOf(reported.merkleRoot),
    owed: micros(reported.walletsUsdc),
    branch: reported.branch.map(({ hash, sumUsdc, side }) => ({
      hash: bytesOf(hash),
      sum: micros(sumUsdc),
      side,
    })),
  })
}

async function deposit(of: Member, amount: bigint): Promise<void> {
  await gateway.deposit(of.address, usdc(amount))
}

describe('before there is a tree', () => {
  test('reserves show none, and no wallet has a proof', async () => {
    const { body } = await send<Reserves>(gateway.url, '/api/v1/proof/reserves')
    expect([body.merkleRoot, body.tree]).toEqual([null, null])
    const { status, body: reported } = await inclusionOf(member)
    expect([status, reported.code]).toEqual([503, 'UNAVAILABLE'])
  })

  test('a tree without wallets has the empty root', async () => {
    expect(await prove()).toBe('made')
    const { tree } = await statement()
    expect(tree).toMatchObject({
      wallets: 0,
      walletsUsdc: '0.000000',
      vaultBalanceUsdc: '0.000000',
      blockNumber: expect.any(Number),
      merkleRoot: '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    })
    const { status, body } = await inclusionOf(member)
    expect([status, body.code]).toEqual([404, 'NOT_FOUND'])
  })
})

test('a wallet in no tree yet is asked to retry; an empty root is not shown beside liabilities', async () => {
  await gateway.deps.db.query({ text: 'delete from liability_trees', values: [] })
  await gateway.deps.db.query({ text: 'delete from liability_parts', values: [] })
  const accounts = await gateway.deps.db.query<{ count: number }>({
    text: `select count(*)::int as count from accounts where id like '%:%'`,
    values: [],
  })
  expect(accounts).toEqual([{ count: 0 }])
  await prove()
  await deposit(member, USDC)
  const { status, body, headers } = await inclusionOf(member)
  expect([status, body.code]).toEqual([503, 'UNAVAILABLE'])
  expect(headers['retry-after']).toMatch(/^\d+$/)
  await expect
    .poll(async () => (await send<Reserves>(gateway.url, '/api/v1/proof/reserves')).body, { timeout: 20_000 })
    .toMatchObject({ liabilitiesUsdc: '1.000000', merkleRoot: null, tree: null })
  await prove()
  expect((await inclusionOf(member)).status).toBe(200)
  expect((await statement()).tree).toMatchObject({ wallets: 1 })
})

test('a wallet proves all that it is owed as consumer and provider, held and locked money included', async () => {
  await gateway.earn(member, usdc(5n * USDC))
  await deposit(member, 3n * USDC)
  await openTicket(member, '2')
  await prove()
  const { body } = await inclusionOf(member)
  expect(body).toMatchObject({ status: 'success', walletAddress: member.address, balanceUsdc: '8.000000' })
  expect(verify(body)).toBe(true)
  expect(verify({ ...body, balanceUsdc: '8.000001' })).toBe(false)
  const { tree, merkleRoot } = await statement()
  expect(body.merkleRoot).toBe(merkleRoot)
  expect(tree).toMatchObject({
    merkleRoot,
    walletsUsdc: body.walletsUsdc,
    lockedUsdc: '2.000000',
    asOf: body.asOf,
  })
  expect(tree).toMatchObject({
    consumerUsdc: '4.000000',
    providerUsdc: '5.000000',
    vaultBalanceUsdc: '9.000000',
  })
  await gateway.assertBooks()
})

test('a wallet with an empty account has a leaf of zero; one without an account has none', async () => {
  const stranger = await gateway.member()
  await gateway.deps.db.transaction(tx =>
    postMovements(tx, [
      { kind: 'hold', wallet: member.wallet, provider: '0xb', amount: usdc(1n), reference: 'inv_of_nothing' },
    ]),
  )
  await deposit(await gateway.member(), 1n)
  await prove()
  const { body } = await inclusionOf(member)
  expect(body.balanceUsdc).toBe('0.000000')
  expect(verify(body)).toBe(true)
  const { status, body: reported } = await inclusionOf(stranger)
  expect([status, reported.code]).toEqual([404, 'NOT_FOUND'])
  expect(reported.message).toContain('no account')
})

test('the tree stays while no money moves, with a renewed time', async () => {
  await deposit(member, USDC)
  expect(await prove()).toBe('made')
  const before = await statement()
  expect(await prove()).toBe('renewed')
  await expect
    .poll(async () => (await statement()).tree?.asOf, { timeout: 10_000 })
    .not.toBe(before.tree?.asOf)
  const after = await statement()
  expect(after.merkleRoot).toBe(before.merkleRoot)
  expect(Date.parse(after.tree?.asOf ?? '')).toBeGreaterThan(Date.parse(before.tree?.asOf ?? ''))
  await deposit(member, 1n)
  expect(await prove()).toBe('made')
  expect((await statement()).merkleRoot).not.toBe(before.merkleRoot)
})

test('trees cannot be correlated: salts, leaves and positions are new each time', async () => {
  await deposit(member, USDC)
  await prove()
  const { body: before } = await inclusionOf(member)
  await deposit(await gateway.member(), 1n)
  await prove()
  const { body: after } = await inclusionOf(member)
  expect(after.balanceUsdc).toBe(before.balanceUsdc)
  expect([after.salt, after.leafHash, after.merkleRoot]).not.toEqual(
    expect.arrayContaining([before.salt, before.leafHash, before.merkleRoot]),
  )
})

test('proves under the root just shown, even after a newer tree, and not under an expired one', async () => {
  await deposit(member, USDC)
  await prove()
  const { merkleRoot, tree } = await statement()
  await deposit(member, USDC)
  await prove()
  const { body } = await inclusionOf(member, `?merkleRoot=${merkleRoot}`)
  expect(body).toMatchObject({ merkleRoot, asOf: tree?.asOf })
  expect(verify(body)).toBe(true)

  const age = (seconds: number) =>
    database.query(
      `update liability_trees set as_of = as_of - make_interval(secs => $1)
      where id < (select max(id) from liability_trees)`,
      [seconds],
    )
  await age(TREE_KEPT_SECONDS - 60)
  await prove()
  expect((await inclusionOf(member, `?merkleRoot=${merkleRoot}`)).status).toBe(200)
  await age(120)
  await prove()
  const { status, body: reported } = await inclusionOf(member, `?merkleRoot=${merkleRoot}`)
  expect([status, reported.code]).toEqual([404, 'NOT_FOUND'])
  const { rows } = await database.query('select distinct tree from liability_parts')
  expect(rows.length).toBeLessThanOrEqual(1)
  expect((await inclusionOf(member)).status).toBe(200)
  expect((await inclusionOf(member, '?merkleRoot=0x12')).body.code).toBe('INVALID_REQUEST')
})

test('proves liabilities without the vault while the chain is unavailable', async () => {
  await deposit(member, USDC)
  gateway.cut('head')
  expect(await prove()).toBe('made')
  expect(verify((await inclusionOf(member)).body)).toBe(true)
  gateway.heal()
  expect((await statement()).tree).toMatchObject({ blockNumber: null, vaultBalanceUsdc: null })
  expect(await prove()).toBe('renewed')
  const { rows } = await database.query('select vault_balance from liability_trees order by id desc limit 1')
  expect(rows[0].vault_balance).not.toBeNull()
})

test('reads the chain again when a deposit arrives between reading the chain and the books', async () => {
  const { adapter } = gateway.chain
  let looks = 0
  Object.assign(gateway.faults, {
    async vaultBalance(block: bigint) {
      const held = await adapter.vaultBalance(block)
      looks += 1
      if (looks === 1) await deposit(member, 7n * USDC)
      return held
    },
  })
  expect(await prove()).toBe('made')
  expect(looks).toBe(2)
  const { rows } = await database.query(
    'select vault_balance >= consumers + providers - locked as covers from liability_trees order by id desc limit 1',
  )
  expect(rows).toEqual([{ covers: true }])
})

test('gateways that are due at the same time build one tree', async () => {
  await deposit(member, USDC)
  await database.query(`update liability_trees set as_of = as_of - interval '2 hours'`)
  const done = await Promise.all([1, 2, 3].map(() => prove({ everySeconds: 3_600 })))
  expect(done.filter(one => one === 'made')).toHaveLength(1)
  expect(await prove({ everySeconds: 3_600 })).toBe('left to another')
})

test('a gateway whose snapshot is older than the tree of another leaves it at that', async () => {
  await deposit(member, USDC)
  await database.query(`update liability_trees set as_of = as_of - interval '2 hours'`)
  const { deps } = gateway
  let others: string[] = []
  const late: Db = {
    ...deps.db,
    transaction: work =>
      deps.db.transaction(tx =>
        work({
          ...tx,
          async query(statement) {
            // The lock is asked for in the snapshot, and another gateway has had it in between.
            if (statement.text.includes('advisory') && others.length === 0) {
              await tx.query(sql`select from liability_trees`)
              others = [await prove({ everySeconds: 3_600 })]
            }
            return tx.query(statement)
          },
        }),
      ),
  }
  const done = await proveLiabilities({ ...deps, db: late }, { everySeconds: 3_600 })
  expect([done, ...others]).toEqual(['left to another', 'made'])
})

test.each([
  [1_500, 1],
  [2_900, 16],
])('each of %i wallets, in %i slices, finds its own balance under the root', async (wallets, slices) => {
  await database.query(
    `with paid as (
       insert into entries (kind, reference, account, amount)
       select 'deposit', 'seed_' || $1 || i || a, case a when 'vault' then a else 'consumer:0x' || lpad(to_hex(i), 40, '0') end,
              case a when 'vault' then -i else i end
       from generate_series(1, $1) i, unnest(array['vault', 'consumer']) a returning account, amount)
     insert into accounts (id, posted) select account, sum(amount) from paid group by account
     on conflict (id) do update set posted = accounts.posted + excluded.posted`,
    [wallets],
  )
  expect(await prove({ accountsPerSlice: wallets / slices })).toBe('made')
  const { tree } = await statement()
  expect(tree?.wallets).toBeGreaterThanOrEqual(wallets)
  for (const index of [1, 2, 700, 1_234, 1_500]) {
    const wallet = `0x${index.toString(16).padStart(40, '0')}` as const
    const { body } = await inclusionOf(await gateway.member({ address: wallet }))
    expect(micros(body.balanceUsdc) % BigInt(index)).toBe(0n)
    expect(micros(body.balanceUsdc)).toBeGreaterThan(0n)
    expect(body.walletsUsdc).toBe(tree?.walletsUsdc)
    expect(verify(body)).toBe(true)
  }
})

test('builds no tree with a negative balance', async () => {
  await deposit(member, USDC)
  const account = `consumer:${member.wallet}`
  await database.query('alter table accounts drop constraint wallets_are_not_overdrawn')
  await database.query('update accounts set posted = posted - 2000000 where id = $1', [account])
  await expect(prove()).rejects.toThrow('below zero')
  await database.query('update accounts set posted = posted + 2000000 where id = $1', [account])
  expect(await prove()).toBe('made')
})

test('subtracts open tickets from what the vault must hold, and not withdrawals under review', async () => {
  const before = micros((await statement()).tree?.lockedUsdc ?? '')
  await gateway.earn(member, usdc(1_502n * USDC))
  await openTicket(member, '2')
  const { body } = await openWithdrawal(member, '1500')
  expect(body).toMatchObject({ statusLabel: 'PENDING_REVIEW', ticket: null })
  expect(await prove()).toBe('made')
  expect(micros((await statement()).tree?.lockedUsdc ?? '')).toBe(before + 2n * USDC)
  expect(await prove()).toBe('renewed')
  const [row] = await gateway.deps.db.query<{ locked: bigint }>({
    text: 'select locked from liability_trees order by id desc limit 1',
    values: [],
  })
  expect(row?.locked).toBe(before + 2n * USDC)
})
