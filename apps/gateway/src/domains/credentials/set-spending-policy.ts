import { parseUsdc } from '@farebox/money'
import type { SpendingLimitBody } from '@farebox/wire/credentials'
import type { Deps } from '../../ports.ts'
import { lockPartitions } from '../ledger/lock-partitions.ts'
import { changeLimits, policyAt, presentLimits, type SpendingPolicy } from './rules.ts'
import { appendAudit, ensurePolicy, lockPolicy, readClock, writePolicy } from './store.ts'

/**
 * Sets the spending policy of an owner; absent members are unchanged. Every hold locks the policy's row, so after the
 * response no call is admitted above the new limits.
 */
export async function setSpendingPolicy(
  deps: Pick<Deps, 'db' | 'ids' | 'config'>,
  owner: string,
  changes: SpendingLimitBody,
): Promise<SpendingPolicy> {
  const monthlyDefault = parseUsdc(deps.config.SPENDING_LIMIT_USDC)
  return deps.db.transaction(async tx => {
    const [, , row, now] = await Promise.all([
      lockPartitions(tx, [owner]),
      ensurePolicy(tx, owner),
      lockPolicy(tx, owner, 'update'),
      readClock(tx),
    ])
    if (row === undefined) throw new Error('The new spending policy is missing.')
    const after = { ...row, ...changeLimits(row, changes) }
    const [before, policy] = [policyAt(row, now, monthlyDefault), policyAt(after, now, monthlyDefault)]
    await Promise.all([
      writePolicy(tx, owner, after),
      appendAudit(tx, deps.ids, {
        owner,
        credentialId: null,
        action: 'spending_limit_updated',
        detail: { before: presentLimits(before), after: presentLimits(policy) },
      }),
    ])
    return policy
  })
}
