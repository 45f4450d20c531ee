import { type Usdc, usdc } from '@farebox/money'
import { withdrawalNonce } from '@farebox/vault'
import type { ShownChainFinding } from '@farebox/wire/admin'
import sql from 'sql-template-tag'
import type { Address, Hex } from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { type MoneyGateway, startMoneyGateway, USDC } from '../../../test/kit/gateway/money-gateway.ts'
import type { Member } from '../../../test/kit/world/member.ts'
import { newWallet } from '../../../test/kit/world/wallets.ts'
import {
  list,
  openTicket,
  openWithdrawal,
  provider,
  redeem,
  statuses,
} from '../../../test/kit/world/withdrawals.ts'
import { scrub } from '../../adapters/log-redaction.ts'
import { countChainFindings } from '../ledger/database/chain-findings.ts'
import { reconcile } from '../ledger/reconcile/reconcile.ts'
import { settleRedemption } from './complete-by-event.ts'
import { findRedemptions } from './redemption-store.ts'

const CONFIRMATIONS = 2
const admin = newWallet()

let gateway: MoneyGateway
let boss: Member

beforeAll(async () => {
  gateway = await startMoneyGateway({
    requiredConfirmations: CONFIRMATIONS,
    env: { ADMIN_WALLETS: admin.address },
  })
  boss = await gateway.member(admin)
  // The platform covers its losses from its fees.
  await gateway.earn(boss, usdc(1_000n * USDC), usdc(100n * USDC))
})
afterAll(() => gateway.stop())
afterEach(async () => {
  gateway.heal()
  await gateway.assertBooks()
})

type Act = { code: string; finding: ShownChainFinding; chargedUsdc: string; borneUsdc: string }

const findings = async () =>
  (await boss.send<{ findings: ShownChainFinding[] }>('/admin/findings')).body.findings

const adopt = (findingId: string, chargeTo: string, by = boss) =>
  by.send<Act>(`/admin/findings/${findingId}/adopt`, {
    method: 'POST',
    body: { chargeTo, reason: 'The chain says so.' },
  })

let nonces = 0

/** Pays and confirms a ticket that our key signed and no withdrawal explains. */
async function paidTicket(ticket: { to: Address; amount: Usdc; nonce?: Hex }) {
  const { chain } = gateway
  nonces += 1
  const nonce = ticket.nonce ?? withdrawalNonce(`wd_stolen${nonces}`)
  const signed = { to: ticket.to, amount: ticket.amount, deadline: (await chain.now()) + 3_600n, nonce }
  const txHash = await chain.redeem(signed, await chain.adapter.signTicket(signed))
  await chain.mine(CONFIRMATIONS - 1)
  return { txHash, nonce }
}

async function theFinding(): Promise<ShownChainFinding> {
  const [finding, ...more] = await findings()
  expect(more).toEqual([])
  if (finding === undefined) throw new Error('There is no finding.')
  return finding
}

/** Checks that the vault holds exactly the liabilities of the books. */
async function assertExactReserves() {
  await gateway.assertBooks()
  const { body } = await boss.send<{ differenceUsdc: string; ledgerSumUsdc: string }>('/proof/reserves')
  expect(body).toMatchObject({ differenceUsdc: '0.000000', ledgerSumUsdc: '0.000000', consistent: true })
}

const receivable = async (of: Member) => (await gateway.balance(of)).providerReceivable

describe('a redemption of an unknown nonce', () => {
  test('stops tickets within one run of the follower, is reported, and is adopted by an admin once', async () => {
    const [thief, alice] = [await gateway.member(), await provider(gateway, usdc(50n * USDC))]
    const error = vi.spyOn(gateway.deps.log, 'error')
    const { txHash, nonce } = await paidTicket({ to: thief.address, amount: usdc(5n * USDC) })
    await gateway.follow()
    await gateway.follow()

    const finding = await theFinding()
    expect(finding).toMatchObject({ kind: 'unexplained-redemption', acts: ['adopt'], resolution: null })
    expect(finding.subject).toMatch(new RegExp(`^${txHash}:\\d+$`))
    const { to, amountUsdc, reason } = finding.detail
    expect([finding.detail.txHash, finding.detail.nonce]).toEqual([txHash, nonce])
    expect([to, amountUsdc, reason]).toEqual([thief.wallet, '5.000000', 'unknown_nonce'])
    expect(await countChainFindings(gateway.deps.db)).toMatchObject({ 'unexplained-redemption': 1 })
    const reported = error.mock.calls.filter(([, message]) => message?.includes('no withdrawal explains'))
    expect(reported).toHaveLength(1)
    const line = scrub(JSON.stringify(reported[0]?.[0]))
    for (const part of [txHash, nonce, thief.wallet, '5.000000']) expect(line).toContain(part)
    error.mockRestore()

    const { body } = await openWithdrawal(alice, '1')
    expect(body).toMatchObject({ statusLabel: 'PENDING_REVIEW', ticket: null })
    const approval = await boss.send(`/admin/withdrawals/${body.withdrawalId}/approve`, { method: 'POST' })
    expect([approval.status, approval.body.code]).toEqual([503, 'UNAVAILABLE'])
    expect(approval.body.detail).toMatchObject({ reason: 'chain_finding' })
    expect((await reconcile(gateway.deps)).consistent).toBe(false)

    const adopted = await adopt(finding.findingId, 'platform')
    expect(adopted.status).toBe(200)
    expect(adopted.body).toMatchObject({
      chargedUsdc: '0.000000',
      borneUsdc: '5.000000',
      finding: { findingId: finding.findingId, resolution: 'adopted', acts: [] },
    })
    const again = await adopt(finding.findingId, 'platform')
    expect([again.status, again.body.code]).toEqual([409, 'INVALID_STATE'])
    await gateway.follow()
    expect(await findings()).toEqual([])
    await assertExactReserves()
    await openTicket(alice, '1')

    const log = await boss.send<{ entries: Record<string, unknown>[] }>(
      `/admin/audit-log?action=finding.adopt&target=${finding.findingId}`,
    )
    expect(log.body.entries).toMatchObject([
      {
        actor: boss.address,
        reason: 'The chain says so.',
        before: { subject: finding.subject, resolution: null },
        after: { resolution: 'adopted', borneUsdc: '5.000000', chargedUsdc: '0.000000' },
      },
    ])
  })

  test('raises no second finding when an admin adopts it while the follower reads it', async () => {
    const thief = await gateway.member()
    const { nonce } = await paidTicket({ to: thief.address, amount: usdc(2n * USDC) })
    await gateway.follow()
    const { findingId } = await theFinding()
    const { db, chain } = gateway.deps
    const [row] = await findRedemptions(db, chain.facts, [nonce])
    if (row === undefined) throw new Error('The redemption was not recorded.')
    const adoptFirst: typeof db.transaction = async work => {
      expect((await adopt(findingId, 'platform')).status).toBe(200)
      return db.transaction(work)
    }
    const { txHash, logIndex, recipient: to, amount, blockNumber, blockHash } = row
    const event = { kind: 'withdrawn', to, amount, nonce, txHash, logIndex, blockNumber, blockHash } as const
    await settleRedemption({ ...gateway.deps, db: { ...db, transaction: adoptFirst } }, event)
    expect(await findings()).toEqual([])
    await assertExactReserves()
  })

  test("is charged up to the recipient's earnings; locked amounts are not touched", async () => {
    const alice = await provider(gateway, usdc(5n * USDC))
    await openTicket(alice, '2')
    await paidTicket({ to: alice.address, amount: usdc(4n * USDC) })
    await gateway.follow()
    const { body } = await adopt((await theFinding()).findingId, 'recipient')
    expect(body).toMatchObject({ chargedUsdc: '3.000000', borneUsdc: '1.000000' })
    expect(await gateway.balance(alice)).toMatchObject({ providerReceivable: 0n, providerLocked: 2n * USDC })
    await assertExactReserves()
  })

  test('is adopted once when two admins adopt it at the same time', async () => {
    const alice = await provider(gateway, usdc(5n * USDC))
    await paidTicket({ to: alice.address, amount: usdc(1n * USDC) })
    await gateway.follow()
    const { findingId } = await theFinding()
    const answers = await Promise.all(Array.from({ length: 4 }, () => adopt(findingId, 'recipient')))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409])
    expect(await receivable(alice)).toBe(4n * USDC)
  })
})

describe('a redemption of the nonce of a withdrawal', () => {
  test('that was cancelled takes back what the cancellation released', async () => {
    const alice = await provider(gateway, usdc(3n * USDC))
    const { id, ticket } = await openTicket(alice, '3')
    // Simulates a database that is older than the payment, in which the withdrawal ended differently.
    await gateway.deps.db.query(sql`update withdrawals set status = 'CANCELLED' where id = ${id}`)
    await gateway.deps.db.query(
      sql`update accounts set reserved = 0 where id = ${`provider:${alice.wallet}`}`,
    )
    await redeem(gateway, ticket)
    await gateway.chain.mine(CONFIRMATIONS - 1)
    await gateway.follow()
    const finding = await theFinding()
    expect(finding.detail).toMatchObject({
      reason: 'withdrawal_closed',
      withdrawalId: id,
      withdrawalStatus: 'CANCELLED',
    })
    const { body } = await adopt(finding.findingId, 'recipient')
    expect(body).toMatchObject({ chargedUsdc: '3.000000', borneUsdc: '0.000000' })
    expect(await receivable(alice)).toBe(0n)
    await assertExactReserves()
  })

  test('that is under review closes it with its locked money', async () => {
    const alice = await provider(gateway, usdc(2_000n * USDC))
    const { body: opened } = await openWithdrawal(alice, '1500')
    expect(opened.statusLabel).toBe('PENDING_REVIEW')
    await paidTicket({
      to: alice.address,
      amount: usdc(1_500n * USDC),
      nonce: withdrawalNonce(opened.withdrawalId),
    })
    await gateway.follow()
    const finding = await theFinding()
    expect(finding.detail).toMatchObject({ withdrawalStatus: 'PENDING_REVIEW' })
    await adopt(finding.findingId, 'recipient')
    expect(await statuses(alice)).toEqual(['REJECTED'])
    expect(await gateway.balance(alice)).toMatchObject({
      providerReceivable: 500n * USDC,
      providerLocked: 0n,
    })
    await assertExactReserves()
  })

  test.each([
    ['another amount', 'wrong_amount', (own: Address) => ({ to: own, amount: usdc(2n * USDC) })],
    ['another recipient', 'wrong_recipient', () => ({ to: newWallet().address, amount: usdc(1n * USDC) })],
  ])('for %s than its ticket releases the money of the void ticket', async (_, reason, differently) => {
    const alice = await provider(gateway, usdc(5n * USDC))
    const { ticket } = await openTicket(alice, '1')
    const paid = differently(alice.address)
    await paidTicket({ ...paid, nonce: ticket.nonce as Hex })
    await gateway.follow()
    const finding = await theFinding()
    expect(finding.detail).toMatchObject({ reason, withdrawalStatus: 'APPROVED_AUTO' })
    await adopt(finding.findingId, 'platform')
    expect(await statuses(alice)).toEqual(['CANCELLED'])
    expect(await gateway.balance(alice)).toMatchObject({ providerReceivable: 5n * USDC, providerLocked: 0n })
    await assertExactReserves()
  })
})

test('a booked redemption lost in a deep reorganisation stops tickets until its ticket is redeemed again', async () => {
  const alice = await provider(gateway, usdc(5n * USDC))
  await gateway.follow()
  await gateway.chain.mine(3)
  const { id, ticket } = await openTicket(alice, '2')
  const first = await redeem(gateway, ticket)
  await gateway.chain.mine(CONFIRMATIONS + 1)
  await gateway.follow()
  expect(await statuses(alice)).toEqual(['COMPLETED'])

  await gateway.chain.reorg(CONFIRMATIONS + 2)
  await gateway.chain.mine(1)
  await gateway.follow()
  const finding = await theFinding()
  expect(finding).toMatchObject({
    kind: 'redemption-reorganised',
    acts: [],
    detail: { txHash: first, nonce: ticket.nonce, amountUsdc: '2.000000' },
  })
  expect((await openWithdrawal(alice, '1')).body).toMatchObject({ statusLabel: 'PENDING_REVIEW' })

  await gateway.chain.mine(2)
  const second = await redeem(gateway, ticket)
  await gateway.chain.mine(CONFIRMATIONS - 1)
  await gateway.follow()
  expect(await findings()).toEqual([])
  expect(second).not.toBe(first)
  const shown = await list(alice)
  expect(shown.find(({ withdrawalId }) => withdrawalId === id)).toMatchObject({
    status: 'COMPLETED',
    txHash: second,
  })
  await assertExactReserves()
})

test('a redemption in a block that the chain does not have raises no finding', async () => {
  const head = await gateway.chain.adapter.head()
  await settleRedemption(gateway.deps, {
    kind: 'withdrawn',
    to: newWallet().address.toLowerCase() as Address,
    amount: usdc(1n),
    nonce: withdrawalNonce('wd_nowhere'),
    txHash: `0x${'ab'.repeat(32)}`,
    logIndex: 0,
    blockNumber: head.number,
    blockHash: `0x${'cd'.repeat(32)}`,
  })
  expect(await findings()).toEqual([])
})

test('recorded redemptions cannot be removed', async () => {
  const remove = gateway.deps.db.query(sql`delete from vault_redemptions`)
  await expect(remove).rejects.toThrow(/permission denied for table vault_redemptions|never removed/)
})

test('adopting an unknown finding is NOT_FOUND, and by a non-admin FORBIDDEN', async () => {
  for (const id of ['999999', '0', '-1', '1e3', 'wd_1']) {
    const unknown = await adopt(id, 'platform')
    expect([unknown.status, unknown.body.code]).toEqual([404, 'NOT_FOUND'])
  }
  const stranger = await adopt('999999', 'platform', await gateway.member())
  expect([stranger.status, stranger.body.code]).toEqual([403, 'FORBIDDEN'])
})
