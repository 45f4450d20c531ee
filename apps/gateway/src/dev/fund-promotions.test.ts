import { usdc } from '@farebox/money'
import type { CreatedVouchers } from '@farebox/wire/vouchers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ForumGateway, startForumGateway } from '../../test/kit/gateway/forum-gateway.ts'
import { createFaucet } from './faucet.ts'
import { createPromotionFund } from './fund-promotions.ts'

let gateways: ForumGateway

beforeAll(async () => {
  gateways = await startForumGateway()
})
afterAll(() => gateways.stop())

test('funds vouchers that an admin cannot pay, with money in the vault', async () => {
  const { gateway, admin } = gateways
  const { client, contracts } = gateway.chain
  const fund = createPromotionFund({ client, contracts, faucet: createFaucet(client, contracts) })
  const create = () =>
    admin.send<CreatedVouchers & { code: string }>('/admin/vouchers', {
      method: 'POST',
      body: {
        amountUsdc: '5',
        count: 2,
        maxRedemptions: 3,
        expiresAt: new Date(Date.now() + 60_000).toISOString(),
      },
    })
  expect((await create()).body.code).toBe('INSUFFICIENT_BALANCE')
  await Promise.all([
    fund(gateway.gateway.deps, usdc(20_000_000n)),
    fund(gateway.gateway.deps, usdc(10_000_000n)),
  ])
  const { status, body } = await create()
  expect([status, body.fundedUsdc]).toEqual([200, '0.000000'])
  const member = await gateways.member()
  const voucherCode = body.vouchers[0]?.voucherCode
  const redeemed = await member.send('/balance/vouchers/redeem', { method: 'POST', body: { voucherCode } })
  expect(redeemed.body).toMatchObject({ amountUsdc: '5.000000' })
  const reserves = await member.send('/proof/reserves')
  expect(reserves.body).toMatchObject({ vaultBalanceUsdc: '30.000000', differenceUsdc: '0.000000' })
  await gateway.assertBooks()
})
