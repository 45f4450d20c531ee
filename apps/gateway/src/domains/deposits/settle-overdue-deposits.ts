import type { Deps } from '../../ports.ts'
import { settleDeposit } from './settle-deposit.ts'
import { overdueDeposits } from './store.ts'

/** Maximum number of deposits that one run checks. */
const OVERDUE_PER_RUN_MAX = 100

/**
 * Settles claims older than 24 hours: credits or rejects each by what the chain then shows. An unknown transaction is
 * rejected. One that cannot be settled is logged and does not block others.
 *
 * @throws GatewayError UNAVAILABLE when the chain is unreachable; Error at the end if some failed
 */
export async function settleOverdueDeposits(
  deps: Pick<Deps, 'db' | 'chain' | 'ids' | 'log'>,
  signal: AbortSignal,
): Promise<void> {
  const overdue = await overdueDeposits(deps.db, OVERDUE_PER_RUN_MAX)
  if (overdue.length > 0) await deps.chain.head()
  let failed = 0
  for (const deposit of overdue) {
    if (signal.aborted) return
    try {
      await settleDeposit(deps, deposit)
    } catch (error) {
      failed += 1
      const { id, txHash } = deposit
      deps.log.warn({ depositIntentId: id, txHash, err: error }, 'an overdue deposit could not be settled')
    }
  }
  if (failed > 0) throw new Error(`${failed} deposits could not be settled; the log names each.`)
}
