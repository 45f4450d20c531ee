import { parseUsdc, type Usdc } from '@farebox/money'
import { GatewayError } from '@farebox/wire/errors'
import {
  createdVouchers,
  createVouchersIn,
  exampleVoucher,
  listVouchersIn,
  vouchersPage,
} from '@farebox/wire/vouchers'
import type { App } from '../../app.ts'
import { idempotencyKeyOf } from '../../http/idempotency.ts'
import { contract } from '../../http/openapi/contract.ts'
import type { Deps } from '../../ports.ts'
import { adminGuard } from '../auth/require-admin.ts'
import { ownerOf } from '../auth/require-owner.ts'
import { createVouchers, type NewVouchers } from '../vouchers/create-vouchers.ts'
import { listVouchers } from '../vouchers/list-vouchers.ts'
import { recordAct } from './record-act.ts'

/**
 * Registers the admins' routes of vouchers below `/api/v1`.
 *
 * @param onShort development mode: provides promotions with the money that the admin lacks
 */
export function adminVoucherRoutes(
  app: App,
  deps: VoucherDeps,
  onShort?: (missing: Usdc) => Promise<void>,
): void {
  const onRequest = adminGuard(deps)
  create(app, deps, onRequest, onShort)
  list(app, deps, onRequest)
}

type VoucherDeps = Pick<Deps, 'db' | 'ids' | 'clock' | 'config' | 'secretBox'>
type Guard = ReturnType<typeof adminGuard>

function create(
  app: App,
  deps: VoucherDeps,
  onRequest: Guard,
  onShort?: (missing: Usdc) => Promise<void>,
): void {
  app.post(
    '/admin/vouchers',
    {
      ...contract(
        {
          id: 'createVouchers',
          summary: 'Create vouchers',
          description:
            'The codes are not listed later. Retry with the same `X-Idempotency-Key` to get them again. Vouchers are funded in advance: what promotions do not cover yet is charged to your own balance, otherwise INSUFFICIENT_BALANCE with `detail.requiredUsdc` and `detail.availableUsdc`. What expired vouchers leave funds the next ones.',
          tag: 'Admin',
          access: 'admin',
          errors: ['INSUFFICIENT_BALANCE'],
          idempotencyKey: 'optional',
          answer: createdVouchers,
          example: {
            status: 'success',
            vouchers: [
              { ...exampleVoucher, redemptions: 0, voucherCode: 'FBX-7K2M-9QXA-W3RD-0TZE-5HBN-C8VJ-1PGS' },
            ],
            totalUsdc: '500.000000',
            fundedUsdc: '500.000000',
          },
          exampleBody: {
            amountUsdc: '5',
            count: 1,
            maxRedemptions: 100,
            expiresAt: '2027-01-01T00:00:00Z',
          },
        },
        { body: createVouchersIn },
      ),
      onRequest,
    },
    async (request, reply) => {
      const { wallet } = ownerOf(request)
      const { amountUsdc, count, maxRedemptions, expiresAt } = request.body
      const input = {
        amount: amountUsdc,
        count,
        redemptionsMax: maxRedemptions,
        expiresAt: new Date(expiresAt),
        createdBy: wallet,
        idempotencyKey: idempotencyKeyOf(request.headers),
      }
      const make = async () => {
        const { body, isReplay } = await createAudited(deps, input)
        if (isReplay) reply.header('idempotent-replayed', 'true')
        return body
      }
      try {
        return await make()
      } catch (error) {
        const missing = onShort === undefined ? null : missingIn(error)
        if (missing === null) throw error
        await onShort?.(missing)
        return make()
      }
    },
  )
}

/** Creates vouchers and records it in the audit log. */
function createAudited(deps: VoucherDeps, input: NewVouchers) {
  return createVouchers(deps, input, (tx, made) =>
    recordAct(deps, tx, {
      actor: input.createdBy,
      action: 'vouchers.create',
      target: made.batchId,
      before: null,
      after: made,
      reason: null,
    }),
  )
}

function list(app: App, deps: VoucherDeps, onRequest: Guard): void {
  app.get(
    '/admin/vouchers',
    {
      ...contract(
        {
          id: 'listVouchers',
          summary: 'List vouchers, newest first',
          description: 'Without their codes, which are not stored.',
          tag: 'Admin',
          access: 'admin',
          answer: vouchersPage,
          example: { status: 'success', vouchers: [exampleVoucher], nextCursor: null },
        },
        { querystring: listVouchersIn },
      ),
      onRequest,
    },
    async request => {
      const { status, limit, cursor } = request.query
      const { items, nextCursor } = await listVouchers(deps.db, { status, limit, cursor })
      return { status: 'success', vouchers: items, nextCursor }
    },
  )
}

/** Returns the amount that a wallet lacked; null for other errors. */
function missingIn(error: unknown): Usdc | null {
  if (!(error instanceof GatewayError) || error.code !== 'INSUFFICIENT_BALANCE') return null
  const { requiredUsdc } = error.context
  return typeof requiredUsdc === 'string' ? parseUsdc(requiredUsdc) : null
}
