import type { Tx } from '../../ports.ts'
import type { CredentialBudget, PolicyBudget } from './budget-rules.ts'

/** Budget rows as stored. */
type StoredBudgets = {
  readonly credentials: readonly CredentialBudget[]
  readonly policies: readonly (PolicyBudget & { readonly allowUnlimited: boolean })[]
}

/**
 * Reads credentials by id and policies by owner in one round trip.
 *
 * Looks credentials up one by one. A plan for all of them at once, made while the table was small, may scan another
 * index, which has the id as its second column, from end to end.
 */
export async function readBudgetRows(
  tx: Tx,
  input: { credentialIds: readonly string[]; owners: readonly string[] },
): Promise<StoredBudgets> {
  const [credentials, policies] = await Promise.all([
    tx.query<CredentialBudget>({
      name: 'budgets_read_credentials',
      text: `select c.id, c.owner, c.status, c.expires_at as "expiresAt", c.max_calls as "maxCalls",
                    c.credit_limit as "creditLimit", c.max_cost_per_call as "maxCostPerCall", c.rpm,
                    c.reset_interval as "resetInterval", c.calls_used as "callsUsed", c.spent, c.held,
                    c.interval_start as "intervalStart", c.rate_window as "rateWindow", c.token_hash as "tokenHash",
                    c.previous_token_hash as "previousTokenHash", c.previous_expires_at as "previousExpiresAt",
                    c.allowed_services as "allowedServices"
             from (select distinct id from unnest($1::text[]) as id) asked
             cross join lateral (select * from credentials where credentials.id = asked.id offset 0) c`,
      values: [input.credentialIds],
    }),
    tx.query<PolicyBudget & { allowUnlimited: boolean }>({
      name: 'budgets_read_policies',
      text: `select owner, monthly_limit as "monthlyLimit", allow_unlimited as "allowUnlimited",
                    daily_limit as "dailyLimit", per_call_limit as "perCallLimit",
                    month_start as "monthStart", month_drawn as "monthDrawn",
                    day_start as "dayStart", day_drawn as "dayDrawn", suspended_at is not null as "isSuspended"
             from spending_policies where owner = any($1::text[])`,
      values: [input.owners],
    }),
  ])
  return { credentials, policies }
}
