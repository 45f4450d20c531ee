import { pageIn } from '@farebox/wire/common'
import {
  approveWithdrawalIn,
  rejectWithdrawalIn,
  reviewQueueIn,
  withdrawalPathIn,
} from '@farebox/wire/withdrawals'
import type { App } from '../../app.ts'
import type { Deps } from '../../ports.ts'
import { adminGuard } from '../auth/require-admin.ts'
import { ownerOf } from '../auth/require-owner.ts'
import {
  approveWithdrawal,
  listForReview,
  type OnReviewed,
  rejectWithdrawal,
} from '../withdrawals/review-withdrawal.ts'
import { listActs } from './list-acts.ts'
import { recordAct } from './record-act.ts'

/** What only wallets of `ADMIN_WALLETS` may do. Registered below `/api/v1`. */
export function adminRoutes(app: App, deps: Deps): void {
  const onRequest = adminGuard(deps)

  /** Audits a review in its own transaction. */
  const audited =
    (act: { actor: string; action: string; reason: string | null }): OnReviewed =>
    (tx, { before, after }) =>
      recordAct(deps, tx, { ...act, target: after.withdrawalId, before, after })

  app.get('/admin/withdrawals', { schema: { querystring: reviewQueueIn }, onRequest }, async request => {
    const { status, limit, cursor } = request.query
    const { items, nextCursor } = await listForReview(deps, { status, limit, cursor })
    return { status: 'success', withdrawals: items, nextCursor }
  })

  app.post(
    '/admin/withdrawals/:withdrawalId/approve',
    { schema: { params: withdrawalPathIn, body: approveWithdrawalIn }, onRequest },
    async request => {
      const reason = request.body?.reason ?? null
      const { withdrawalId } = request.params
      const onReviewed = audited({ actor: ownerOf(request).wallet, action: 'withdrawal.approve', reason })
      const withdrawal = await approveWithdrawal(deps, { withdrawalId, reason }, onReviewed)
      return { status: 'success', withdrawal }
    },
  )

  app.post(
    '/admin/withdrawals/:withdrawalId/reject',
    { schema: { params: withdrawalPathIn, body: rejectWithdrawalIn }, onRequest },
    async request => {
      const { reason } = request.body
      const { withdrawalId } = request.params
      const onReviewed = audited({ actor: ownerOf(request).wallet, action: 'withdrawal.reject', reason })
      const withdrawal = await rejectWithdrawal(deps, { withdrawalId, reason }, onReviewed)
      return { status: 'success', withdrawal }
    },
  )

  app.get('/admin/audit-log', { schema: { querystring: pageIn }, onRequest }, async request => {
    const { limit, cursor } = request.query
    const { items, nextCursor } = await listActs(deps.db, { limit, cursor })
    return { status: 'success', entries: items, nextCursor }
  })
}
