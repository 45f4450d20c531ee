import { confirmDepositIn, depositPathIn, listDepositsIn, openDepositIn } from '@farebox/wire/deposits'
import type { App } from '../../app.ts'
import { requestAliases, withAliases } from '../../http/aliases.ts'
import { idempotencyKeyOf } from '../../http/idempotency.ts'
import type { Deps } from '../../ports.ts'
import { ownerGuard, ownerOf } from '../auth/require-owner.ts'
import { confirmDeposit } from './confirm-deposit.ts'
import { listDeposits } from './list-deposits.ts'
import { openDeposit } from './open-deposit.ts'

/** Claims to on-chain deposits. Registered below `/api/v1`. */
export function depositRoutes(app: App, deps: Deps): void {
  const onRequest = ownerGuard(deps)

  app.post(
    '/balance/deposit/intent',
    { schema: { body: withAliases(openDepositIn, requestAliases.depositIntent) }, onRequest },
    async (request, reply) => {
      const { body, isReplay } = await openDeposit(deps, {
        wallet: ownerOf(request).wallet,
        txHash: request.body.tx_hash,
        amount: request.body.amount,
        idempotencyKey: idempotencyKeyOf(request.headers),
      })
      if (isReplay) reply.header('idempotent-replayed', 'true')
      return body
    },
  )

  app.post(
    '/balance/deposit/intents/:id/confirm',
    { schema: { params: depositPathIn, body: confirmDepositIn }, onRequest },
    async request => {
      const key = { wallet: ownerOf(request).wallet, id: request.params.id }
      return { status: 'success', intent: await confirmDeposit(deps, key) }
    },
  )

  app.get('/balance/deposits', { schema: { querystring: listDepositsIn }, onRequest }, async request => {
    const { limit, cursor } = request.query
    const { items, nextCursor } = await listDeposits(deps, { wallet: ownerOf(request).wallet, limit, cursor })
    return { status: 'success', deposits: items, nextCursor }
  })
}
