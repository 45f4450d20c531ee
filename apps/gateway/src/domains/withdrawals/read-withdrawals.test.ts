import { usdc } from '@farebox/money'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type MoneyGateway, startMoneyGateway, USDC } from '../../../test/kit/gateway/money-gateway.ts'
import { list, openTicket, provider } from '../../../test/kit/world/withdrawals.ts'

/** A hundred consecutive withdrawals take seconds, on a busy machine a minute. */
const MANY_MS = 180_000

let gateway: MoneyGateway

beforeAll(async () => {
  gateway = await startMoneyGateway({
    // Tickets are issued for three intervals after the vault was followed.
    env: { WITHDRAW_AUTO_APPROVE_MAX_USDC: '10', FOLLOWER_INTERVAL_SECONDS: '60' },
  })
})
afterAll(() => gateway.stop())
afterEach(async () => {
  gateway.heal()
  await gateway.assertBooks()
})

test("the list is paged, newest first, and shows the caller's withdrawals only", async () => {
  const alice = await provider(gateway, usdc(5n * USDC))
  const ids: string[] = []
  for (let count = 0; count < 3; count += 1) ids.push((await openTicket(alice, '1')).id)
  type Page = { withdrawals: { withdrawalId: string }[]; nextCursor: string | null }
  const first = await alice.send<Page>('/providers/withdrawals?limit=2')
  const second = await alice.send<Page>(`/providers/withdrawals?limit=2&cursor=${first.body.nextCursor}`)
  const seen = [...first.body.withdrawals, ...second.body.withdrawals].map(entry => entry.withdrawalId)
  expect(seen).toEqual(ids.reverse())
  expect(second.body.nextCursor).toBeNull()
  const bob = await gateway.member()
  expect(await list(bob)).toEqual([])
  const probed = await bob.send(`/providers/withdrawals/${ids[0]}`)
  expect([probed.status, probed.body.code]).toEqual([404, 'WITHDRAWAL_NOT_FOUND'])
  expect((await alice.send('/providers/withdrawals?limit=abc')).status).toBe(400)
  expect(await list(alice, '?limit=-1')).toHaveLength(1)
})

test(
  'the list has twenty withdrawals by default, and a hundred at most',
  async () => {
    const alice = await provider(gateway, usdc(2n * USDC))
    for (let count = 0; count < 101; count += 1) await openTicket(alice, '0.01')
    const lengths = []
    for (const query of ['', '?limit=100', '?limit=101']) lengths.push((await list(alice, query)).length)
    expect(lengths).toEqual([20, 100, 100])
  },
  MANY_MS,
)

describe('a provider reads', () => {
  test('its earnings by service and day', async () => {
    const alice = await provider(gateway, usdc(5n * USDC))
    await gateway.earn(alice, usdc(1n))
    await openTicket(alice, '2')
    const { status, body } = await alice.send('/providers/earnings/summary')
    expect(status).toBe(200)
    expect(body).toMatchObject({
      status: 'success',
      total: '5.000001',
      summary: {
        totalEarnedUsdc: '5.000001',
        totalCalls: 2,
        receivableUsdc: '3.000001',
        lockedUsdc: '2.000000',
        withdrawnUsdc: '0.000000',
      },
      byService: [{ serviceId: 'svc_test', calls: 2, earnedUsdc: '5.000001' }],
      byDay: [{ calls: 2, earnedUsdc: '5.000001' }],
    })
  })

  test('its withdrawable amount, which is unknown without the chain', async () => {
    const alice = await provider(gateway, usdc(5n * USDC))
    const { body } = await alice.send('/providers/withdrawals/capability')
    expect(body).toMatchObject({
      status: 'success',
      canWithdraw: true,
      available: '5.000000',
      receivableUsdc: '5.000000',
      autoApproveMaxUsdc: '10.000000',
      autoApproveLeftTodayUsdc: '10.000000',
    })
    gateway.node.misbehave({ refuses: true })
    const blind = await alice.send('/providers/withdrawals/capability')
    expect(blind.body).toMatchObject({ canWithdraw: false, vaultLiquidityUsdc: null })
  })
})
