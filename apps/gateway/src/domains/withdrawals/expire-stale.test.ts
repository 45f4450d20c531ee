import { usdc } from '@farebox/money'
import type { Hex } from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { lies } from '../../../test/kit/chain/lies.ts'
import type { Misbehaviour } from '../../../test/kit/chain/rpc-proxy.ts'
import { type MoneyGateway, startMoneyGateway, USDC } from '../../../test/kit/gateway/money-gateway.ts'
import type { Member } from '../../../test/kit/world/member.ts'
import {
  complete,
  list,
  openTicket,
  provider,
  redeem,
  statuses,
  vaultTicket,
} from '../../../test/kit/world/withdrawals.ts'
import { resolveChainFinding } from '../ledger/database/chain-findings.ts'
import { reconcile } from '../ledger/reconcile/reconcile.ts'
import { completeByEvents } from './complete-by-event.ts'
import { expireStale } from './expire-stale.ts'

const CONFIRMATIONS = 3
const HOUR = 3_600
/** Much longer than a reader should wait. */
const NODE_TIMEOUT_MS = 20_000
const UNKNOWN: Hex = `0x${'ab'.repeat(32)}`

let gateway: MoneyGateway

beforeAll(async () => {
  gateway = await startMoneyGateway({
    requiredConfirmations: CONFIRMATIONS,
    nodeTimeoutMs: NODE_TIMEOUT_MS,
  })
})
afterAll(() => gateway.stop())
afterEach(async () => {
  gateway.heal()
  await gateway.assertBooks()
})

const expire = () => expireStale(gateway.deps, { limit: 100 })

/** Advances the chain past the deadline of every ticket, with a confirmed block. */
async function passDeadlines() {
  await gateway.chain.increaseTime(HOUR + 1)
  await gateway.chain.mine(CONFIRMATIONS)
}

async function money(of: Member) {
  const { providerReceivable, providerLocked } = await gateway.balance(of)
  return [providerReceivable, providerLocked]
}

describe('failure 39: a ticket past its deadline', () => {
  test('stays locked until a confirmed block is past it, then is released once', async () => {
    const alice = await provider(gateway, usdc(5n * USDC))
    const { id } = await openTicket(alice, '2')
    await gateway.chain.increaseTime(HOUR + 1)
    expect(await statuses(alice)).toEqual(['APPROVED_AUTO'])
    await gateway.chain.mine(1)
    expect(await statuses(alice)).toEqual(['APPROVED_AUTO'])
    expect(await money(alice)).toEqual([3n * USDC, 2n * USDC])
    await gateway.chain.mine(1)
    await Promise.all([list(alice), expire(), list(alice), expire()])
    expect(await list(alice)).toMatchObject([{ withdrawalId: id, status: 'CANCELLED', ticket: null }])
    expect(await money(alice)).toEqual([5n * USDC, 0n])
  })

  test('is cancelled when the list is read, without a job', async () => {
    const alice = await provider(gateway, usdc(3n * USDC))
    const { id } = await openTicket(alice, '2')
    await passDeadlines()
    expect(await money(alice)).toEqual([1n * USDC, 2n * USDC])
    expect(await list(alice)).toMatchObject([{ withdrawalId: id, status: 'CANCELLED', ticket: null }])
    expect(await money(alice)).toEqual([3n * USDC, 0n])
  })

  test("is not stale by the gateway's clock alone", async () => {
    const alice = await provider(gateway, usdc(USDC))
    const { ticket } = await openTicket(alice, '1')
    const aheadMs = (ticket.deadline + HOUR) * 1_000 - gateway.deps.clock.now()
    gateway.advance(aheadMs)
    try {
      const afterwards = await gateway.member(alice)
      await gateway.chain.mine(5)
      await expire()
      expect(await statuses(afterwards)).toEqual(['APPROVED_AUTO'])
      expect(await money(alice)).toEqual([0n, USDC])
      await redeem(gateway, ticket)
      expect(await gateway.chain.usdcOf(alice.address)).toBe(USDC)
    } finally {
      gateway.advance(-aheadMs)
    }
  })

  test('redeemed in its last second and never reported is paid, not released', async () => {
    const alice = await provider(gateway, usdc(USDC))
    const { ticket } = await openTicket(alice, '1')
    const txHash = await redeem(gateway, ticket)
    await passDeadlines()
    expect(await list(alice)).toMatchObject([{ status: 'COMPLETED', txHash }])
    expect(await money(alice)).toEqual([0n, 0n])
  })

  test('stays locked while the chain is unreachable, and the list still works', async () => {
    const alice = await provider(gateway, usdc(USDC))
    await openTicket(alice, '1')
    await passDeadlines()
    const outages: Misbehaviour[] = [
      { refuses: true },
      { status: 503 },
      { error: { code: -32_000, message: 'header not found' } },
      lies.noState(),
      lies.noBlockAbove(0n),
      { lagsBy: 10 },
    ]
    for (const how of outages) {
      gateway.node.misbehave(how)
      expect([how, await statuses(alice)]).toEqual([how, ['APPROVED_AUTO']])
    }
    gateway.heal()
    expect(await statuses(alice)).toEqual(['CANCELLED'])
  })

  test('does not keep a reader waiting for a chain that does not answer', async () => {
    const alice = await provider(gateway, usdc(USDC))
    await openTicket(alice, '1')
    gateway.node.misbehave({ hangs: true })
    const from = performance.now()
    expect(await statuses(alice)).toEqual(['APPROVED_AUTO'])
    expect(performance.now() - from).toBeLessThan(NODE_TIMEOUT_MS)
  })

  test('is not released by a deadline that was lowered in the database, and a check names it', async () => {
    const alice = await provider(gateway, usdc(3n * USDC))
    const { id, ticket } = await openTicket(alice, '2')
    const set = (deadline: number) =>
      gateway.run({ text: 'update withdrawals set deadline = $1 where id = $2', values: [deadline, id] })
    await set(1)
    await gateway.chain.mine(CONFIRMATIONS)
    await expire()
    expect(await money(alice)).toEqual([1n * USDC, 2n * USDC])
    const { findings } = await reconcile(gateway.deps)
    expect(findings).toMatchObject([{ check: 'a-ticket-is-what-was-signed', row: id }])
    await redeem(gateway, ticket)
    expect(await gateway.chain.usdcOf(alice.address)).toBe(2n * USDC)
    await set(ticket.deadline)
    expect((await reconcile(gateway.deps)).findings).toEqual([])
    await gateway.chain.mine(CONFIRMATIONS)
    await gateway.follow()
    expect(await statuses(alice)).toEqual(['COMPLETED'])
    expect(await money(alice)).toEqual([1n * USDC, 0n])
  })

  test('is rejected by the contract once released', async () => {
    const alice = await provider(gateway, usdc(USDC))
    const { id, ticket } = await openTicket(alice, '1')
    await passDeadlines()
    await expire()
    const txHash = await redeem(gateway, ticket)
    await gateway.chain.mine(2)
    const { body } = await complete(alice, id, txHash)
    expect([body.code, body.detail.status]).toEqual(['WITHDRAWAL_NOT_OPEN', 'CANCELLED'])
    expect(await gateway.chain.usdcOf(alice.address)).toBe(0n)
  })
})

describe('failure 40: a ticket that was redeemed and never reported', () => {
  test('is closed by the follower, and a late report gets the regular answer', async () => {
    const alice = await provider(gateway, usdc(2n * USDC))
    const { id, ticket } = await openTicket(alice, '2')
    await gateway.follow()
    const txHash = await redeem(gateway, ticket)
    await gateway.chain.mine(1)
    await gateway.follow()
    expect(await statuses(alice)).toEqual(['APPROVED_AUTO'])
    await gateway.chain.mine(1)
    await Promise.all([gateway.follow(), complete(alice, id, txHash)])
    await gateway.follow()
    expect(await list(alice)).toMatchObject([{ status: 'COMPLETED', txHash }])
    expect((await complete(alice, id, txHash)).status).toBe(200)
    expect(await money(alice)).toEqual([0n, 0n])
  })

  test('is not closed by a redemption that was reorganised away', async () => {
    const alice = await provider(gateway, usdc(USDC))
    const { ticket } = await openTicket(alice, '1')
    const txHash = await redeem(gateway, ticket)
    const events = (await gateway.chain.adapter.receipt(txHash))?.events ?? []
    const withdrawn = events.filter(event => event.kind === 'withdrawn')
    expect(withdrawn).toHaveLength(1)
    await gateway.chain.reorg(1)
    await completeByEvents(gateway.deps, withdrawn)
    expect(await statuses(alice)).toEqual(['APPROVED_AUTO'])
  })

  test('closes nothing and raises a finding when the amount differs from the books', async () => {
    const alice = await provider(gateway, usdc(USDC))
    const { ticket } = await openTicket(alice, '1')
    const head = await gateway.chain.adapter.head()
    const { to, nonce } = vaultTicket(ticket)
    await completeByEvents(gateway.deps, [
      {
        kind: 'withdrawn',
        to: to.toLowerCase() as Hex,
        nonce,
        amount: usdc(1n),
        txHash: UNKNOWN,
        logIndex: 0,
        blockNumber: head.number,
        blockHash: head.hash,
      },
    ])
    expect(await statuses(alice)).toEqual(['APPROVED_AUTO'])
    const subject = `${UNKNOWN}:0`
    const finding = { kind: 'unexplained-redemption', subject, resolution: 'gone' } as const
    expect(await resolveChainFinding(gateway.deps.db, finding)).toBe(true)
  })
})

test('failure 13: concurrent complete and cancel end in one state, and the money moves once', async () => {
  for (let round = 0; round < 5; round += 1) {
    const alice = await provider(gateway, usdc(USDC))
    const { id, ticket } = await openTicket(alice, '1')
    const isRedeemed = round % 2 === 0
    const txHash = isRedeemed ? await redeem(gateway, ticket) : UNKNOWN
    await passDeadlines()
    await Promise.all([expire(), complete(alice, id, txHash), gateway.follow(), list(alice), expire()])
    await gateway.follow()
    expect(await statuses(alice)).toEqual([isRedeemed ? 'COMPLETED' : 'CANCELLED'])
    expect(await money(alice)).toEqual([isRedeemed ? 0n : USDC, 0n])
  }
})
