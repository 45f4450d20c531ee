import {
  confirmDepositIn,
  confirmedDeposit,
  type DepositIntent,
  depositPathIn,
  depositsPage,
  listDepositsIn,
  openDepositIn,
  openedDeposit,
} from '@farebox/wire/deposits'
import type { App } from '../../app.ts'
import { requestAliases, withAliases } from '../../http/aliases.ts'
import { acceptsCsv, linkNext, sendCsv } from '../../http/csv.ts'
import { idempotencyKeyOf } from '../../http/idempotency.ts'
import { createRateLimiter, limitBy, limitPerClient } from '../../http/limits/rate-limit.ts'
import { contract } from '../../http/openapi/contract.ts'
import type { Deps } from '../../ports.ts'
import { ownerGuard, ownerOf } from '../auth/require-owner.ts'
import { confirmDeposit } from './confirm-deposit.ts'
import * as examples from './examples.ts'
import { listDeposits } from './list-deposits.ts'
import { openDeposit } from './open-deposit.ts'

const common = { tag: 'Balance', access: 'wallet' } as const

/** Maximum number of claims per minute from one client address, of any wallet. */
const CLAIMS_PER_MINUTE = 1_200
/** Maximum number of confirmations per minute of one wallet: each may cost several requests to the chain. */
const CONFIRMATIONS_PER_MINUTE = 120

const DEPOSIT_COLUMNS = [
  'id',
  'status',
  'txHash',
  'amountUsdc',
  'claimedAmountUsdc',
  'eventKey',
  'reason',
  'createdAt',
] as const

/** Registers the routes of deposits below `/api/v1`. */
export function depositRoutes(app: App, deps: Deps): void {
  const onRequest = ownerGuard(deps)
  claim(app, deps, onRequest)
  confirm(app, deps, onRequest)
  list(app, deps, onRequest)
}

type Guard = ReturnType<typeof ownerGuard>

function claim(app: App, deps: Deps, onRequest: Guard): void {
  const limited = limitPerClient(deps.clock, {
    name: 'deposits',
    quota: CLAIMS_PER_MINUTE,
    windowSeconds: 60,
  })

  app.post(
    '/balance/deposit/intent',
    {
      ...contract(
        {
          ...common,
          id: 'openDeposit',
          summary: 'Claim a deposit',
          description:
            'Registers the transaction of a deposit into the vault. Confirm it next; it is also credited automatically once it has its confirmations. With `X-Idempotency-Key` a repeated claim gets the same response; without one it is refused.',
          idempotencyKey: 'optional',
          errors: ['INVALID_TX_HASH', 'DUPLICATE_TX_HASH', 'RATE_LIMITED'],
          answer: openedDeposit,
          example: examples.opened,
          exampleBody: examples.openBody,
        },
        { body: withAliases(openDepositIn, requestAliases.depositIntent) },
      ),
      onRequest: [limited, onRequest],
    },
    async (request, reply) => {
      const { body, isReplay } = await openDeposit(deps, {
        wallet: ownerOf(request).wallet,
        txHash: request.body.tx_hash,
        amount: request.body.amount,
        idempotencyKey: idempotencyKeyOf(request.headers),
      })
      if (isReplay) reply.header('idempotent-replayed', 'true')
      // Responses stored by earlier versions lack it.
      return { ...body, intentId: body.intent.intentId }
    },
  )
}

function confirm(app: App, deps: Deps, onRequest: Guard): void {
  const policy = { name: 'confirmations', quota: CONFIRMATIONS_PER_MINUTE, windowSeconds: 60 }
  const limited = limitBy(createRateLimiter(deps.clock, policy), request => ownerOf(request).wallet)

  app.post(
    '/balance/deposit/intents/:id/confirm',
    {
      ...contract(
        {
          ...common,
          id: 'confirmDeposit',
          summary: 'Credit a claimed deposit',
          description:
            "Reads the chain and credits the amount of the vault's event to the wallet that it names, once. Retry while it has too few confirmations; a credited deposit gets the same response again.",
          errors: ['DEPOSIT_NOT_FOUND', 'DEPOSIT_NOT_CONFIRMED', 'DEPOSIT_REJECTED', 'RATE_LIMITED'],
          answer: confirmedDeposit,
          example: examples.confirmed,
          exampleBody: {},
        },
        { params: depositPathIn, body: confirmDepositIn },
      ),
      onRequest: [onRequest, limited],
    },
    async request => {
      const key = { wallet: ownerOf(request).wallet, id: request.params.id }
      const intent = await confirmDeposit(deps, key)
      return { status: 'success', intentId: intent.intentId, intent }
    },
  )
}

function list(app: App, deps: Deps, onRequest: Guard): void {
  app.get(
    '/balance/deposits',
    {
      ...contract(
        {
          ...common,
          id: 'listDeposits',
          summary: 'List my deposits',
          description:
            'Newest first, with those found on chain without a claim. With `Accept: text/csv` as a table, with the next page in a `Link` header.',
          answer: depositsPage,
          otherTypes: { 'text/csv': 'The deposits as a table (RFC 4180).' },
          example: examples.listed,
        },
        { querystring: listDepositsIn },
      ),
      onRequest,
    },
    async (request, reply) => {
      const { limit, cursor } = request.query
      const { wallet } = ownerOf(request)
      const { items, nextCursor } = await listDeposits(deps, { wallet, limit, cursor })
      if (!acceptsCsv(request)) return { status: 'success', deposits: items, nextCursor }
      linkNext(request, reply, nextCursor)
      return sendCsv(reply, DEPOSIT_COLUMNS, items.map(rowOf))
    },
  )
}

/** Members that may be absent are empty in a table. */
const rowOf = ({ claimedAmountUsdc, reason, ...deposit }: DepositIntent) => ({
  ...deposit,
  claimedAmountUsdc: claimedAmountUsdc ?? null,
  reason: reason ?? null,
})
