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
      text: `select c.id, c.owner, c.status, c.expires_at, c.max_calls,
                    c.credit_limit, c.max_cost_per_call, c.rpm, c.reset_interval, c.calls_used, c.spent, c.held,
                    c.interval_start, c.rate_window, c.token_hash, c.previous_token_hash, c.previous_expires_at,
                    c.allowed_services
             from (select distinct id from unnest($1::text[]) as id) asked
             cross join lateral (select * from credentials where credentials.id = asked.id offset 0) c`,
      values: [input.credentialIds],
    }),
    tx.query<PolicyBudget & { allowUnlimited: boolean }>({
      name: 'budgets_read_policies',
      text: `select owner, monthly_limit, allow_unlimited,
                    daily_limit, per_call_limit, month_start, month_drawn,
                    day_start, day_drawn, suspended_at is not null as is_suspended
             from spending_policies where owner = any($1::text[])`,
      values: [input.owners],
    }),
  ])
  return { credentials, policies }
}
