import type { Tx } from '../../ports.ts'
import type { CredentialBudget, PolicyBudget } from './budget-rules.ts'

/** A row with its version: the transaction that wrote it (`xmin`). */
export type Versioned<Row> = Row & { readonly version: string }

/** Locked rows, and the database time after the locks were had. */
export type BudgetRows = {
  readonly now: Date
  readonly credentials: readonly Versioned<CredentialBudget>[]
  readonly policies: readonly Versioned<PolicyBudget & { readonly allowUnlimited: boolean }>[]
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
    tx.query<Versioned<CredentialBudget>>({
      name: 'budgets_lock_credentials',
      text: `select id, owner, status, expires_at as "expiresAt", max_calls as "maxCalls",
                    credit_limit as "creditLimit", rpm, reset_interval as "resetInterval",
                    calls_used as "callsUsed", spent, held, interval_start as "intervalStart", rate_tat as "rateTat",
                    xmin::text as version
             from credentials where id = any($1::text[]) order by id for update`,
      values: [input.credentialIds],
    }),
    tx.query<Versioned<PolicyBudget & { allowUnlimited: boolean; now: Date }>>({
      name: 'budgets_lock_policies',
      text: `select owner, monthly_limit as "monthlyLimit", allow_unlimited as "allowUnlimited",
                    daily_limit as "dailyLimit", per_call_limit as "perCallLimit",
                    month_start as "monthStart", month_drawn as "monthDrawn",
                    day_start as "dayStart", day_drawn as "dayDrawn",
                    suspended_at is not null as "isSuspended",
                    xmin::text as version, clock_timestamp() as now
             from spending_policies where owner = any($1::text[]) order by owner for update`,
      values: [input.owners],
    }),
  ])
  const now = new Date(Math.max(0, ...policies.map(policy => policy.now.getTime())))
  return { now, credentials, policies }
}

/** Rows to write, each as it shall be and with the version that it has so far. */
export type ChangedRows = {
  readonly credentials: readonly Versioned<CredentialBudget>[]
  readonly policies: readonly Versioned<PolicyBudget>[]
}

/**
 * Writes the counters of rows, all in one statement, which locks those that are not locked yet; fails when one of them
 * is not at its version any more.
 *
 * @param assumed time of the database that was assumed, and how far it may be off in ms: fails when it is further; null
 *   when the time was read
 * @returns the version of what was written
 */
export async function writeBudgetRows(
  tx: Tx,
  rows: ChangedRows,
  assumed: { readonly now: Date; readonly driftMs: number } | null,
): Promise<string> {
  // By key, as everybody locks them.
  const credentials = rows.credentials.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const policies = rows.policies.toSorted((a, b) => (a.owner < b.owner ? -1 : 1))
  const [written] = await tx.query<{ version: string }>({
    name: 'budgets_write',
    text: `with
             of_credentials as (
               update credentials c
               set calls_used = n.calls_used, spent = n.spent, held = n.held,
                   interval_start = n.interval_start, rate_tat = n.rate_tat
               from unnest($1::text[], $2::xid[], $3::bigint[], $4::bigint[], $5::bigint[], $6::timestamptz[],
                   $7::bigint[])
                 as n (id, version, calls_used, spent, held, interval_start, rate_tat)
               where c.id = n.id and c.xmin = n.version returning 1),
             of_policies as (
               update spending_policies p
               set month_start = n.month_start, month_drawn = n.month_drawn,
                   day_start = n.day_start, day_drawn = n.day_drawn
               from unnest($8::text[], $9::xid[], $10::timestamptz[], $11::bigint[], $12::timestamptz[],
                   $13::bigint[])
                 as n (owner, version, month_start, month_drawn, day_start, day_drawn)
               where p.owner = n.owner and p.xmin = n.version returning 1)
           select expect_rows((select count(*) from of_credentials), $14, 'credentials'),
                  expect_rows((select count(*) from of_policies), $15, 'spending_policies'),
                  expect_rows((abs(extract(epoch from clock_timestamp() - $16::timestamptz)) * 1000
                               > $17::float8)::integer, 0, 'time'),
                  pg_current_xact_id()::xid::text as version`,
    values: [
      credentials.map(row => row.id),
      credentials.map(row => row.version),
      credentials.map(row => row.callsUsed),
      credentials.map(row => row.spent),
      credentials.map(row => row.held),
      credentials.map(row => row.intervalStart),
      credentials.map(row => row.rateTat),
      policies.map(row => row.owner),
      policies.map(row => row.version),
      policies.map(row => row.monthStart),
      policies.map(row => row.monthDrawn),
      policies.map(row => row.dayStart),
      policies.map(row => row.dayDrawn),
      credentials.length,
      policies.length,
      assumed?.now ?? null,
      assumed?.driftMs ?? 0,
    ],
  })
  if (written === undefined) throw new Error('The write of the budgets told nothing.')
  return written.version
}
