import { usdc } from '@farebox/money'
import type { Withdrawal } from '@farebox/wire/withdrawals'
import { zeroAddress } from 'viem'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { whileRunning } from '../../../test/kit/database/while-running.ts'
import { type MoneyGateway, startMoneyGateway, USDC } from '../../../test/kit/gateway/money-gateway.ts'
import type { Member } from '../../../test/kit/world/member.ts'
import { newWallet } from '../../../test/kit/world/wallets.ts'
import { list, type Opened, redeem, statuses } from '../../../test/kit/world/withdrawals.ts'

const [admin, deputy] = [newWallet(), newWallet()]
let gateway: MoneyGateway
let boss: Member

beforeAll(async () => {
  gateway = await startMoneyGateway({
    requiredConfirmations: 1,
    env: { WITHDRAW_AUTO_APPROVE_MAX_USDC: '10', ADMIN_WALLETS: `${admin.address}, ${deputy.address}` },
  })
  boss = await gateway.member(admin)
  await gateway.earn(await gateway.member(), usdc(100n * USDC), usdc(30n * USDC))
})
afterAll(() => gateway.stop())
afterEach(async () => {
  gateway.heal()
  await gateway.assertBooks()
})

let keys = 0
function withdrawFees(who: Member, amountUsdc: string, more: object = {}, key?: string) {
  keys += 1
  const headers = { 'x-idempotency-key': key ?? `fees ${keys}` }
  const body = { amountUsdc, ...more }
  return who.send<Opened & { code: string; detail: Record<string, unknown> }>('/admin/fees/withdraw', {
    method: 'POST',
    body,
    headers,
  })
}

const approve = (who: Member, id: string) =>
  who.send<{ code: string; withdrawal: Withdrawal }>(`/admin/withdrawals/${id}/approve`, {
    method: 'POST',
    body: {},
  })

test('pays out fees once by a ticket that the vault pays, audited and booked', async () => {
  const first = await withdrawFees(boss, '4', { reason: 'rent' }, 'rent')
  expect(first.body).toMatchObject({ statusLabel: 'APPROVED_AUTO', ticket: { to: boss.address } })
  expect((await withdrawFees(boss, '4', { reason: 'rent' }, 'rent')).body).toEqual(first.body)
  expect((await withdrawFees(boss, '5', {}, 'rent')).body.code).toBe('IDEMPOTENCY_CONFLICT')
  await gateway.assertBooks()
  if (first.body.ticket === null) throw new Error('There is no ticket.')
  await redeem(gateway, first.body.ticket)
  await gateway.chain.mine(1)
  await gateway.follow()
  expect(await list(boss)).toMatchObject([{ status: 'COMPLETED', source: 'fees', amountUsdc: '4.000000' }])
  expect(await gateway.chain.usdcOf(boss.address)).toBe(4n * USDC)
  const audit = await boss.send<{ entries: object[] }>('/admin/audit-log?limit=1')
  expect(audit.body.entries).toMatchObject([
    { action: 'fees.withdraw', target: first.body.withdrawalId, actor: boss.address, reason: 'rent' },
  ])
  const { body } = await boss.send<{ summary: object }>('/providers/earnings/summary')
  expect(body.summary).toMatchObject({ withdrawnUsdc: '0.000000', lockedUsdc: '0.000000' })
})

test('fees above the daily limit wait for another admin, and no more than the balance can be paid out', async () => {
  const treasury = await gateway.member()
  const more = { destinationAddress: treasury.address }
  const { body } = await withdrawFees(boss, '11', more)
  expect(body).toMatchObject({ statusLabel: 'PENDING_REVIEW', ownerAddress: treasury.address, ticket: null })
  const own = await approve(boss, body.withdrawalId)
  expect([own.status, own.body.code]).toEqual([403, 'FORBIDDEN'])
  const approved = await approve(await gateway.member(deputy), body.withdrawalId)
  expect(approved.body.withdrawal).toMatchObject({
    status: 'APPROVED_MANUAL',
    ticket: { to: treasury.address },
  })
  const tooMuch = await withdrawFees(boss, '15.000001', more)
  expect([tooMuch.status, tooMuch.body.code]).toEqual([422, 'INSUFFICIENT_PROVIDER_RECEIVABLE'])
  expect(tooMuch.body.detail).toMatchObject({ receivableUsdc: '15.000000' })
  await gateway.chain.increaseTime(3_601)
  await gateway.chain.mine(2)
  expect(await statuses(treasury)).toEqual(['CANCELLED'])
  expect((await withdrawFees(boss, '26.000001', more)).status).toBe(422)
})

test('fees are paid out by admins only, to a wallet that can be paid, and not without the chain', async () => {
  const refusal = async (who: Member, more: object = {}) => {
    const { status, body } = await withdrawFees(who, '1', more)
    return [status, body.code]
  }
  expect(await refusal(await gateway.member())).toEqual([403, 'FORBIDDEN'])
  expect(await refusal(boss, { destinationAddress: zeroAddress })).toEqual([400, 'INVALID_ADDRESS'])
  expect(await refusal(boss, { destinationAddress: gateway.chain.contracts.vault })).toEqual([
    400,
    'INVALID_ADDRESS',
  ])
  gateway.node.misbehave({ refuses: true })
  expect(await refusal(boss)).toEqual([503, 'WITHDRAW_VAULT_LIQUIDITY_CHECK_UNAVAILABLE'])
})

test('a payout needs a key, and one whose first request still runs is IDEMPOTENCY_IN_PROGRESS', async () => {
  const keyless = await boss.send<{ code: string }>('/admin/fees/withdraw', {
    method: 'POST',
    body: { amountUsdc: '1' },
  })
  expect([keyless.status, keyless.body.code]).toEqual([400, 'MISSING_IDEMPOTENCY_KEY'])
  const key = { scope: `fees:${boss.wallet}`, key: 'busy' }
  const busy = await whileRunning(gateway.deps.db, key, () => withdrawFees(boss, '1', {}, 'busy'))
  expect([busy.status, busy.body.code]).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS'])
  expect((await withdrawFees(boss, '1', {}, 'busy')).status).toBe(200)
})
