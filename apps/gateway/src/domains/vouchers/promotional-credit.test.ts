import type { Traffic } from '@farebox/wire/traffic'
import type { Earnings, Withdrawal } from '@farebox/wire/withdrawals'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../../test/kit/gateway/test-gateway.ts'
import { get, post } from '../../../test/kit/network/http.ts'
import { startProvider, type TestProvider } from '../../../test/kit/provider/provider.ts'
import { newWallet, signIn } from '../../../test/kit/world/wallets.ts'
import {
  arrive,
  balanceOf,
  deposit,
  invoke,
  mint,
  ownerWith,
  type Person,
  register,
} from '../../../test/kit/world/world.ts'

let on: TestGateway
let other: TestGateway
let upstream: TestProvider
let admin: Person
let keys = 0

beforeAll(async () => {
  const account = newWallet()
  const env = { ADMIN_WALLETS: account.address, PLATFORM_FEE_BPS: '1000' }
  ;[on, upstream] = await Promise.all([startTestGateway({ env }), startProvider()])
  other = await startTestGateway({ share: on, env })
  admin = { account, token: await signIn(on.url, account) }
  await deposit(on, admin, '1000')
})
afterEach(() => on.assertBooks())
afterAll(async () => {
  await other.stop()
  await on.stop()
  await upstream.stop()
})

/** Gives voucher credit to each wallet. */
async function give(amountUsdc: string, ...people: Person[]): Promise<void> {
  const body = { amountUsdc, count: 1, maxRedemptions: people.length, expiresAt: '2099-01-01T00:00:00Z' }
  const made = await post<{ vouchers: { voucherCode: string }[] }>(on, '/admin/vouchers', {
    token: admin.token,
    body,
  })
  const voucherCode = made.body.vouchers[0]?.voucherCode
  for (const { token } of people) {
    expect((await post(on, '/balance/vouchers/redeem', { token, body: { voucherCode } })).status).toBe(200)
  }
}

const serviceOf = (provider: Person, priceUsdc: string) =>
  register(on, provider, { targets: [upstream.url], priceUsdc })

async function pay(payer: Person, serviceId: string, costUsdc: string) {
  const credential = await mint(on, payer)
  return invoke(on, credential, { serviceId, costUsdc, idempotencyKey: 'one', payload: { body: {} } })
}

async function summaryOf({ token }: Person) {
  const { body } = await get<Earnings>(on, '/providers/earnings/summary', { token })
  const { totalEarnedUsdc, promotionalUsdc, receivablePromotionalUsdc } = body.summary
  return [totalEarnedUsdc, promotionalUsdc, receivablePromotionalUsdc]
}

function withdraw({ token }: Person, amountUsdc: string) {
  keys += 1
  const headers = { 'x-idempotency-key': `key ${keys}` }
  const sent = { token, headers, body: { amountUsdc } }
  return post<{ withdrawalId: string; statusLabel: string }>(on, '/providers/withdrawals/intent', sent)
}

const readWithdrawal = async ({ token }: Person, id: string) =>
  (await get<{ withdrawal: Withdrawal }>(on, `/providers/withdrawals/${id}`, { token })).body.withdrawal

describe('what a provider earns from vouchers', () => {
  test('is counted separately, and vouchers of many wallets need a review before payout', async () => {
    const provider = await arrive(on)
    const serviceId = await serviceOf(provider, '50')
    const people = [await arrive(on), await arrive(on), await arrive(on)]
    await give('50', ...people)
    for (const person of people) expect((await pay(person, serviceId, '50')).status).toBe(200)
    expect(await summaryOf(provider)).toEqual(['135.000000', '135.000000', '135.000000'])
    for (const amount of ['0.000001', '45', '89.999999']) {
      const { body } = await withdraw(provider, amount)
      expect(body.statusLabel).toBe('PENDING_REVIEW')
    }
    expect(await summaryOf(provider)).toEqual(['135.000000', '135.000000', '0.000000'])
  })

  test('is separate in the traffic of its services', async () => {
    const provider = await arrive(on)
    const serviceId = await serviceOf(provider, '10')
    const payer = await ownerWith(on, '10')
    await give('4', payer)
    expect((await pay(payer, serviceId, '10')).status).toBe(200)
    const { total, byService, series } = (await get<Traffic>(on, '/providers/traffic', provider)).body
    const sums = { calls: 1, earnedUsdc: '9.000000', promotionalUsdc: '4.000000' }
    expect(total).toMatchObject(sums)
    expect(byService).toMatchObject([{ serviceId, ...sums }])
    expect(series.filter(({ calls }) => calls > 0)).toMatchObject([sums])
  })

  test('is withdrawn last, with a review that shows it, and is promotional again after a rejection', async () => {
    const provider = await arrive(on)
    const serviceId = await serviceOf(provider, '10')
    const payer = await ownerWith(on, '10')
    await give('4', payer)
    expect((await pay(payer, serviceId, '10')).status).toBe(200)
    expect(await summaryOf(provider)).toEqual(['9.000000', '4.000000', '4.000000'])
    expect((await withdraw(provider, '3')).body.statusLabel).toBe('APPROVED_AUTO')

    const { body } = await withdraw(provider, '5')
    expect(body.statusLabel).toBe('PENDING_REVIEW')
    expect((await readWithdrawal(provider, body.withdrawalId)).promotionalUsdc).toBe('3.000000')
    const queue = await get<{ withdrawals: Withdrawal[] }>(on, '/admin/withdrawals?limit=1', admin)
    expect(queue.body.withdrawals).toMatchObject([
      { withdrawalId: body.withdrawalId, promotionalUsdc: '3.000000' },
    ])
    expect(await summaryOf(provider)).toEqual(['9.000000', '4.000000', '1.000000'])

    const path = `/admin/withdrawals/${body.withdrawalId}/reject`
    expect((await post(on, path, { token: admin.token, body: { reason: 'no' } })).status).toBe(200)
    expect(await summaryOf(provider)).toEqual(['9.000000', '4.000000', '4.000000'])
    expect((await withdraw(provider, '2')).body.statusLabel).toBe('APPROVED_AUTO')
    expect((await withdraw(provider, '4')).body.statusLabel).toBe('PENDING_REVIEW')
  })

  test('equals what vouchers paid, for parallel calls at two gateways', async () => {
    const provider = await arrive(on)
    const serviceId = await serviceOf(provider, '0.1')
    const payer = await ownerWith(on, '1')
    await give('0.55', payer)
    const credential = await mint(on, payer)
    const answers = await Promise.all(
      Array.from({ length: 15 }, (_, index) =>
        invoke(index % 2 === 0 ? on : other, credential, {
          serviceId,
          costUsdc: '0.1',
          idempotencyKey: `call ${index}`,
          payload: { body: {} },
        }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(15).fill(200))
    // Of each charge 0.09 is earned; of the charge that a voucher covers by half, half of that is promotional.
    expect(await summaryOf(provider)).toEqual(['1.350000', '0.500000', '0.500000'])
  })
})

describe('voucher credit', () => {
  test('pays no service of the same wallet, unlike deposited money', async () => {
    const owner = await arrive(on)
    const [own, foreign] = [await serviceOf(owner, '3'), await serviceOf(await arrive(on), '3')]
    await give('10', owner)
    const refused = await pay(owner, own, '3')
    expect([refused.status, refused.body.code]).toEqual([402, 'BUDGET_EXHAUSTED'])
    expect(refused.body.detail).toMatchObject({ limit: 'owner_balance', remainingUsdc: '0.000000' })
    await deposit(on, owner, '4')
    expect((await pay(owner, own, '3')).status).toBe(200)
    expect(await summaryOf(owner)).toEqual(['2.700000', '0.000000', '0.000000'])
    expect((await pay(owner, own, '3')).body.detail).toMatchObject({ remainingUsdc: '1.000000' })
    expect((await pay(owner, foreign, '3')).status).toBe(200)
    expect((await balanceOf(on, owner)).available).toBe(8_000_000n)
  })

  test('is voucher credit again when a call fails', async () => {
    const [owner, provider] = [await arrive(on), await arrive(on)]
    const serviceId = await serviceOf(provider, '2')
    await give('2', owner)
    upstream.respondWith((_, response) => response.writeHead(500).end())
    expect((await pay(owner, serviceId, '2')).status).toBe(502)
    upstream.respondWith((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
    expect((await pay(owner, serviceId, '2')).status).toBe(200)
    expect(await summaryOf(provider)).toEqual(['1.800000', '1.800000', '1.800000'])
  })

  test('stays voucher credit when an admin funds promotions with it', async () => {
    const before = await on.sql<{ promotional: string }>(
      `select promotional::text from accounts where id = $1`,
      [`consumer:${admin.account.address.toLowerCase()}`],
    )
    expect(before).toEqual([{ promotional: '0' }])
    await give('5', admin)
    const body = { amountUsdc: '6', count: 1, maxRedemptions: 1, expiresAt: '2099-01-01T00:00:00Z' }
    expect((await post(on, '/admin/vouchers', { token: admin.token, body })).status).toBe(200)
    expect(
      await on.sql(`select promotional::text from promotion_fundings order by created_at desc limit 1`),
    ).toEqual([{ promotional: '5000000' }])
  })
})
