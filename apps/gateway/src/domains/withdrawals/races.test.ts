import { usdc } from '@farebox/money'
import type { DepositIntent } from '@farebox/wire/deposits'
import type { Hex } from 'viem'
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
import { expireStale } from './expire-stale.ts'

const ROUNDS = 3
const WALLETS = 4

let gateway: MoneyGateway
const admin = newWallet()

beforeAll(async () => {
  gateway = await startMoneyGateway({
    requiredConfirmations: 1,
    env: {
      WITHDRAW_AUTO_APPROVE_MAX_USDC: '20',
      ADMIN_WALLETS: admin.address,
      AUTO_CREDIT_AFTER_SECONDS: '0',
    },
  })
})
afterAll(() => gateway.stop())

test('concurrent money movements to and from the chain neither deadlock nor lose money', async () => {
  const boss = await gateway.member(admin)
  const members = await Promise.all(
    Array.from({ length: WALLETS }, () => provider(gateway, usdc(100n * USDC))),
  )
  for (let round = 0; round < ROUNDS; round += 1) {
    const stale = await Promise.all(members.map(member => openTicket(member, '1')))
    await gateway.chain.increaseTime(3_601)
    const paid = await Promise.all(members.map(member => openTicket(member, '2')))
    const waiting = await Promise.all(members.map(member => openWithdrawal(member, '21')))
    const hashes: Hex[] = []
    for (const { ticket } of paid) hashes.push(await redeem(gateway, ticket))
    const deposits: Hex[] = []
    for (const { address } of members) deposits.push(await gateway.chain.deposit(address, usdc(USDC)))

    const answers = await Promise.all([
      gateway.follow(),
      gateway.follow(),
      expireStale(gateway.deps, { limit: 100 }),
      ...members.flatMap((member, index) => [
        complete(member, paid[index]?.id ?? '', hashes[index]),
        complete(member, stale[index]?.id ?? '', hashes[index]),
        confirmed(member, deposits[index]),
        openWithdrawal(member, '0.5'),
        list(member),
        boss.send(`/admin/withdrawals/${waiting[index]?.body.withdrawalId}/reject`, {
          method: 'POST',
          body: { reason: 'no' },
        }),
      ]),
    ])
    for (const answer of answers) {
      if (typeof answer === 'object' && 'status' in answer) expect(answer.status).toBeLessThan(500)
    }
    await gateway.follow()
    await gateway.assertBooks()
  }
  for (const member of members) {
    const { consumerAvailable, providerReceivable, providerLocked } = await gateway.balance(member)
    expect(consumerAvailable).toBe(BigInt(ROUNDS) * USDC)
    expect(providerReceivable + providerLocked).toBe((100n - 2n * BigInt(ROUNDS)) * USDC)
    const ends = (await list(member)).map(({ amountUsdc, status }) => `${amountUsdc} ${status}`)
    expect(ends.filter(end => end === '2.000000 COMPLETED')).toHaveLength(ROUNDS)
    expect(ends.filter(end => end === '1.000000 CANCELLED')).toHaveLength(ROUNDS)
    expect(ends.filter(end => end === '21.000000 REJECTED')).toHaveLength(ROUNDS)
  }
})

/** Claims and confirms a deposit, concurrently with the follower. */
async function confirmed(who: Member, txHash: string | undefined) {
  const body = { tx_hash: txHash, amount: 1 }
  const { body: opened } = await who.send<{ intent: DepositIntent }>('/balance/deposit/intent', {
    method: 'POST',
    body,
  })
  const answer = await who.send(`/balance/deposit/intents/${opened.intent.id}/confirm`, { method: 'POST' })
  expect(answer.status).toBe(200)
  return answer
}
