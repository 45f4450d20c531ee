import { formatUsdc } from '@farebox/money'
import { balanceAnswer, entriesPage, listEntriesIn } from '@farebox/wire/balance'
import type { App } from '../../app.ts'
import { acceptsCsv, linkNext, sendCsv } from '../../http/csv.ts'
import { contract } from '../../http/openapi/contract.ts'
import type { Deps } from '../../ports.ts'
import { ownerGuard, ownerOf } from '../auth/require-owner.ts'
import * as examples from './examples.ts'
import { listEntries } from './list-entries.ts'
import { readBalance } from './read-balance.ts'

const ENTRY_COLUMNS = [
  'entryId',
  'movementId',
  'kind',
  'account',
  'amountUsdc',
  'reference',
  'createdAt',
] as const

/** Routes of balances and entries, below `/api/v1`. */
export function ledgerRoutes(app: App, deps: Deps): void {
  const onRequest = ownerGuard(deps)

  app.get(
    '/balance',
    {
      ...contract({
        id: 'readBalance',
        summary: 'Read my balance',
        description: 'Balances of the wallet as a consumer and as a provider. Some have two names.',
        tag: 'Balance',
        access: 'wallet',
        answer: balanceAnswer,
        example: examples.balance,
      }),
      onRequest,
    },
    async request => {
      const balance = await readBalance(deps.db, ownerOf(request).wallet)
      return presentBalance(balance)
    },
  )

  app.get(
    '/balance/ledger',
    {
      ...contract(
        {
          id: 'listLedgerEntries',
          summary: 'List the entries behind my balance',
          description:
            'Newest first. They add up to the posted balances; holds and locks make no entries. With `Accept: text/csv` as a table, with the next page in a `Link` header.',
          tag: 'Balance',
          access: 'wallet',
          answer: entriesPage,
          otherTypes: { 'text/csv': 'The entries as a table (RFC 4180).' },
          example: examples.entries,
        },
        { querystring: listEntriesIn },
      ),
      onRequest,
    },
    async (request, reply) => {
      const { limit, cursor } = request.query
      const { items, nextCursor } = await listEntries(deps.db, {
        wallet: ownerOf(request).wallet,
        limit,
        cursor,
      })
      if (!acceptsCsv(request)) return { status: 'success', entries: items, nextCursor }
      linkNext(request, reply, nextCursor)
      return sendCsv(reply, ENTRY_COLUMNS, items)
    },
  )
}

/** Returns a balance under the names of all clients. */
function presentBalance(balance: Awaited<ReturnType<typeof readBalance>>) {
  const consumerAvailable = formatUsdc(balance.consumerAvailable)
  const consumerHeld = formatUsdc(balance.consumerHeld)
  const providerReceivable = formatUsdc(balance.providerReceivable)
  const providerLocked = formatUsdc(balance.providerLocked)
  const feesPaid = formatUsdc(balance.feesPaid)
  return {
    status: 'success',
    consumer_available_balance: consumerAvailable,
    consumer_held_balance: consumerHeld,
    provider_receivable_balance: providerReceivable,
    provider_locked_balance: providerLocked,
    protocol_fee_balance: feesPaid,
    balance: {
      ownerBalance: consumerAvailable,
      consumerAvailableBalance: consumerAvailable,
      consumerHeldBalance: consumerHeld,
      providerReceivable,
      providerLocked,
      platformFeeAccrued: feesPaid,
    },
  } as const
}
