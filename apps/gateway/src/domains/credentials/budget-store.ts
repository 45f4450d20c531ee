import type { Tx } from '../../ports.ts'
import type { CredentialBudget, PolicyBudget } from './budget-rules.ts'

/** Locked rows, and the database time after the locks were had. */
export type BudgetRows = {
  readonly now: Date
  readonly credentials: readonly CredentialBudget[]
  readonly policies: readonly (PolicyBudget & { readonly allowUnlimited: boolean })[]
}

/**
 * Locks and reads, in one round trip. The clock is read with the policies, when the locks of the credentials are
 * had: in the select list of the locking read itself it may be evaluated before the wait for the lock. Without a
 * policy there is nothing that time could decide.
 */
export async function lockBudgetRows(
  tx: Tx,
  input: { credentialIds: readonly string[]; owners: readonly string[] },
): Promise<BudgetRows> {
  const [credentials, policies] = await Promise.all([
    tx.query<CredentialBudget>({
      name: 'budgets_lock_credentials',
      text: `select id, owner, status, expires_at as "expiresAt", max_calls as "maxCalls",
                    credit_limit as "creditLimit", rpm, reset_interval as "resetInterval",
                    calls_used as "callsUsed", spent, held, interval_start as "intervalStart", rate_tat as "rateTat"
             from credentials where id = any($1::text[]) order by id for update`,
      values: [input.credentialIds],
    }),
    tx.query<PolicyBudget & { allowUnlimited: boolean; now: Date }>({
      name: 'budgets_lock_policies',
      text: `select owner, monthly_limit as "monthlyLimit", allow_unlimited as "allowUnlimited",
                    daily_limit as "dailyLimit", per_call_limit as "perCallLimit",
                    month_start as "monthStart", month_drawn as "monthDrawn",
                    day_start as "dayStart", day_drawn as "dayDrawn",
                    clock_timestamp() as now
             from spending_policies where owner = any($1::text[]) order by owner for update`,
      values: [input.owners],
    }),
  ])
  const now = new Date(Math.max(0, ...policies.map(policy => policy.now.getTime())))
  return { now, credentials, policies }
}

/** Writes the counters of locked rows, all in one statement; fails when one of the rows is gone. */
export function writeBudgetRows(
  tx: Tx,
  rows: { credentials: readonly CredentialBudget[]; policies: readonly PolicyBudget[] },
): Promise<unknown> {
  const { credentials, policies } = rows
  return tx.query({
    name: 'budgets_write',
    text: `with
             of_credentials as (
               update credentials c
               set calls_used = n.calls_used, spent = n.spent, held = n.held,
                   interval_start = n.interval_start, rate_tat = n.rate_tat
               from unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::timestamptz[], $6::bigint[])
                 as n (id, calls_used, spent, held, interval_start, rate_tat)
               where c.id = n.id returning 1),
             of_policies as (
               update spending_policies p
               set month_start = n.month_start, month_drawn = n.month_drawn,
                   day_start = n.day_start, day_drawn = n.day_drawn
               from unnest($7::text[], $8::timestamptz[], $9::bigint[], $10::timestamptz[], $11::bigint[])
                 as n (owner, month_start, month_drawn, day_start, day_drawn)
               where p.owner = n.owner returning 1)
           select expect_rows((select count(*) from of_credentials), $12, 'credentials'),
                  expect_rows((select count(*) from of_policies), $13, 'spending_policies')`,
    values: [
      credentials.map(row => row.id),
      credentials.map(row => row.callsUsed),
      credentials.map(row => row.spent),
      credentials.map(row => row.held),
      credentials.map(row => row.intervalStart),
      credentials.map(row => row.rateTat),
      policies.map(row => row.owner),
      policies.map(row => row.monthStart),
      policies.map(row => row.monthDrawn),
      policies.map(row => row.dayStart),
      policies.map(row => row.dayDrawn),
      credentials.length,
      policies.length,
    ],
  })
}
