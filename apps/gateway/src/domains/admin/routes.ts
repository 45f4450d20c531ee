import { formatUsdc, usdc } from '@farebox/money'
import {
  actIn,
  auditLogIn,
  auditLogPage,
  FINDINGS_MAX,
  reconcileAnswer,
  reviewAnswer,
  reviewQueue,
} from '@farebox/wire/admin'
import {
  approveWithdrawalIn,
  rejectWithdrawalIn,
  reviewQueueIn,
  withdrawalPathIn,
} from '@farebox/wire/withdrawals'
import type { App } from '../../app.ts'
import { limitPerClient } from '../../http/limits/rate-limit.ts'
import { forRequest } from '../../http/observe.ts'
import { contract } from '../../http/openapi/contract.ts'
import type { Deps } from '../../ports.ts'
import { adminGuard } from '../auth/require-admin.ts'
import { ownerOf } from '../auth/require-owner.ts'
import {
  approveWithdrawal,
  listForReview,
  type OnReviewed,
  rejectWithdrawal,
} from '../withdrawals/review-withdrawal.ts'
import { feeRoutes } from './fee-routes.ts'
import { findingRoutes } from './finding-routes.ts'
import { listActs } from './list-acts.ts'
import { reconcileNow } from './reconcile-now.ts'
import { recordAct } from './record-act.ts'
import { suspensionRoutes } from './suspension-routes.ts'

/** Maximum number of reconciliations per minute and client address; each reads all of the books. */
const RECONCILIATIONS_PER_MINUTE = 10

const about = { tag: 'Admin', access: 'admin' } as const

/** Registers the routes for wallets of `ADMIN_WALLETS` below `/api/v1`. */
export function adminRoutes(app: App, deps: Deps): void {
  reviewRoutes(app, deps)
  suspensionRoutes(app, deps)
  booksRoutes(app, deps)
  findingRoutes(app, deps)
  feeRoutes(app, deps)
}

/** Registers the routes for reviewing withdrawals. */
function reviewRoutes(app: App, deps: Deps): void {
  const onRequest = adminGuard(deps)

  app.get(
    '/admin/withdrawals',
    {
      ...contract(
        {
          id: 'listAllWithdrawals',
          summary: 'List withdrawals of all providers',
          description:
            'With `status=PENDING_REVIEW`, those under review. Each has the reasons for its review, and the earlier withdrawals of its wallet.',
          ...about,
          answer: reviewQueue,
        },
        { querystring: reviewQueueIn },
      ),
      onRequest,
    },
    async request => {
      const { items, nextCursor } = await listForReview(deps, request.query)
      return { status: 'success', withdrawals: items, nextCursor }
    },
  )
  decisionRoutes(app, deps, onRequest)
}

function decisionRoutes(app: App, deps: Deps, onRequest: ReturnType<typeof adminGuard>): void {
  app.post(
    '/admin/withdrawals/:withdrawalId/approve',
    {
      ...contract(
        {
          id: 'approveWithdrawal',
          summary: 'Approve a withdrawal under review',
          ...about,
          description:
            'Issues its ticket. Admins cannot approve withdrawals of their own wallet (FORBIDDEN with `detail.reason` `own_withdrawal`). The daily limits do not apply, but the vault must have the funds and the books must be in order (UNAVAILABLE with `detail.reason` `vault_illiquid`, `books_inconsistent`, `books_unchecked`, `chain_finding`, `chain_not_followed`, `no_ticket_signer`, `ticket_signer_differs` or `ticket_signer_unavailable`).',
          errors: [
            'WITHDRAWAL_NOT_FOUND',
            'WITHDRAWAL_NOT_OPEN',
            'WITHDRAW_VAULT_LIQUIDITY_CHECK_UNAVAILABLE',
          ],
          answer: reviewAnswer,
        },
        { params: withdrawalPathIn, body: approveWithdrawalIn },
      ),
      onRequest,
    },
    async request => {
      const reason = request.body?.reason ?? null
      const { withdrawalId } = request.params
      const reviewer = ownerOf(request).wallet
      const onReviewed = audited(deps, { actor: reviewer, action: 'withdrawal.approve', reason })
      const withdrawal = await approveWithdrawal(deps, { withdrawalId, reviewer, reason }, onReviewed)
      return { status: 'success', withdrawal }
    },
  )

  app.post(
    '/admin/withdrawals/:withdrawalId/reject',
    {
      ...contract(
        {
          id: 'rejectWithdrawal',
          summary: 'Reject a withdrawal under review',
          ...about,
          description: 'Unlocks its amount. The provider sees the reason.',
          errors: ['WITHDRAWAL_NOT_FOUND', 'WITHDRAWAL_NOT_OPEN'],
          answer: reviewAnswer,
        },
        { params: withdrawalPathIn, body: rejectWithdrawalIn },
      ),
      onRequest,
    },
    async request => {
      const { reason } = request.body
      const { withdrawalId } = request.params
      const { wallet: actor } = ownerOf(request)
      const onReviewed = audited(deps, { actor, action: 'withdrawal.reject', reason })
      const withdrawal = await rejectWithdrawal(deps, { withdrawalId, reason }, onReviewed)
      return { status: 'success', withdrawal }
    },
  )
}

/** Records a review in the audit log, in the transaction of the review. */
function audited(
  deps: Pick<Deps, 'ids'>,
  act: { actor: string; action: string; reason: string | null },
): OnReviewed {
  return (tx, { before, after }) => recordAct(deps, tx, { ...act, target: after.withdrawalId, before, after })
}

/** Registers the routes of reconciliation and of the audit log. */
function booksRoutes(app: App, deps: Deps): void {
  const onRequest = adminGuard(deps)
  const limit = limitPerClient(deps.clock, {
    name: 'reconcile',
    quota: RECONCILIATIONS_PER_MINUTE,
    windowSeconds: 60,
  })

  app.post(
    '/admin/reconcile',
    {
      ...contract(
        {
          id: 'reconcileNow',
          summary: 'Check the books now',
          ...about,
          description:
            'Checks every invariant of the books in one snapshot, and that the vault covers them. Counts as a regular check.',
          errors: ['RATE_LIMITED'],
          answer: reconcileAnswer,
        },
        { body: actIn },
      ),
      onRequest: [onRequest, limit],
    },
    async request => {
      const by = { actor: ownerOf(request).wallet, reason: request.body?.reason ?? null }
      const { consistent, findings, totals, vault } = await reconcileNow(forRequest(deps, request), by)
      return {
        status: 'success',
        consistent,
        findings: findings.slice(0, FINDINGS_MAX),
        findingsCount: findings.length,
        vaultBalanceUsdc: vault === null ? null : formatUsdc(usdc(vault.held)),
        liabilitiesUsdc: formatUsdc(totals.owed),
        ledgerSumUsdc: formatUsdc(totals.entries),
      }
    },
  )

  app.get(
    '/admin/audit-log',
    {
      ...contract(
        {
          id: 'listAdminActs',
          summary: 'List the acts of admins',
          ...about,
          description: 'Newest first, with each record before and after. Filters are combined.',
          answer: auditLogPage,
        },
        { querystring: auditLogIn },
      ),
      onRequest,
    },
    async request => {
      const { items, nextCursor } = await listActs(deps.db, {
        ...request.query,
        cursor: request.query.cursor,
      })
      return { status: 'success', entries: items, nextCursor }
    },
  )
}
