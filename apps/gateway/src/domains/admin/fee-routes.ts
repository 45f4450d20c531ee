import { withdrawFeesIn } from '@farebox/wire/admin'
import { GatewayError } from '@farebox/wire/errors'
import { openedWithdrawal } from '@farebox/wire/withdrawals'
import { zeroAddress } from 'viem'
import type { App } from '../../app.ts'
import { requireIdempotencyKey } from '../../http/idempotency.ts'
import { contract } from '../../http/openapi/contract.ts'
import type { Deps } from '../../ports.ts'
import { adminGuard } from '../auth/require-admin.ts'
import { ownerOf } from '../auth/require-owner.ts'
import { openWithdrawal } from '../withdrawals/open-withdrawal.ts'
import { recordAct } from './record-act.ts'

/** Registers the routes for withdrawing the platform's fees below `/api/v1`. */
export function feeRoutes(app: App, deps: Deps): void {
  app.post(
    '/admin/fees/withdraw',
    {
      ...contract(
        {
          id: 'withdrawFees',
          summary: 'Withdraw accrued fees',
          description:
            'Withdraws platform fees, less losses. Within the daily limits a ticket is issued immediately, otherwise another admin reviews it. It is paid to `destinationAddress`, by default your own wallet, and is listed among the withdrawals of that wallet. Needs `X-Idempotency-Key`.',
          tag: 'Admin',
          access: 'admin',
          idempotencyKey: 'required',
          errors: [
            'INVALID_ADDRESS',
            'INSUFFICIENT_PROVIDER_RECEIVABLE',
            'WITHDRAW_VAULT_LIQUIDITY_CHECK_UNAVAILABLE',
          ],
          answer: openedWithdrawal,
          exampleBody: { amountUsdc: '120.00' },
        },
        { body: withdrawFeesIn },
      ),
      onRequest: adminGuard(deps),
    },
    async (request, reply) => {
      const idempotencyKey = requireIdempotencyKey(request.headers)
      const { wallet: by } = ownerOf(request)
      const { amountUsdc: amount, destinationAddress, reason = null } = request.body
      const wallet = destinationAddress ?? by
      const isPayable = wallet !== zeroAddress && wallet !== deps.chain.facts.vault.toLowerCase()
      if (!isPayable) {
        const message =
          'destinationAddress: USDC cannot be transferred to this address. Send the wallet to pay.'
        throw new GatewayError('INVALID_ADDRESS', { member: 'destinationAddress' }, { message })
      }
      const act = { actor: by, action: 'fees.withdraw', reason, before: null }
      const { body, isReplay } = await openWithdrawal(deps, {
        wallet,
        amount,
        idempotencyKey,
        payout: {
          by,
          onOpened: (tx, opened) =>
            recordAct(deps, tx, { ...act, target: opened.withdrawalId, after: opened }),
        },
      })
      if (isReplay) reply.header('idempotent-replayed', 'true')
      return body
    },
  )
}
