import { usdc } from '@farebox/money'
import { fareboxVaultAbi, testUsdcAbi } from '@farebox/vault'
import sql from 'sql-template-tag'
import { encodeFunctionData } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { repeatable } from '../../../../test/kit/chain/repeatable.ts'
import { type MoneyGateway, startMoneyGateway, USDC } from '../../../../test/kit/gateway/money-gateway.ts'
import type { Member } from '../../../../test/kit/world/member.ts'
import { newWallet } from '../../../../test/kit/world/wallets.ts'
import { openTicket, openWithdrawal, provider, redeem } from '../../../../test/kit/world/withdrawals.ts'
import { ticketBlock } from '../database/ticket-gate.ts'
import type { Reconciliation } from './reconcile.ts'
import { reconcileRecent } from './reconcile-recent.ts'

const admin = newWallet()
const thief = newWallet().address

let gateway: MoneyGateway
let boss: Member
beforeAll(async () => {
  gateway = await startMoneyGateway({
    env: { ADMIN_WALLETS: admin.address, WITHDRAW_AUTO_APPROVE_MAX_USDC: '10' },
  })
  boss = await gateway.member(admin)
})
afterAll(() => gateway.stop())
beforeEach(async () => {
  gateway.heal()
  expect((await check()).findings).toEqual([])
})

/** Reads the vault to the end, and checks what has changed. */
async function check(): Promise<Reconciliation> {
  await gateway.chain.mine(gateway.deps.chain.facts.requiredConfirmations)
  await gateway.follow()
  const outcome = await reconcileRecent(gateway.deps)
  if (outcome === null) throw new Error('Nothing was checked.')
  return outcome
}

const block = () => ticketBlock(gateway.deps.db, gateway.deps, null)
const surplusOf = ({ vault }: Reconciliation) => (vault === null ? null : vault.held - vault.due)

/** Moves money out of the vault, as no vault does. */
async function steal(amount: bigint): Promise<void> {
  const { vault, usdc: token } = gateway.chain.contracts
  const data = encodeFunctionData({ abi: testUsdcAbi, functionName: 'transfer', args: [thief, amount] })
  await gateway.chain.send(vault, token, data)
}

const giveBack = (amount: bigint) => gateway.chain.fund(gateway.chain.contracts.vault, usdc(amount))

describe('a vault that is short', () => {
  test('is reported even while more than that awaits review, and stops tickets', async () => {
    const alice = await provider(gateway, usdc(30n * USDC))
    const { body } = await openWithdrawal(alice, '28')
    expect(body.statusLabel).toBe('PENDING_REVIEW')
    expect((await check()).findings).toEqual([])
    await steal(2n * USDC)
    const { findings, vault } = await check()
    expect(findings).toMatchObject([{ check: 'vault-covers-wallets' }])
    expect(findings[0]?.row).toContain(gateway.deps.chain.facts.vault)
    expect(vault).toMatchObject({ held: (vault?.due ?? 0n) - 2n * USDC })
    expect(await block()).toBe('books_inconsistent')
    await giveBack(2n * USDC)
    expect((await check()).findings).toEqual([])
    expect(await block()).toBeNull()
  })

  test('by one micro-USDC is reported without a full read of the books at each check', async () => {
    await steal(1n)
    const live = () => gateway.deps.db.query(sql`select id from book_checkpoints where is_live`)
    const before = await live()
    expect((await check()).findings).toHaveLength(1)
    expect((await check()).findings).toHaveLength(1)
    expect(await live()).toEqual(before)
    await giveBack(1n)
  })

  test('by one wrong answer of a node is not reported: the node is asked again', async () => {
    const { adapter } = gateway.chain
    let asked = 0
    gateway.faults.vaultBalance = async at => {
      asked += 1
      const held = await adapter.vaultBalance(at)
      return asked === 1 ? usdc(held - 1n) : held
    }
    expect((await check()).findings).toEqual([])
    expect(asked).toBe(2)
  })
})

describe('pending work is no difference', () => {
  test('a redeemed ticket that was not read yet, which is then completed', async () => {
    const alice = await provider(gateway, usdc(5n * USDC))
    const { ticket } = await openTicket(alice, '5')
    expect(surplusOf(await check())).toBe(0n)
    await redeem(gateway, ticket)
    expect(surplusOf((await reconcileRecent(gateway.deps)) as Reconciliation)).toBe(0n)
    expect(surplusOf(await check())).toBe(0n)
  })

  test('a deposit that is recorded but not credited, or credited before the follower reads it', async () => {
    await gateway.chain.deposit(newWallet().address, usdc(3n * USDC))
    const recorded = await check()
    expect(surplusOf(recorded)).toBe(0n)
    await gateway.deposit(newWallet().address, usdc(4n * USDC))
    const ahead = (await reconcileRecent(gateway.deps)) as Reconciliation
    expect(surplusOf(ahead)).toBe(0n)
    expect(ahead.vault?.block).toBe(recorded.vault?.block)
  })
})

describe('a surplus from unrelated transfers', () => {
  test('stops no tickets, and hides no shortfall once two checks have seen it', async () => {
    const before = surplusOf(await check()) ?? 0n
    await gateway.chain.fund(gateway.chain.contracts.vault, usdc(7n))
    for (let round = 0; round < 2; round += 1) {
      const outcome = await check()
      expect([outcome.findings, surplusOf(outcome)]).toEqual([[], before + 7n])
      expect(await block()).toBeNull()
    }
    await steal(3n)
    const outcome = await check()
    expect(outcome.findings).toMatchObject([{ check: 'vault-covers-wallets' }])
    expect(surplusOf(outcome)).toBe(before + 4n)
    await giveBack(3n)
  })

  test('disappears without a shortfall when it turns out to be a deposit', async () => {
    const before = surplusOf(await check()) ?? 0n
    // A node that leaves out a deposit, until it is too old to be read again.
    gateway.faults.vaultEvents = async () => []
    await gateway.chain.deposit(newWallet().address, usdc(9n))
    for (let round = 0; round < 2; round += 1) expect(surplusOf(await check())).toBe(before + 9n)
    await gateway.chain.mine(70)
    expect(surplusOf(await check())).toBe(before + 9n)
    gateway.heal()
    // The follower reads it again automatically, as the vault counts more deposits than were read.
    await expect.poll(async () => surplusOf(await check()), { timeout: 20_000 }).toBe(before)
    expect((await check()).findings).toEqual([])
  })

  test('is not taken from a deposit that a reorganisation moves behind the last check', async () => {
    const { chain } = gateway
    const bob = newWallet().address
    const amount = usdc(2n * USDC)
    await chain.fund(bob, amount)
    const approve = { functionName: 'approve', args: [chain.contracts.vault, amount] } as const
    await chain.send(bob, chain.contracts.usdc, encodeFunctionData({ abi: testUsdcAbi, ...approve }))
    const deposit = { functionName: 'deposit', args: [amount] } as const
    const data = encodeFunctionData({ abi: fareboxVaultAbi, ...deposit })
    const send = await repeatable(chain, { from: bob, to: chain.contracts.vault, data })
    const snapshot = await chain.snapshot()
    const txHash = await send()
    const first = await check()
    await chain.revertTo(snapshot)
    await chain.mine(2 * chain.adapter.facts.requiredConfirmations)
    expect(await send()).toBe(txHash)
    const { findings, vault } = await check()
    expect([findings, vault?.held]).toEqual([[], first.vault?.held])
    expect((await check()).findings).toEqual([])
  })

  test('is not taken from a redemption that a reorganisation took away until it is redeemed again', async () => {
    const carol = await provider(gateway, usdc(5n * USDC))
    await check()
    const { ticket } = await openTicket(carol, '2')
    const snapshot = await gateway.chain.snapshot()
    await redeem(gateway, ticket)
    expect((await check()).findings).toEqual([])
    await gateway.chain.revertTo(snapshot)
    await gateway.chain.mine(2 * gateway.chain.adapter.facts.requiredConfirmations)
    for (const _ of [1, 2])
      expect((await check()).findings).toMatchObject([{ check: 'redemption-reorganised' }])
    await redeem(gateway, ticket)
    expect((await check()).findings).toEqual([])
    expect((await check()).findings).toEqual([])
  })

  test('is not taken from a chain that the follower has not read yet', async () => {
    const dan = await provider(gateway, usdc(5n * USDC))
    await check()
    const { ticket } = await openTicket(dan, '2')
    const snapshot = await gateway.chain.snapshot()
    await redeem(gateway, ticket)
    expect((await check()).findings).toEqual([])
    await gateway.chain.revertTo(snapshot)
    await gateway.chain.mine(2 * gateway.chain.adapter.facts.requiredConfirmations)
    expect(await reconcileRecent(gateway.deps)).toMatchObject({ findings: [], vault: null })
    await redeem(gateway, ticket)
    const { findings, vault } = await check()
    expect([findings, vault === null]).toEqual([[], false])
  })

  test('is not assumed from one answer of a node that was too high', async () => {
    const { adapter } = gateway.chain
    gateway.faults.vaultBalance = async at => usdc((await adapter.vaultBalance(at)) + USDC)
    expect((await check()).findings).toEqual([])
    gateway.heal()
    expect((await check()).findings).toEqual([])
  })
})

describe('the age of a clean check', () => {
  const age = (days: number) =>
    gateway.deps.db.query(sql`update reconciliations set at = at - make_interval(days => ${days})`)

  test('stops all tickets after three intervals, until a check is clean', async () => {
    const alice = await provider(gateway, usdc(5n * USDC))
    await check()
    await age(2)
    expect(await block()).toBeNull()
    await age(2)
    expect(await block()).toBe('books_unchecked')
    const { body } = await openWithdrawal(alice, '5')
    expect(body.statusLabel).toBe('PENDING_REVIEW')
    const approve = () =>
      boss.send<{ code: string; detail: object }>(`/admin/withdrawals/${body.withdrawalId}/approve`, {
        method: 'POST',
        body: {},
      })
    const refused = await approve()
    expect([refused.status, refused.body]).toMatchObject([
      503,
      { code: 'UNAVAILABLE', detail: { reason: 'books_unchecked' } },
    ])
    expect(refused.headers['retry-after']).toMatch(/^\d+$/)
    await check()
    expect((await approve()).status).toBe(200)
  })

  test('is not reset by a check without the vault, which is soon repeated', async () => {
    const inTurn = () => reconcileRecent(gateway.deps, { everySeconds: 86_400 })
    await age(4)
    gateway.cut('vaultBalance')
    expect(await inTurn()).toMatchObject({ consistent: true, vault: null })
    expect(await block()).toBe('books_unchecked')
    expect(await inTurn()).toBeNull()
    await gateway.deps.db.query(sql`update reconciliations set at = at - interval '5 seconds'`)
    gateway.heal()
    expect(await inTurn()).toMatchObject({ consistent: true, vault: { block: expect.anything() } })
    expect(await block()).toBeNull()
  })

  test('is not reset while the vault is not read to the head', async () => {
    await gateway.chain.mine(110)
    expect(await reconcileRecent(gateway.deps)).toMatchObject({ findings: [], vault: null })
    expect((await check()).vault).not.toBeNull()
  })
})

test('a check requested by an admin rebuilds the tree of liabilities', async () => {
  const owner = await gateway.member()
  await gateway.deposit(owner.address, usdc(USDC))
  await check()
  const { status, body } = await boss.send('/admin/reconcile', { method: 'POST', body: {} })
  expect([status, body.findings]).toEqual([200, []])
  expect((await owner.send('/proof/inclusion')).body.balanceUsdc).toBe('1.000000')
})
