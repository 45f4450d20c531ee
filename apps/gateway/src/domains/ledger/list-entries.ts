import { formatUsdc, usdc } from '@farebox/money'
import type { LedgerEntry } from '@farebox/wire/balance'
import { type Page, pageOf } from '../../http/paging.ts'
import type { Queryable } from '../../ports.ts'
import { idOfCursor } from './id-cursor.ts'
import { consumerAccount, providerAccount } from './rules.ts'
import { readEntries } from './store.ts'

/**
 * A wallet's entries in both of its roles, newest first. They explain its posted balances to the last micro-USDC;
 * what is held or locked makes no entries.
 *
 * @throws GatewayError INVALID_REQUEST for a cursor that is not one of ours
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
    ({ id, kind, reference, account, amount, created_at: createdAt }): LedgerEntry => ({
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
