import { parseUsdc, ZERO } from '@farebox/money'
import type { Deps } from '../../ports.ts'
import { policyAt, type SpendingPolicy } from './rules.ts'
import { findPolicy, readClock } from './store.ts'

/** Reads the spending policy of an owner with its usage; returns the default policy if none is set. */
export async function readSpendingPolicy(
  deps: Pick<Deps, 'db' | 'config'>,
  owner: string,
): Promise<SpendingPolicy> {
  const monthlyDefault = parseUsdc(deps.config.SPENDING_LIMIT_USDC)
  const [row, now] = await Promise.all([findPolicy(deps.db, owner), readClock(deps.db)])
  if (row !== undefined) return policyAt(row, now, monthlyDefault)
  return {
    monthlyLimit: monthlyDefault,
    allowUnlimited: false,
    dailyLimit: null,
    perCallLimit: null,
    monthDrawn: ZERO,
    dayDrawn: ZERO,
  }
}
