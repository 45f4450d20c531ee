import { GatewayError } from '@farebox/wire/errors'
import {
  completeWithdrawalIn,
  listWithdrawalsIn,
  openWithdrawalIn,
  withdrawalPathIn,
} from '@farebox/wire/withdrawals'
import { type Address, getAddress } from 'viem'
import type { App } from '../../app.ts'
import { requestAliases, withAliases } from '../../http/aliases.ts'
import { idempotencyKeyOf } from '../../http/idempotency.ts'
import type { Deps } from '../../ports.ts'
import { ownerGuard, ownerOf } from '../auth/require-owner.ts'
import { completeWithdrawal } from './complete-withdrawal.ts'
import { listWithdrawals } from './list-withdrawals.ts'
import { openWithdrawal } from './open-withdrawal.ts'
import { readCapability } from './read-capability.ts'
import { readEarnings } from './read-earnings.ts'
import { readWithdrawal } from './read-withdrawal.ts'

/** Earnings of providers and their way out. Registered below `/api/v1`. */
export function withdrawalRoutes(app: App, deps: Deps): void {
  const onRequest = ownerGuard(deps)

  app.post(
    '/providers/withdrawals/intent',
    { schema: { body: openWithdrawalIn }, onRequest },
    async (request, reply) => {
      const idempotencyKey = idempotencyKeyOf(request.headers)
      if (idempotencyKey === null) throw new GatewayError('MISSING_IDEMPOTENCY_KEY')
      const { body, isReplay } = await openWithdrawal(deps, {
        wallet: ownerOf(request).wallet,
        amount: request.body.amountUsdc,
        idempotencyKey,
      })
      if (isReplay) reply.header('idempotent-replayed', 'true')
      return body
    },
  )

  app.post(
    '/providers/withdrawals/:withdrawalId/complete',
    {
      schema: { params: withdrawalPathIn, body: withAliases(completeWithdrawalIn, requestAliases.complete) },
      onRequest,
    },
    async request => {
      const { wallet } = ownerOf(request)
      const { withdrawalId } = request.params
      const { txHash } = await completeWithdrawal(deps, { wallet, withdrawalId, txHash: request.body.txHash })
      return { ...headOf(wallet), withdrawalId, statusLabel: 'COMPLETED', txHash }
    },
  )

  app.get(
    '/providers/withdrawals',
    { schema: { querystring: listWithdrawalsIn }, onRequest },
    async request => {
      const { wallet } = ownerOf(request)
      const { limit, cursor } = request.query
      const { items, nextCursor } = await listWithdrawals(deps, { wallet, limit, cursor })
      return { ...headOf(wallet), withdrawals: items, nextCursor }
    },
  )

  app.get('/providers/withdrawals/capability', { onRequest }, async request => {
    const { wallet } = ownerOf(request)
    return { ...headOf(wallet), ...(await readCapability(deps, wallet)) }
  })

  app.get(
    '/providers/withdrawals/:withdrawalId',
    { schema: { params: withdrawalPathIn }, onRequest },
    async request => {
      const { wallet } = ownerOf(request)
      const withdrawal = await readWithdrawal(deps, { wallet, withdrawalId: request.params.withdrawalId })
      const { withdrawalId, statusLabel, ticket } = withdrawal
      return { ...headOf(wallet), withdrawalId, statusLabel, ticket, withdrawal }
    },
  )

  app.get('/providers/earnings/summary', { onRequest }, async request => {
    const { wallet } = ownerOf(request)
    return { ...headOf(wallet), ...(await readEarnings(deps, wallet)) }
  })
}

const headOf = (wallet: Address) => ({ status: 'success', ownerAddress: getAddress(wallet) }) as const
