import { isUnavailable } from '@farebox/wire/errors'
import type { Withdrawal } from '@farebox/wire/withdrawals'
import { keyOfCursor, type Page, pageOf } from '../../http/paging.ts'
import type { Deps } from '../../ports.ts'
import { within } from '../../runtime/within.ts'
import { expireStale } from './expire-stale.ts'
import { presentWithdrawal } from './present-withdrawal.ts'
import { listWithdrawals as selectWithdrawals } from './store.ts'

/** Maximum number of stale tickets that listing releases; the job releases the others. */
const STALE_PER_LIST_MAX = 20
/** Maximum time that listing waits for the release. */
const EXPIRY_WAIT_MS = 2_000

/**
 * Lists a wallet's withdrawals, newest first, and releases its stale tickets. If the chain is unreachable or slow, the
 * list is returned anyway and they stay locked for now.
 *
 * @throws GatewayError INVALID_REQUEST for an invalid cursor
 */
export async function listWithdrawals(
  deps: Pick<Deps, 'db' | 'chain' | 'ids' | 'log'>,
  query: { wallet: string; limit: number; cursor: string | undefined },
): Promise<Page<Withdrawal>> {
  const { wallet, limit, cursor } = query
  const after = keyOfCursor(cursor, /^wd_/)
  await within(EXPIRY_WAIT_MS, expireIfPossible(deps, wallet))
  const rows = await selectWithdrawals(deps.db, { wallet, after, limit: limit + 1 })
  const page = pageOf(rows, limit, row => row.id)
  return { ...page, items: page.items.map(row => presentWithdrawal(row)) }
}

async function expireIfPossible(
  deps: Pick<Deps, 'db' | 'chain' | 'ids' | 'log'>,
  wallet: string,
): Promise<void> {
  try {
    await expireStale(deps, { wallet, limit: STALE_PER_LIST_MAX })
  } catch (error) {
    const fields = { err: error, wallet }
    if (isUnavailable(error)) deps.log.warn(fields, 'stale tickets could not be searched')
    else deps.log.error(fields, 'stale tickets could not be released')
  }
}
