import type { Usdc } from '@farebox/money'
import { GatewayError } from '@farebox/wire/errors'
import type { Deps } from '../../ports.ts'
import { credentialRefusal, mayCall, policyRefusal } from './budget-rules.ts'
import { budgetExhausted } from './draw-budgets.ts'
import { readCredential } from './read-credential.ts'
import { readSpendingPolicy } from './read-spending-policy.ts'
import { readClock } from './store.ts'

/**
 * Refuses a call that the limits of an owner and of a credential do not allow now. A forecast: calls draw on them
 * meanwhile, and the hold decides.
 *
 * @param key.id of the credential; null: it has no limits
 * @param call.names the service's id, then its names
 * @param call.hold micro-USDC
 * @throws GatewayError SERVICE_NOT_ALLOWED, BUDGET_EXHAUSTED
 */
export async function assertLimitsAllow(
  deps: Pick<Deps, 'db' | 'config'>,
  { owner, id }: { readonly owner: string; readonly id: string | null },
  { names, hold }: { readonly names: readonly string[]; readonly hold: Usdc },
): Promise<void> {
  const [policy, credential, now] = await Promise.all([
    readSpendingPolicy(deps, owner),
    id === null ? null : readCredential(deps, { owner, id }),
    readClock(deps.db),
  ])
  if (credential !== null && !mayCall(credential, names))
    throw new GatewayError('SERVICE_NOT_ALLOWED', { serviceId: names[0] })
  const refused =
    (credential && credentialRefusal(credential, hold, now)) ??
    policyRefusal(policy, hold, { dayStart: now, monthStart: now })
  if (refused === null) return
  const maxCalls = refused.limit === 'credential_calls' ? (credential?.maxCalls ?? null) : null
  throw budgetExhausted(refused.limit, Object.assign(refused, { required: hold, maxCalls }))
}
