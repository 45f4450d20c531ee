import type { Usdc } from '@farebox/money'
import type { Deps } from '../../ports.ts'
import { credentialRefusal, policyRefusal } from './budget-rules.ts'
import { budgetExhausted } from './draw-budgets.ts'
import { readCredential } from './read-credential.ts'
import { readSpendingPolicy } from './read-spending-policy.ts'
import { readClock } from './store.ts'

/**
 * Refuses a hold that the limits of an owner and of a credential do not allow now. A forecast: calls draw on them
 * meanwhile, and the hold decides.
 *
 * @param key.id of the credential; null: it has no limits
 * @param hold micro-USDC
 * @throws GatewayError BUDGET_EXHAUSTED
 */
export async function assertBudgetsAllow(
  deps: Pick<Deps, 'db' | 'config'>,
  { owner, id }: { readonly owner: string; readonly id: string | null },
  hold: Usdc,
): Promise<void> {
  const [policy, credential, now] = await Promise.all([
    readSpendingPolicy(deps, owner),
    id === null ? null : readCredential(deps, { owner, id }),
    readClock(deps.db),
  ])
  const refused =
    (credential && credentialRefusal(credential, hold, now)) ??
    policyRefusal(policy, hold, { dayStart: now, monthStart: now })
  if (refused === null) return
  const maxCalls = refused.limit === 'credential_calls' ? (credential?.maxCalls ?? null) : null
  throw budgetExhausted(refused.limit, Object.assign(refused, { required: hold, maxCalls }))
}
