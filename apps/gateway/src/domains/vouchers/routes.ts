import { redeemedVoucher, redeemVoucherIn } from '@farebox/wire/vouchers'
import type { App } from '../../app.ts'
import { idempotencyKeyOf } from '../../http/idempotency.ts'
import { limitPerClient } from '../../http/limits/rate-limit.ts'
import { contract } from '../../http/openapi/contract.ts'
import type { Deps } from '../../ports.ts'
import { takeTurns } from '../../runtime/take-turns.ts'
import { ownerGuard, ownerOf } from '../auth/require-owner.ts'
import { redeemVoucher } from './redeem-voucher.ts'

const EXAMPLE_CODE = 'FBX-7K2M-9QXA-W3RD-0TZE-5HBN-C8VJ-1PGS'

/** Registers the routes of vouchers for wallets below `/api/v1`. */
export function voucherRoutes(app: App, deps: Pick<Deps, 'db' | 'ids' | 'clock' | 'config'>): void {
  // Codes are too long to guess; the limit bounds the load of attempts.
  const limited = limitPerClient(deps.clock, { name: 'vouchers', quota: 300, windowSeconds: 60 })
  // All wait for the lock on promotions; here they hold no connection, so that a rush does not exhaust the pool.
  const inTurn = takeTurns()

  app.post(
    '/balance/vouchers/redeem',
    {
      ...contract(
        {
          id: 'redeemVoucher',
          summary: 'Redeem a voucher',
          description:
            'Adds the amount of the voucher to the balance of the wallet, once per wallet. The code is case-insensitive, with or without its dashes. Retry with the same `X-Idempotency-Key` to get the same answer; without one, VOUCHER_ALREADY_REDEEMED with `detail.reason` `by_this_wallet`. A voucher without redemptions left has the reason `used_up`.',
          tag: 'Balance',
          access: 'wallet',
          errors: ['VOUCHER_NOT_FOUND', 'VOUCHER_EXPIRED', 'VOUCHER_ALREADY_REDEEMED', 'RATE_LIMITED'],
          idempotencyKey: 'optional',
          answer: redeemedVoucher,
          example: { status: 'success', voucherCode: EXAMPLE_CODE, amountUsdc: '5.000000' },
          exampleBody: { voucherCode: EXAMPLE_CODE },
        },
        { body: redeemVoucherIn },
      ),
      onRequest: [limited, ownerGuard(deps)],
    },
    async (request, reply) => {
      const input = {
        wallet: ownerOf(request).wallet,
        voucherCode: request.body.voucherCode,
        idempotencyKey: idempotencyKeyOf(request.headers),
      }
      const { body, isReplay } = await inTurn(() => redeemVoucher(deps, input))
      if (isReplay) reply.header('idempotent-replayed', 'true')
      return body
    },
  )
}
