import { usdc } from '@farebox/money'
import type { CreatedVouchers, RedeemedVoucher, VoucherOut } from '@farebox/wire/vouchers'
import sql from 'sql-template-tag'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { lockRows } from '../../../test/kit/database/row-locks.ts'
import { type Caller, type ForumGateway, startForumGateway } from '../../../test/kit/gateway/forum-gateway.ts'
import { until } from '../../../test/kit/until.ts'
import { countStatuses } from '../../../test/kit/world/world.ts'
import { createSecretBox } from '../../adapters/secret-box.ts'
import { createVouchers } from './create-vouchers.ts'

let gateways: ForumGateway
let admin: Caller

beforeAll(async () => {
  gateways = await startForumGateway()
  admin = gateways.admin
})
afterAll(() => gateways.stop())
afterEach(() => gateways.gateway.assertBooks())

type Refusal = { code: string; detail: Record<string, unknown> }
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()

const create = (
  change: Record<string, unknown> = {},
  who: Caller = admin,
  more: { key?: string; on?: ForumGateway['gateway'] } = {},
) =>
  who.send<CreatedVouchers & Refusal>('/admin/vouchers', {
    method: 'POST',
    body: { amountUsdc: '1', count: 1, maxRedemptions: 1, expiresAt: inAnHour(), ...change },
    ...(more.key !== undefined && { headers: { 'x-idempotency-key': more.key } }),
    ...(more.on !== undefined && { on: more.on }),
  })
/** Creates a voucher that is funded by a deposit of the admin. */
async function voucher(change: { amountUsdc?: string; maxRedemptions?: number } = {}) {
  const { amountUsdc = '1', maxRedemptions = 1 } = change
  await gateways.deposit(String(Number(amountUsdc) * maxRedemptions))
  const { status, body } = await create({ amountUsdc, maxRedemptions })
  expect(status).toBe(200)
  const [made] = body.vouchers
  if (made === undefined) throw new Error('There is no voucher.')
  return made
}
const redeem = (
  who: Caller,
  voucherCode: unknown,
  more: { key?: string; on?: ForumGateway['gateway'] } = {},
) =>
  who.send<RedeemedVoucher & Refusal>('/balance/vouchers/redeem', {
    method: 'POST',
    body: { voucherCode },
    ...(more.key !== undefined && { headers: { 'x-idempotency-key': more.key } }),
    ...(more.on !== undefined && { on: more.on }),
  })
const list = (query = '', who: Caller = admin) =>
  who.send<{ vouchers: VoucherOut[]; nextCursor: string | null } & Refusal>(`/admin/vouchers${query}`)
const available = async (who: Caller) =>
  (await who.send<{ consumer_available_balance: string }>('/balance')).body.consumer_available_balance
const reserves = async () =>
  (
    await gateways
      .stranger()
      .send<{ differenceUsdc: string; ledgerSumUsdc: string; liabilities: Record<string, string> }>(
        '/proof/reserves',
      )
  ).body
const everybody = (count: number) => Promise.all(Array.from({ length: count }, () => gateways.member()))
const expire = (batchId: string) =>
  gateways.gateway.sql(`update vouchers set expires_at = now() - interval '1 second' where batch_id = $1`, [
    batchId,
  ])

describe('creating vouchers', () => {
  test('shows their codes once, is funded by the admin, and lists them without codes', async () => {
    await gateways.deposit('100')
    const before = Number(await available(admin))
    const expiresAt = inAnHour()
    const { status, body } = await create({ amountUsdc: '2.5', count: 3, maxRedemptions: 4, expiresAt })
    expect(status).toBe(200)
    expect(body).toMatchObject({ totalUsdc: '30.000000', fundedUsdc: '30.000000' })
    expect(before - Number(await available(admin))).toBe(30)
    expect(new Set(body.vouchers.map(({ voucherCode }) => voucherCode)).size).toBe(3)
    expect(body.vouchers[0]).toEqual({
      voucherId: expect.stringMatching(/^vch_/),
      batchId: body.vouchers[1]?.batchId,
      voucherCode: expect.stringMatching(/^FBX(-[0-9A-Z]{4}){7}$/),
      amountUsdc: '2.500000',
      maxRedemptions: 4,
      redemptions: 0,
      status: 'active',
      expiresAt,
      createdBy: admin.address,
      createdAt: expect.any(String),
    })

    const { voucherCode: shownOnce, ...listed } = body.vouchers.at(-1) ?? { voucherCode: '' }
    expect((await list('?limit=3')).body.vouchers).toContainEqual(listed)
    const kept = await gateways.gateway.sql<{ row: string }>(
      `select v::text as row from vouchers v union all select a::text from admin_audit a`,
    )
    const digits = shownOnce.replaceAll('-', '').slice(3)
    expect(kept.filter(({ row }) => row.includes(shownOnce) || row.includes(digits))).toEqual([])
    const audit = await gateways.gateway.sql('select * from admin_audit where target = $1', [
      body.vouchers[0]?.batchId,
    ])
    expect(audit).toMatchObject([
      {
        actor: admin.address?.toLowerCase(),
        action: 'vouchers.create',
        before: null,
        after: { totalUsdc: '30.000000', fundedUsdc: '30.000000' },
      },
    ])
  })

  test('again under the same key, at either gateway, returns the same codes and is funded once', async () => {
    await gateways.deposit('6')
    const before = Number(await available(admin))
    const change = { amountUsdc: '2', count: 3, expiresAt: inAnHour() }
    const first = await create(change, admin, { key: 'b1' })
    const again = await create(change, admin, { key: 'b1', on: gateways.other })
    expect([again.status, again.headers['idempotent-replayed'], again.body]).toEqual([
      200,
      'true',
      first.body,
    ])
    expect(before - Number(await available(admin))).toBe(6)
    expect(await create({ ...change, count: 2 }, admin, { key: 'b1' })).toMatchObject({
      status: 409,
      body: { code: 'IDEMPOTENCY_CONFLICT' },
    })
    const code = first.body.vouchers[2]?.voucherCode ?? ''
    expect((await redeem(await gateways.member(), code)).status).toBe(200)
    const kept = await gateways.gateway.sql('select 1 from idempotent_responses where body::text like $1', [
      `%${code.slice(4, 13)}%`,
    ])
    expect(kept).toEqual([])
  })

  test('again after ENCRYPTION_KEY was changed returns no codes that do not work', async () => {
    await gateways.deposit('1')
    const { deps } = gateways.gateway.gateway
    const createdBy = admin.address?.toLowerCase() ?? ''
    const batch = { amount: usdc(1_000_000n), count: 1, redemptionsMax: 1, createdBy, idempotencyKey: 'b3' }
    const input = { ...batch, expiresAt: new Date(Date.now() + 3_600_000) }
    const nothing = async () => undefined
    expect(await createVouchers(deps, input, nothing)).toMatchObject({ isReplay: false })
    const resealed = { ...deps, secretBox: createSecretBox('7'.repeat(64)) }
    await expect(createVouchers(resealed, input, nothing)).rejects.toThrow('another ENCRYPTION_KEY')
  })

  test('under the key of a creation in progress is IDEMPOTENCY_IN_PROGRESS', async () => {
    const scope = `voucher-batches:${admin.address?.toLowerCase()} b2`
    const busy = await gateways.gateway.gateway.deps.db.transaction(async tx => {
      await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${scope}, 0))`)
      return create({}, admin, { key: 'b2' })
    })
    expect(busy).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_IN_PROGRESS' } })
  })

  test('is rejected without funds: INSUFFICIENT_BALANCE', async () => {
    const has = await available(admin)
    const before = await list('?limit=100')
    const { status, body } = await create({ amountUsdc: '10000', count: 100 })
    expect([status, body.code]).toEqual([402, 'INSUFFICIENT_BALANCE'])
    expect(body.detail).toMatchObject({ requiredUsdc: '1000000.000000', availableUsdc: has })
    expect((await list('?limit=100')).body).toEqual(before.body)
    expect(await available(admin)).toBe(has)
  })

  test('does not spend the same funds in parallel', async () => {
    const has = Number(await available(admin))
    await gateways.deposit(String(1_000 - has))
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        admin.send('/admin/vouchers', {
          method: 'POST',
          body: { amountUsdc: '100', count: 1, maxRedemptions: 3, expiresAt: inAnHour() },
          on: index % 2 === 0 ? gateways.gateway : gateways.other,
        }),
      ),
    )
    expect(countStatuses(answers)).toEqual({ 200: 3, 402: 7 })
    expect(await available(admin)).toBe('100.000000')
  })

  test('reuses the funds of expired ones', async () => {
    await gateways.deposit('5')
    const first = await create({ amountUsdc: '5' })
    await expire(first.body.vouchers[0]?.batchId ?? '')
    const second = await create({ amountUsdc: '3' })
    expect(second.body).toMatchObject({ totalUsdc: '3.000000', fundedUsdc: '0.000000' })
  })

  test.each<[string, Record<string, unknown>]>([
    ['amountUsdc', { amountUsdc: '0' }],
    ['amountUsdc', { amountUsdc: '-1' }],
    ['amountUsdc', { amountUsdc: '10000.000001' }],
    ['amountUsdc', { amountUsdc: undefined }],
    ['count', { count: 0 }],
    ['count', { count: 101 }],
    ['count', { count: '1' }],
    ['maxRedemptions', { maxRedemptions: 0 }],
    ['maxRedemptions', { maxRedemptions: 100_001 }],
    ['maxRedemptions', { maxRedemptions: 1.5 }],
    ['expiresAt', { expiresAt: 'tomorrow' }],
    ['expiresAt', { expiresAt: undefined }],
    ['expiresAt', { expiresAt: '2020-01-01T00:00:00Z' }],
  ])('with an invalid %s is INVALID_PAYLOAD', async (name, change) => {
    const { status, body } = await create(change)
    expect([status, body.code]).toEqual([400, 'INVALID_PAYLOAD'])
    expect(body).toMatchObject({ message: expect.stringContaining(name) })
  })

  test('is reserved to admins, like listing', async () => {
    const [somebody, stranger] = [await gateways.member(), gateways.stranger()]
    expect((await create({}, somebody)).body.code).toBe('FORBIDDEN')
    expect((await list('', somebody)).body.code).toBe('FORBIDDEN')
    expect((await create({}, stranger)).body.code).toBe('UNAUTHORIZED')
    expect((await list('', stranger)).body.code).toBe('UNAUTHORIZED')
  })

  test('lists them by status, newest first, in pages', async () => {
    const [used, open, late] = [await voucher(), await voucher(), await voucher()]
    expect((await redeem(await gateways.member(), used.voucherCode)).body).toMatchObject({
      status: 'success',
    })
    await expire(late.batchId)
    const ids = async (query: string) => (await list(query)).body.vouchers.map(({ voucherId }) => voucherId)
    expect((await ids('?status=used_up'))[0]).toBe(used.voucherId)
    expect((await ids('?status=active'))[0]).toBe(open.voucherId)
    expect((await ids('?status=expired'))[0]).toBe(late.voucherId)
    const page = await list('?limit=2')
    expect(page.body.vouchers).toMatchObject([
      { voucherId: late.voucherId, status: 'expired' },
      { voucherId: open.voucherId, status: 'active' },
    ])
    expect(await ids(`?limit=1&cursor=${page.body.nextCursor}`)).toEqual([used.voucherId])
    for (const query of ['?status=lost', '?limit=many', '?cursor=%20'])
      expect(await list(query)).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } })
  })
})

describe('a voucher', () => {
  test('credits its amount to the balance, however its code is typed', async () => {
    const { voucherCode } = await voucher({ amountUsdc: '2.5', maxRedemptions: 3 })
    const typed = [voucherCode, voucherCode.toLowerCase().replaceAll('-', ''), ` ${voucherCode.slice(4)} `]
    for (const code of typed) {
      const alice = await gateways.member()
      const { status, body } = await redeem(alice, code)
      expect([status, body]).toEqual([200, { status: 'success', voucherCode, amountUsdc: '2.500000' }])
      expect(await available(alice)).toBe('2.500000')
      const ledger = await alice.send('/balance/ledger')
      expect(ledger.body.entries).toMatchObject([
        { kind: 'voucher', account: 'consumer', amountUsdc: '2.500000' },
      ])
    }
  })

  test('transfers money without changing the liabilities', async () => {
    const before = await reserves()
    expect(before).toMatchObject({ differenceUsdc: '0.000000', ledgerSumUsdc: '0.000000' })
    const { voucherCode } = await voucher({ amountUsdc: '7' })
    await redeem(await gateways.member(), voucherCode)
    await expect.poll(reserves).toMatchObject({
      differenceUsdc: '0.000000',
      ledgerSumUsdc: '0.000000',
      liabilities: {
        consumerUsdc: (Number(before.liabilities.consumerUsdc) + 7).toFixed(6),
        platformUsdc: before.liabilities.platformUsdc,
      },
    })
  })

  test('pays a wallet once: VOUCHER_ALREADY_REDEEMED, also in parallel', async () => {
    const { voucherCode } = await voucher({ maxRedemptions: 100 })
    const alice = await gateways.member()
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        redeem(alice, voucherCode, { on: index % 2 === 0 ? gateways.gateway : gateways.other }),
      ),
    )
    expect(countStatuses(answers)).toEqual({ 200: 1, 409: 49 })
    expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({
      code: 'VOUCHER_ALREADY_REDEEMED',
      detail: { reason: 'by_this_wallet' },
    })
    expect(await available(alice)).toBe('1.000000')
  })

  test('pays at most maxRedemptions wallets of a hundred in parallel', async () => {
    const { voucherCode, voucherId } = await voucher({ maxRedemptions: 10 })
    const crowd = await everybody(100)
    const answers = await Promise.all(
      crowd.map((who, index) =>
        redeem(who, voucherCode, { on: index % 2 === 0 ? gateways.gateway : gateways.other }),
      ),
    )
    expect(countStatuses(answers)).toEqual({ 200: 10, 409: 90 })
    expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({
      code: 'VOUCHER_ALREADY_REDEEMED',
      detail: { reason: 'used_up' },
    })
    const balances = await Promise.all(crowd.map(available))
    expect(balances.filter(balance => balance === '1.000000')).toHaveLength(10)
    const { body } = await list('?limit=100')
    expect(body.vouchers.find(one => one.voucherId === voucherId)).toMatchObject({
      redemptions: 10,
      status: 'used_up',
    })
  })

  test('redeemed while others are created and redeemed leaves the books exact', async () => {
    await gateways.deposit('60')
    const { body } = await create({ count: 10, maxRedemptions: 3 })
    const crowd = await everybody(6)
    const both = (index: number) => ({ on: index % 2 === 0 ? gateways.gateway : gateways.other })
    const answers = await Promise.all([
      ...crowd.flatMap((who, index) =>
        body.vouchers.map(({ voucherCode }) => redeem(who, voucherCode, both(index))),
      ),
      ...Array.from({ length: 5 }, () => create({ maxRedemptions: 3 })),
    ])
    expect(countStatuses(answers)).toEqual({ 200: 35, 409: 30 })
  })

  test('that has expired pays nothing: VOUCHER_EXPIRED', async () => {
    const { voucherCode, batchId } = await voucher({ maxRedemptions: 2 })
    const [early, late] = await everybody(2)
    if (early === undefined || late === undefined) throw new Error('Nobody is there.')
    expect((await redeem(early, voucherCode)).status).toBe(200)
    await expire(batchId)
    expect(await redeem(late, voucherCode)).toMatchObject({ status: 410, body: { code: 'VOUCHER_EXPIRED' } })
    expect((await redeem(early, voucherCode)).body.code).toBe('VOUCHER_ALREADY_REDEEMED')
    expect(await available(late)).toBe('0.000000')
  })

  test('that expires while its redemption waits pays nothing, as its funds may be reused', async () => {
    const { voucherCode, batchId } = await voucher()
    const alice = await gateways.member()
    const { database, sql: ask } = gateways.gateway
    const statement = 'select 1 from accounts where id = $1 for update'
    const promotions = await lockRows(database.url, statement, ['promotions'])
    const redemption = redeem(alice, voucherCode)
    const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await until('the redemption waits', async () => (await ask(waiting)).length > 0)
    await expire(batchId)
    await promotions.release()
    expect(await redemption).toMatchObject({ status: 410, body: { code: 'VOUCHER_EXPIRED' } })
  })

  test('is VOUCHER_NOT_FOUND when unknown, and INVALID_PAYLOAD when its code is not text', async () => {
    const alice = await gateways.member()
    for (const code of ['FBX-0000-0000-0000-0000-0000-0000-0000', 'hello', '💥', '\u0000']) {
      expect(await redeem(alice, code)).toMatchObject({ status: 404, body: { code: 'VOUCHER_NOT_FOUND' } })
    }
    for (const code of [undefined, '', 7, null, ['a'], 'a'.repeat(201)]) {
      expect(await redeem(alice, code)).toMatchObject({ status: 400, body: { code: 'INVALID_PAYLOAD' } })
    }
    expect((await redeem(gateways.stranger(), 'hello')).body.code).toBe('UNAUTHORIZED')
  })
})

describe('a redemption with an idempotency key', () => {
  test('is replayed at either gateway, and pays once', async () => {
    const [{ voucherCode }, other] = [await voucher(), await voucher()]
    const alice = await gateways.member()
    const first = await redeem(alice, voucherCode, { key: 'k1' })
    expect(first.headers['idempotent-replayed']).toBeUndefined()
    const again = await redeem(alice, voucherCode.toLowerCase(), { key: 'k1', on: gateways.other })
    expect([again.status, again.body]).toEqual([200, first.body])
    expect(again.headers['idempotent-replayed']).toBe('true')
    expect((await redeem(alice, voucherCode, { key: 'k2' })).body.code).toBe('VOUCHER_ALREADY_REDEEMED')
    expect(await redeem(alice, other.voucherCode, { key: 'k1' })).toMatchObject({
      status: 409,
      body: { code: 'IDEMPOTENCY_CONFLICT' },
    })
    expect(await available(alice)).toBe('1.000000')
    const kept = await gateways.gateway.sql('select 1 from idempotent_responses where body::text like $1', [
      `%${voucherCode}%`,
    ])
    expect(kept).toEqual([])
  })

  test('that was rejected can be retried with the same key', async () => {
    const alice = await gateways.member()
    const unmade = 'FBX-0000-0000-0000-0000-0000-0000-0000'
    expect((await redeem(alice, unmade, { key: 'k1' })).status).toBe(404)
    const { voucherCode } = await voucher()
    expect((await redeem(alice, voucherCode, { key: 'k1' })).status).toBe(200)
  })

  test('in progress is IDEMPOTENCY_IN_PROGRESS, and with a malformed key INVALID_REQUEST', async () => {
    const { voucherCode } = await voucher()
    const alice = await gateways.member()
    const scope = `vouchers:${alice.address?.toLowerCase()} k1`
    const busy = await gateways.gateway.gateway.deps.db.transaction(async tx => {
      await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${scope}, 0))`)
      return redeem(alice, voucherCode, { key: 'k1' })
    })
    expect(busy).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_IN_PROGRESS' } })
    expect(busy.headers['retry-after']).toBeDefined()
    expect(await redeem(alice, voucherCode, { key: 'a'.repeat(256) })).toMatchObject({
      status: 400,
      body: { code: 'INVALID_REQUEST' },
    })
    expect((await redeem(alice, voucherCode, { key: 'k1' })).status).toBe(200)
  })
})

test('guessing codes is RATE_LIMITED', async () => {
  const guesser = await gateways.member()
  const guesses = () => Promise.all(Array.from({ length: 310 }, () => redeem(guesser, 'guess')))
  const answers = await gateways.atOnce(guesses)
  expect(countStatuses(answers)).toEqual({ 404: 300, 429: 10 })
  const refused = answers.find(({ status }) => status === 429)
  expect(refused?.body.code).toBe('RATE_LIMITED')
  expect(refused?.headers['retry-after']).toBeDefined()
})
