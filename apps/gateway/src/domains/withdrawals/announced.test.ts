import { usdc } from '@farebox/money'
import { webhookData } from '@farebox/wire/webhook-events'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type MoneyGateway, startMoneyGateway, USDC } from '../../../test/kit/gateway/money-gateway.ts'
import type { Member } from '../../../test/kit/world/member.ts'
import { newWallet } from '../../../test/kit/world/wallets.ts'
import {
  complete,
  list,
  openTicket,
  openWithdrawal,
  provider,
  redeem,
} from '../../../test/kit/world/withdrawals.ts'

const admin = newWallet()
let gateway: MoneyGateway
let boss: Member

beforeAll(async () => {
  gateway = await startMoneyGateway({
    requiredConfirmations: 1,
    env: { WITHDRAW_AUTO_APPROVE_MAX_USDC: '3', ADMIN_WALLETS: admin.address },
  })
  boss = await gateway.member(admin)
})
afterAll(async () => {
  await gateway.assertBooks()
  await gateway.stop()
})

/** Returns a provider with earnings and a webhook, and a function that returns the events so far, oldest first. */
async function listening() {
  const who = await provider(gateway, usdc(20n * USDC))
  const { db, ids } = gateway.deps
  const id = ids.next('wh')
  await db.query(sql`insert into webhooks (id, owner, url, origin, events, secret)
    values (${id}, ${who.wallet}, 'https://a.example/', 'https://a.example', '{withdrawal.updated}', 'sealed')`)
  return {
    who,
    async reported() {
      const rows = await db.query<{ body: string }>(
        sql`select body from webhook_deliveries where webhook_id = ${id} order by created_at`,
      )
      return rows.map(({ body }) => webhookData['withdrawal.updated'].strict().parse(JSON.parse(body).data))
    },
  }
}

const states = (reported: readonly { previousStatus: string | null; status: string }[]) =>
  reported.map(({ previousStatus, status }) => [previousStatus, status])

const review = (id: string, decision: 'approve' | 'reject') =>
  boss.send(`/admin/withdrawals/${id}/${decision}`, { method: 'POST', body: { reason: 'looked at' } })

test('announces an opened, redeemed and reported withdrawal once per step, without the ticket', async () => {
  const { who, reported } = await listening()
  const { id, ticket } = await openTicket(who, '2')
  const txHash = await redeem(gateway, ticket)
  await Promise.all([complete(who, id, txHash), complete(who, id, txHash), gateway.follow()])
  const events = await reported()
  expect(states(events)).toEqual([
    [null, 'APPROVED_AUTO'],
    ['APPROVED_AUTO', 'COMPLETED'],
  ])
  expect(events[1]).toEqual({
    walletAddress: who.address,
    withdrawalId: id,
    amountUsdc: '2.000000',
    status: 'COMPLETED',
    previousStatus: 'APPROVED_AUTO',
    txHash,
    reason: null,
  })
  expect(JSON.stringify(events)).not.toContain(ticket.signature)
})

test('announces an unreported redemption when the follower sees it', async () => {
  const { who, reported } = await listening()
  const { ticket } = await openTicket(who, '1')
  await redeem(gateway, ticket)
  await gateway.follow()
  expect(states(await reported())).toEqual([
    [null, 'APPROVED_AUTO'],
    ['APPROVED_AUTO', 'COMPLETED'],
  ])
})

test('announces a review: the approval, or the rejection with its reason', async () => {
  const { who, reported } = await listening()
  for (const decision of ['approve', 'reject'] as const) {
    const { body } = await openWithdrawal(who, '5')
    expect((await review(body.withdrawalId, decision)).status).toBe(200)
  }
  const events = await reported()
  expect(states(events)).toEqual([
    [null, 'PENDING_REVIEW'],
    ['PENDING_REVIEW', 'APPROVED_MANUAL'],
    [null, 'PENDING_REVIEW'],
    ['PENDING_REVIEW', 'REJECTED'],
  ])
  expect(events[3]).toMatchObject({ reason: 'looked at', txHash: null })
})

test('announces an expired ticket once', async () => {
  const { who, reported } = await listening()
  await openTicket(who, '1')
  await gateway.chain.increaseTime(3_601)
  await gateway.chain.mine(1)
  await Promise.all([list(who), list(who)])
  expect(states(await reported())).toEqual([
    [null, 'APPROVED_AUTO'],
    ['APPROVED_AUTO', 'CANCELLED'],
  ])
})

test('announces nothing for a rejected request', async () => {
  const { who, reported } = await listening()
  expect((await openWithdrawal(who, '1000')).status).toBe(422)
  gateway.node.misbehave({ refuses: true })
  expect((await openWithdrawal(who, '1')).status).toBe(503)
  gateway.heal()
  expect(await reported()).toEqual([])
})
