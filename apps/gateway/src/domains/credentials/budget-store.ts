import type { Tx } from '../../ports.ts'
import type { CredentialBudget, PolicyBudget } from './budget-rules.ts'

/** Locked rows, and the database time after the locks were had. */
export type BudgetRows = {
  readonly now: Date
  readonly credentials: readonly CredentialBudget[]
  readonly policies: readonly (PolicyBudget & { readonly allowUnlimited: boolean })[]
}

/**
 * Locks and reads, in one round trip. The clock is a statement of its own: in the select list of a locking read
 * it may be evaluated before the wait for the lock.
 */
export async function lockBudgetRows(
  tx: Tx,
  input: { credentialIds: readonly string[]; owners: readonly string[] },
): Promise<BudgetRows> {
  const [credentials, policies, [clock]] = await Promise.all([
    tx.query<CredentialBudget>({
      name: 'budgets_lock_credentials',
      text: `select id, owner, status, expires_at as "expiresAt", max_calls as "maxCalls",
                    credit_limit as "creditLimit", rpm, reset_interval as "resetInterval",
                    calls_used as "callsUsed", spent, held, interval_start as "intervalStart", rate_tat as "rateTat"
             from credentials where id = any($1::text[]) order by id for update`,
      values: [input.credentialIds],
    }),
    tx.query<PolicyBudget & { allowUnlimited: boolean }>({
      name: 'budgets_lock_policies',
      text: `select owner, monthly_limit as "monthlyLimit", allow_unlimited as "allowUnlimited",
                    daily_limit as "dailyLimit", per_call_limit as "perCallLimit",
                    month_start as "monthStart", month_drawn as "monthDrawn",
                    day_start as "dayStart", day_drawn as "dayDrawn"
             from spending_policies where owner = any($1::text[]) order by owner for update`,
      values: [input.owners],
    }),
    tx.query<{ now: Date }>({ name: 'budgets_clock', text: 'select clock_timestamp() as now', values: [] }),
  ])
  if (clock === undefined) throw new Error('The database told no time.')
  return { now: clock.now, credentials, policies }
}

/** Writes the counters of locked rows; fails when one of the rows is gone. */
export function writeBudgetRows(
  tx: Tx,
  rows: { credentials: readonly CredentialBudget[]; policies: readonly PolicyBudget[] },
): Promise<unknown> {
  const { credentials, policies } = rows
  const writes: Promise<unknown>[] = []
  if (credentials.length > 0) {
    writes.push(
      tx.query({
        name: 'budgets_write_credentials',
        text: `with written as (
                 update credentials c
                 set calls_used = n.calls_used, spent = n.spent, held = n.held,
                     interval_start = n.interval_start, rate_tat = n.rate_tat
                 from unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::timestamptz[], $6::bigint[])
                   as n (id, calls_used, spent, held, interval_start, rate_tat)
                 where c.id = n.id returning 1)
               select expect_rows(count(*), $7, 'credentials') from written`,
        values: [
          credentials.map(row => row.id),
          credentials.map(row => row.callsUsed),
          credentials.map(row => row.spent),
          credentials.map(row => row.held),
          credentials.map(row => row.intervalStart),
          credentials.map(row => row.rateTat),
          credentials.length,
        ],
      }),
    )
  }
  if (policies.length > 0) {
    writes.push(
      tx.query({
        name: 'budgets_write_policies',
        text: `with written as (
                 update spending_policies p
                 set month_start = n.month_start, month_drawn = n.month_drawn,
                     day_start = n.day_start, day_drawn = n.day_drawn
                 from unnest($1::text[], $2::timestamptz[], $3::bigint[], $4::timestamptz[], $5::bigint[])
                   as n (owner, month_start, month_drawn, day_start, day_drawn)
                 where p.owner = n.owner returning 1)
               select expect_rows(count(*), $6, 'spending_policies') from written`,
        values: [
          policies.map(row => row.owner),
          policies.map(row => row.monthStart),
          policies.map(row => row.monthDrawn),
          policies.map(row => row.dayStart),
          policies.map(row => row.dayDrawn),
          policies.length,
        ],
      }),
    )
  }
  return Promise.all(writes)
}
