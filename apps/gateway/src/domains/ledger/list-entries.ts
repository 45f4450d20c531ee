import { formatUsdc, usdc } from '@farebox/money'
import type { LedgerEntry } from '@farebox/wire/balance'
import { type Page, pageOf } from '../../http/paging.ts'
import type { Queryable } from '../../ports.ts'
import { idOfCursor } from './id-cursor.ts'
import { consumerAccount, providerAccount } from './rules.ts'
import { readEntries } from './store.ts'

/**
 * Returns a wallet's entries as consumer and provider, newest first. They add up to its posted balances; holds and
 * locks make no entries.
 *
 * @throws GatewayError INVALID_REQUEST for an invalid cursor
 */
export async function listEntries(
  db: Queryable,
  query: { wallet: string; limit: number; cursor: string | undefined },
): Promise<Page<LedgerEntry>> {
  const { wallet, limit } = query
  const consumer = consumerAccount(wallet)
  const rows = await readEntries(db, {
    accounts: [consumer, providerAccount(wallet)],
    beforeId: idOfCursor(query.cursor),
    limit: limit + 1,
  })
  const page = pageOf(rows, limit, row => row.id.toString())
  const items = page.items.map(
    ({ id, kind, reference, account, amount, createdAt }): LedgerEntry => ({
      entryId: id.toString(),
      movementId: `${kind}:${reference}`,
      kind,
      account: account === consumer ? 'consumer' : 'provider',
      amountUsdc: formatUsdc(usdc(amount)),
      reference,
      createdAt: createdAt.toISOString(),
    }),
  )
  return { ...page, items }
}
