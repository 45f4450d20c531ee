import { GatewayError } from '@farebox/wire/errors'
import type { Withdrawal } from '@farebox/wire/withdrawals'
import { keyOfCursor, type Page, pageOf } from '../../http/paging.ts'
import type { Deps } from '../../ports.ts'
import { expireStale } from './expire-stale.ts'
import { presentWithdrawal } from './present-withdrawal.ts'
import { listWithdrawals as selectWithdrawals } from './store.ts'

/** Tickets that one reading of the list looks after; the job does the rest. */
const STALE_PER_LIST_MAX = 20
/** How long a reader waits for that. */
const EXPIRY_WAIT_MS = 2_000

/**
 * A wallet's withdrawals, newest first. Reading them releases its stale tickets; when the chain is out of reach or
 * slow, the list comes all the same and they stay locked for now.
 *
 * @throws GatewayError INVALID_REQUEST for a cursor that is not one of ours
 */
export async function listWithdrawals(
  deps: Pick<Deps, 'db' | 'chain' | 'ids' | 'log'>,
  query: { wallet: string; limit: number; cursor: string | undefined },
): Promise<Page<Withdrawal>> {
  const { wallet, limit, cursor } = query
  const before = keyOfCursor(cursor)
  await waitAtMost(EXPIRY_WAIT_MS, expireIfPossible(deps, wallet))
  const rows = await selectWithdrawals(deps.db, { wallet, before, limit: limit + 1 })
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
    const isChainDown = error instanceof GatewayError && error.code === 'UNAVAILABLE'
    const fields = { err: error, wallet }
    if (isChainDown) deps.log.warn(fields, 'stale tickets could not be looked for')
    else deps.log.error(fields, 'stale tickets could not be released')
  }
}

/** Waits for work that never fails, but not for longer than `ms`; late work goes on by itself. */
async function waitAtMost(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>(done => {
    timer = setTimeout(done, ms)
  })
  await Promise.race([work, late])
  clearTimeout(timer)
}
