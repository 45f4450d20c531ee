import {
  capabilityAnswer,
  completedWithdrawal,
  completeWithdrawalIn,
  earningsAnswer,
  earningsIn,
  listWithdrawalsIn,
  openedWithdrawal,
  openWithdrawalIn,
  shownWithdrawal,
  withdrawalPathIn,
  withdrawalsPage,
} from '@farebox/wire/withdrawals'
import { type Address, getAddress } from 'viem'
import type { App } from '../../app.ts'
import { requestAliases, withAliases } from '../../http/aliases.ts'
import { acceptsCsv, linkNext, sendCsv } from '../../http/csv.ts'
import { requireIdempotencyKey } from '../../http/idempotency.ts'
import { forRequest } from '../../http/observe.ts'
import { contract } from '../../http/openapi/contract.ts'
import type { Deps } from '../../ports.ts'
import { assertOwnAddress } from '../auth/own-address.ts'
import { ownerGuard, ownerOf } from '../auth/require-owner.ts'
import { completeWithdrawal } from './complete-withdrawal.ts'
import * as examples from './examples.ts'
import { listWithdrawals } from './list-withdrawals.ts'
import { openWithdrawal } from './open-withdrawal.ts'
import { readCapability } from './read-capability.ts'
import { readEarnings } from './read-earnings.ts'
import { readWithdrawal } from './read-withdrawal.ts'

const common = { tag: 'Withdrawals', access: 'wallet' } as const
const WITHDRAWAL_COLUMNS = [
  'withdrawalId',
  'amountUsdc',
  'status',
  'txHash',
  'reason',
  'createdAt',
  'updatedAt',
] as const

/** Registers the routes of earnings and withdrawals below `/api/v1`. */
export function withdrawalRoutes(app: App, deps: Deps): void {
  open(app, deps)
  complete(app, deps)
  read(app, deps)
  forecast(app, deps)
}

function open(app: App, deps: Deps): void {
  app.post(
    '/providers/withdrawals/intent',
    {
      ...contract(
        {
          ...common,
          id: 'openWithdrawal',
          summary: 'Withdraw earnings',
          description:
            'Locks earnings and answers with a ticket that the vault pays within an hour, or has it reviewed first (`PENDING_REVIEW`, `ticket: null`). Needs `X-Idempotency-Key`: retry with the same key to get the same withdrawal, in its current state. It is paid to the wallet that earned it: another `destinationAddress` is INVALID_ADDRESS. Consumer balances are never touched.',
          idempotencyKey: 'required',
          errors: [
            'INVALID_ADDRESS',
            'INSUFFICIENT_PROVIDER_RECEIVABLE',
            'WITHDRAW_VAULT_LIQUIDITY_CHECK_UNAVAILABLE',
          ],
          answer: openedWithdrawal,
          example: examples.opened,
          exampleBody: { amountUsdc: '250.00' },
        },
        { body: openWithdrawalIn },
      ),
      onRequest: ownerGuard(deps),
    },
    async (request, reply) => {
      const idempotencyKey = requireIdempotencyKey(request.headers)
      const { wallet } = ownerOf(request)
      const { amountUsdc, destinationAddress } = request.body
      if (destinationAddress !== undefined) {
        assertOwnAddress(destinationAddress, { wallet, member: 'destinationAddress' })
      }
      const { body, isReplay } = await openWithdrawal(deps, {
        wallet,
        amount: amountUsdc,
        idempotencyKey,
      })
      if (isReplay) reply.header('idempotent-replayed', 'true')
      return body
    },
  )
}

function complete(app: App, deps: Deps): void {
  app.post(
    '/providers/withdrawals/:withdrawalId/complete',
    {
      ...contract(
        {
          ...common,
          id: 'completeWithdrawal',
          summary: 'Report that a ticket was redeemed',
          description:
            'Reads the chain and binds the transaction to the withdrawal; a repeated request gets the same response. Unreported withdrawals are completed automatically.',
          errors: [
            'INVALID_TX_HASH',
            'WITHDRAWAL_NOT_FOUND',
            'TX_HASH_REPLAY',
            'WITHDRAWAL_TX_NOT_CONFIRMED',
            'WITHDRAWAL_TX_MISMATCH',
            'WITHDRAWAL_NOT_OPEN',
          ],
          answer: completedWithdrawal,
          example: examples.completed,
          exampleBody: examples.completeBody,
        },
        { params: withdrawalPathIn, body: withAliases(completeWithdrawalIn, requestAliases.complete) },
      ),
      onRequest: ownerGuard(deps),
    },
    async request => {
      const { wallet } = ownerOf(request)
      const { withdrawalId } = request.params
      const { txHash } = await completeWithdrawal(deps, { wallet, withdrawalId, txHash: request.body.txHash })
      return { ...headOf(wallet), withdrawalId, intentId: withdrawalId, statusLabel: 'COMPLETED', txHash }
    },
  )
}

function read(app: App, deps: Deps): void {
  const onRequest = ownerGuard(deps)

  app.get(
    '/providers/withdrawals',
    {
      ...contract(
        {
          ...common,
          id: 'listWithdrawals',
          summary: 'List my withdrawals',
          description:
            'Newest first. Also cancels expired tickets and unlocks their amounts. With `Accept: text/csv` as a table, with the next page in a `Link` header.',
          answer: withdrawalsPage,
          otherTypes: { 'text/csv': 'The withdrawals as a table (RFC 4180), without their tickets.' },
          example: examples.listed,
        },
        { querystring: listWithdrawalsIn },
      ),
      onRequest,
    },
    async (request, reply) => {
      const { wallet } = ownerOf(request)
      const { limit, cursor } = request.query
      const { items, nextCursor } = await listWithdrawals(forRequest(deps, request), {
        wallet,
        limit,
        cursor,
      })
      if (!acceptsCsv(request)) return { ...headOf(wallet), withdrawals: items, nextCursor }
      linkNext(request, reply, nextCursor)
      return sendCsv(reply, WITHDRAWAL_COLUMNS, items)
    },
  )

  app.get(
    '/providers/withdrawals/:withdrawalId',
    {
      ...contract(
        {
          ...common,
          id: 'readWithdrawal',
          summary: 'Read a withdrawal',
          description: 'With its ticket while it can be redeemed.',
          errors: ['WITHDRAWAL_NOT_FOUND'],
          answer: shownWithdrawal,
          example: examples.shown,
        },
        { params: withdrawalPathIn },
      ),
      onRequest,
    },
    async request => {
      const { wallet } = ownerOf(request)
      const withdrawal = await readWithdrawal(deps, { wallet, withdrawalId: request.params.withdrawalId })
      const { withdrawalId, intentId, statusLabel, ticket } = withdrawal
      return { ...headOf(wallet), withdrawalId, intentId, statusLabel, ticket, withdrawal }
    },
  )
}

function forecast(app: App, deps: Deps): void {
  const onRequest = ownerGuard(deps)

  app.get(
    '/providers/withdrawals/capability',
    {
      ...contract({
        ...common,
        id: 'readWithdrawalCapability',
        summary: 'Read what I can withdraw now',
        description: 'A forecast: only opening a withdrawal decides.',
        answer: capabilityAnswer,
        example: examples.capability,
      }),
      onRequest,
    },
    async request => {
      const { wallet } = ownerOf(request)
      return { ...headOf(wallet), ...(await readCapability(deps, wallet)) }
    },
  )

  app.get(
    '/providers/earnings/summary',
    {
      ...contract(
        {
          ...common,
          id: 'readEarnings',
          summary: 'Read my earnings',
          description:
            'The total, by service (the top 100) and by UTC day; without `from`, by service of all time and by day of the last 30. Earnings are charges less the platform fee. With `Accept: text/csv` the days or the services as a table.',
          answer: earningsAnswer,
          otherTypes: { 'text/csv': 'The days, or with `by=service` the services, as a table (RFC 4180).' },
          example: examples.earnings,
        },
        { querystring: earningsIn },
      ),
      onRequest,
    },
    async (request, reply) => {
      const { wallet } = ownerOf(request)
      const earnings = await readEarnings(deps, wallet, request.query)
      if (!acceptsCsv(request)) return { ...headOf(wallet), ...earnings }
      return request.query.by === 'day'
        ? sendCsv(reply, ['day', 'calls', 'earnedUsdc'], earnings.byDay)
        : sendCsv(reply, ['serviceId', 'calls', 'earnedUsdc'], earnings.byService)
    },
  )
}

const headOf = (wallet: Address) => ({ status: 'success', ownerAddress: getAddress(wallet) }) as const
