import { usdc } from '@farebox/money'
import type { Withdrawal } from '@farebox/wire/withdrawals'
import sql from 'sql-template-tag'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type MoneyGateway, startMoneyGateway, USDC } from '../../../test/kit/gateway/money-gateway.ts'
import type { Member } from '../../../test/kit/world/member.ts'
import { newWallet } from '../../../test/kit/world/wallets.ts'
import {
  complete,
  list,
  openWithdrawal,
  provider,
  redeem,
  statuses,
} from '../../../test/kit/world/withdrawals.ts'

const admin = newWallet()
const deputy = newWallet()

let gateway: MoneyGateway
let boss: Member

beforeAll(async () => {
  gateway = await startMoneyGateway({
    requiredConfirmations: 1,
    env: {
      WITHDRAW_AUTO_APPROVE_MAX_USDC: '1',
      ADMIN_WALLETS: `0x${'0'.repeat(40)}, ${admin.address.toLowerCase()}, ${deputy.address}`,
    },
  })
  boss = await gateway.member(admin)
})
afterAll(() => gateway.stop())
afterEach(async () => {
  gateway.heal()
  await gateway.assertBooks()
})

type Reviewed = { withdrawal: Withdrawal & { ownerAddress: string } }
type Audited = { entries: Record<string, unknown>[] }

const review = (who: Member, id: string, decision: 'approve' | 'reject', body?: unknown) =>
  who.send<Reviewed & { code: string; detail: Record<string, unknown> }>(
    `/admin/withdrawals/${id}/${decision}`,
    {
      method: 'POST',
      ...(body === undefined ? {} : { body }),
    },
  )

/** Opens a withdrawal that needs a review. */
async function waiting(amount = '5') {
  const alice = await provider(gateway, usdc(100n * USDC))
  const { body } = await openWithdrawal(alice, amount)
  expect(body).toMatchObject({ statusLabel: 'PENDING_REVIEW', ticket: null })
  return { alice, id: body.withdrawalId }
}

describe('the review of a withdrawal', () => {
  test('on approval issues a ticket that the vault pays, and is audited', async () => {
    const { alice, id } = await waiting()
    const queue = await boss.send<{ withdrawals: Reviewed['withdrawal'][] }>(
      '/admin/withdrawals?status=PENDING_REVIEW',
    )
    expect(queue.body.withdrawals).toMatchObject([
      { withdrawalId: id, ownerAddress: alice.address, status: 'PENDING_REVIEW', amountUsdc: '5.000000' },
    ])

    const { status, body } = await review(boss, id, 'approve', { reason: 'looks right' })
    expect(status).toBe(200)
    expect(body.withdrawal).toMatchObject({ status: 'APPROVED_MANUAL', ticket: { amount: '5000000' } })
    const [shown] = await list(alice)
    expect(shown?.ticket).toEqual(body.withdrawal.ticket)
    if (!shown?.ticket) throw new Error('There is no ticket.')
    const txHash = await redeem(gateway, shown.ticket)
    expect((await complete(alice, id, txHash)).status).toBe(200)
    expect(await statuses(alice)).toEqual(['COMPLETED'])

    const audit = await boss.send<Audited>('/admin/audit-log?limit=1')
    expect(audit.body.entries).toMatchObject([
      {
        actor: admin.address,
        action: 'withdrawal.approve',
        target: id,
        before: { status: 'PENDING_REVIEW', ticket: null },
        after: { status: 'APPROVED_MANUAL' },
        reason: 'looks right',
      },
    ])
  })

  test('shows why each waits, and what its wallet withdrew before', async () => {
    const alice = await provider(gateway, usdc(100n * USDC))
    const small = await openWithdrawal(alice, '0.4')
    if (!small.body.ticket) throw new Error('There is no ticket.')
    await complete(alice, small.body.withdrawalId, await redeem(gateway, small.body.ticket))
    const { id } = await waiting('2')
    const second = await openWithdrawal(alice, '3')
    const queue = (query: string) =>
      boss.send<{ withdrawals: Record<string, unknown>[]; nextCursor: string | null }>(
        `/admin/withdrawals?${query}`,
      )
    const newcomers = await queue('status=PENDING_REVIEW&limit=2')
    expect(newcomers.body.withdrawals).toMatchObject([
      {
        withdrawalId: second.body.withdrawalId,
        openedBy: null,
        reviewCauses: ['wallet_limit'],
        walletHistory: { paid: 1, paidUsdc: '0.400000', rejected: 0, firstOpenedAt: expect.any(String) },
      },
      { withdrawalId: id, walletHistory: { paid: 0, paidUsdc: '0.000000' } },
    ])
    const oldest = await queue('status=PENDING_REVIEW&order=oldest&limit=1')
    expect(oldest.body).toMatchObject({ withdrawals: [{ withdrawalId: id }] })
    const next = await queue(`status=PENDING_REVIEW&order=oldest&cursor=${oldest.body.nextCursor}`)
    expect(next.body).toMatchObject({ withdrawals: [{ withdrawalId: second.body.withdrawalId }] })
    const { body } = await queue(`wallet=${alice.address.toUpperCase().replace('0X', '0x')}`)
    expect(body.withdrawals).toMatchObject([
      { withdrawalId: second.body.withdrawalId },
      { withdrawalId: small.body.withdrawalId, reviewCauses: [] },
    ])
    for (const each of [id, second.body.withdrawalId]) await review(boss, each, 'reject', { reason: 'done' })
  })

  test('is refused to the admin who would be paid, and left to another admin', async () => {
    await gateway.earn(boss, usdc(10n * USDC))
    const { body } = await openWithdrawal(boss, '5')
    const { status, body: refusal } = await review(boss, body.withdrawalId, 'approve', { reason: 'mine' })
    expect([status, refusal.code, refusal.detail.reason]).toEqual([403, 'FORBIDDEN', 'own_withdrawal'])
    expect(await statuses(boss)).toEqual(['PENDING_REVIEW'])
    expect((await review(await gateway.member(deputy), body.withdrawalId, 'approve')).status).toBe(200)
  })

  test('on rejection unlocks the money once, and reports the reason', async () => {
    const { alice, id } = await waiting()
    const answers = await Promise.all([1, 2, 3].map(() => review(boss, id, 'reject', { reason: 'no' })))
    expect(answers.map(answer => answer.status).sort()).toEqual([200, 409, 409])
    expect(answers.find(answer => answer.status === 409)?.body.code).toBe('WITHDRAWAL_NOT_OPEN')
    expect(await list(alice)).toMatchObject([{ status: 'REJECTED', reason: 'no', ticket: null }])
    expect((await gateway.balance(alice)).providerReceivable).toBe(100n * USDC)
    const { body } = await boss.send<Audited>('/admin/audit-log')
    expect(body.entries.filter(entry => entry.target === id)).toHaveLength(1)
  })

  test('has one outcome when approved and rejected at once', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { alice, id } = await waiting()
      const answers = await Promise.all([
        review(boss, id, 'approve'),
        review(boss, id, 'reject', { reason: 'no' }),
      ])
      expect(answers.map(answer => answer.status).sort()).toEqual([200, 409])
      const isApproved = answers[0].status === 200
      expect(await statuses(alice)).toEqual([isApproved ? 'APPROVED_MANUAL' : 'REJECTED'])
      expect((await gateway.balance(alice)).providerLocked).toBe(isApproved ? 5n * USDC : 0n)
    }
  })

  test('is refused while the vault cannot pay, cannot be asked, or the books do not reconcile', async () => {
    const { alice, id } = await waiting()
    await gateway.chain.drainVault(usdc(4_999_999n))
    const poor = await review(boss, id, 'approve')
    expect([poor.status, poor.body.code, poor.body.detail.reason]).toEqual([
      503,
      'UNAVAILABLE',
      'vault_illiquid',
    ])
    await gateway.chain.refillVault()
    gateway.node.misbehave({ refuses: true })
    expect((await review(boss, id, 'approve')).body.code).toBe('WITHDRAW_VAULT_LIQUIDITY_CHECK_UNAVAILABLE')
    gateway.heal()
    await gateway.deps.db.query(sql`insert into reconciliations (consistent, findings) values (false, '[]')`)
    expect((await review(boss, id, 'approve')).body.detail.reason).toBe('books_inconsistent')
    expect(await statuses(alice)).toEqual(['PENDING_REVIEW'])
    await gateway.assertBooks()
    expect((await review(boss, id, 'approve')).status).toBe(200)
  })

  test('is refused for a withdrawal that was already approved or rejected', async () => {
    for (const first of ['approve', 'reject'] as const) {
      const { id } = await waiting()
      expect((await review(boss, id, first, { reason: 'so' })).status).toBe(200)
      for (const again of ['approve', 'reject'] as const) {
        const { status, body } = await review(boss, id, again, { reason: 'so' })
        expect([status, body.code]).toEqual([409, 'WITHDRAWAL_NOT_OPEN'])
      }
    }
  })

  test('of nothing is not found; a rejection needs a reason', async () => {
    for (const decision of ['approve', 'reject'] as const) {
      const { body } = await review(boss, 'wd_nothing', decision, { reason: 'no' })
      expect(body.code).toBe('WITHDRAWAL_NOT_FOUND')
    }
    const { id } = await waiting()
    expect((await review(boss, id, 'approve', { reason: '' })).body.code).toBe('INVALID_PAYLOAD')
    for (const body of [undefined, {}, { reason: '' }, { reason: 'a\u0000b' }]) {
      expect((await review(boss, id, 'reject', body)).body.code).toBe('INVALID_PAYLOAD')
    }
  })
})

test('only admins may review or read: FORBIDDEN for others, UNAUTHORIZED without a session', async () => {
  const { alice, id } = await waiting()
  const paths = [`/admin/withdrawals/${id}/approve`, `/admin/withdrawals/${id}/reject`]
  for (const path of paths) {
    const { status, body } = await alice.send(path, { method: 'POST', body: {} })
    expect([status, body.code]).toEqual([403, 'FORBIDDEN'])
  }
  for (const path of ['/admin/withdrawals', '/admin/audit-log']) {
    expect((await alice.send(path)).body.code).toBe('FORBIDDEN')
    expect((await alice.send(path, { token: 'nothing' })).body.code).toBe('UNAUTHORIZED')
  }
  expect(await statuses(alice)).toEqual(['PENDING_REVIEW'])
})

test("the admin's lists are paged, and an unknown state is refused", async () => {
  type Page = { withdrawals: { withdrawalId: string }[]; nextCursor: string | null }
  const first = await boss.send<Page>('/admin/withdrawals?limit=2')
  const second = await boss.send<Page>(`/admin/withdrawals?limit=2&cursor=${first.body.nextCursor}`)
  const seen = [...first.body.withdrawals, ...second.body.withdrawals].map(entry => entry.withdrawalId)
  expect(seen).toEqual([...new Set(seen)].sort().reverse())
  expect(seen).toHaveLength(4)
  expect((await boss.send('/admin/withdrawals?status=nothing')).body.code).toBe('INVALID_REQUEST')
})
