import type { Usdc } from '@farebox/money'
import type { Deps } from '../../ports.ts'
import { policyRefusal } from './budget-rules.ts'
import { budgetExhausted } from './draw-budgets.ts'
import { readSpendingPolicy } from './read-spending-policy.ts'
import { readClock } from './store.ts'

/**
 * Refuses a hold that the spending policy of an owner does not allow now. A forecast: calls draw on the policy meanwhile,
 * and the hold decides.
 *
 * @param hold micro-USDC
 * @throws GatewayError BUDGET_EXHAUSTED
 */
export async function assertPolicyAllows(
  deps: Pick<Deps, 'db' | 'config'>,
  owner: string,
  hold: Usdc,
): Promise<void> {
  const [policy, now] = await Promise.all([readSpendingPolicy(deps, owner), readClock(deps.db)])
  const refused = policyRefusal(policy, hold, { dayStart: now, monthStart: now })
  if (refused !== null) throw budgetExhausted(refused.limit, Object.assign(refused, { required: hold }))
}
