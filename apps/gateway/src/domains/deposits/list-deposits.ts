import type { DepositIntent } from '@farebox/wire/deposits'
import { keyOfCursor, type Page, pageOf } from '../../http/paging.ts'
import type { Deps } from '../../ports.ts'
import { presentDeposit } from './present-deposit.ts'
import { listDeposits as selectDeposits } from './store.ts'

/**
 * Lists a wallet's deposits, newest first: claimed ones and those found by the follower.
 *
 * @throws GatewayError INVALID_REQUEST for an invalid cursor
 */
export async function listDeposits(
  deps: Pick<Deps, 'db' | 'chain'>,
  query: { wallet: string; limit: number; cursor: string | undefined },
): Promise<Page<DepositIntent>> {
  const { wallet, limit, cursor } = query
  const rows = await selectDeposits(deps.db, {
    wallet,
    before: keyOfCursor(cursor, /^dep_/),
    limit: limit + 1,
  })
  const page = pageOf(rows, limit, row => row.id)
  return { ...page, items: page.items.map(row => presentDeposit(row, deps.chain.facts)) }
}
