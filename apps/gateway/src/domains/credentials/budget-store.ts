import { bigints, byteStrings, texts, times, transactionIds } from '../../columns.ts'
import type { Tx } from '../../ports.ts'
import type { WritePart } from '../../write-part.ts'
import type { CredentialBudget, PolicyBudget } from './budget-rules.ts'

/** A row with its version: the transaction that wrote it (`xmin`). */
export type Versioned<Row> = Row & { readonly version: string }

/** Locked rows, the database time after the locks were had, and the server process that they were read from. */
export type BudgetRows = {
  readonly now: Date
  readonly server: string
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
                    credit_limit as "creditLimit", max_cost_per_call as "maxCostPerCall", rpm, reset_interval as "resetInterval",
                    calls_used as "callsUsed", spent, held, interval_start as "intervalStart",
                    rate_window as "rateWindow", token_hash as "tokenHash", previous_token_hash as "previousTokenHash",
                    previous_expires_at as "previousExpiresAt", allowed_services as "allowedServices",
                    xmin::text as version
             from credentials where id = any($1::text[]) order by id for update`,
      values: [input.credentialIds],
    }),
    tx.query<Versioned<PolicyBudget & { allowUnlimited: boolean; now: Date; server: string }>>({
      name: 'budgets_lock_policies',
      text: `select owner, monthly_limit as "monthlyLimit", allow_unlimited as "allowUnlimited",
                    daily_limit as "dailyLimit", per_call_limit as "perCallLimit",
                    month_start as "monthStart", month_drawn as "monthDrawn",
                    day_start as "dayStart", day_drawn as "dayDrawn",
                    suspended_at is not null as "isSuspended",
                    xmin::text as version, clock_timestamp() as now,
                    pg_postmaster_start_time()::text as server
             from spending_policies where owner = any($1::text[]) order by owner for update`,
      values: [input.owners],
    }),
  ])
  const now = new Date(Math.max(0, ...policies.map(policy => policy.now.getTime())))
  return { now, server: policies[0]?.server ?? '', credentials, policies }
}

/** Rows to write, each as it shall be and with the version that it has so far. */
export type ChangedRows = {
  readonly credentials: readonly Versioned<CredentialBudget>[]
  readonly policies: readonly Versioned<PolicyBudget>[]
}

/**
 * The write of the counters of rows, which locks those that are not locked yet; checks that each is at its version still.
 *
 * @param assumed time of the database that was assumed, how far it may be off in ms, and the server process that the
 *   versions are of: checked, too; null when all were read
 */
export function budgetWrites(
  rows: ChangedRows,
  assumed: { readonly now: Date; readonly driftMs: number; readonly server: string } | null,
): WritePart {
  // By key, as everybody locks them.
  const credentials = rows.credentials.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const policies = rows.policies.toSorted((a, b) => (a.owner < b.owner ? -1 : 1))
  return {
    name: 'budgets',
    writes: `
      of_credentials as (
        update credentials c
        set calls_used = n.calls_used, spent = n.spent, held = n.held,
            interval_start = n.interval_start, rate_window = n.rate_window
        from unnest($1::text[], $2::xid[], $3::bigint[], $4::bigint[], $5::bigint[], $6::timestamptz[], $7::bytea[])
          as n (id, version, calls_used, spent, held, interval_start, rate_window)
        where c.id = n.id and c.xmin = n.version returning 1),
      of_policies as (
        update spending_policies p
        set month_start = n.month_start, month_drawn = n.month_drawn, day_start = n.day_start, day_drawn = n.day_drawn
        from unnest($8::text[], $9::xid[], $10::timestamptz[], $11::bigint[], $12::timestamptz[], $13::bigint[])
          as n (owner, version, month_start, month_drawn, day_start, day_drawn)
        where p.owner = n.owner and p.xmin = n.version returning 1)`,
    checks: [
      ['credentials', 'select count(*) from of_credentials'],
      ['spending_policies', 'select count(*) from of_policies'],
      [
        'time',
        `select count(*) where abs(extract(epoch from clock_timestamp() - $14::timestamptz)) * 1000 > $15::float8`,
      ],
      ['another server', `select count(*) where pg_postmaster_start_time()::text <> $16::text`],
    ],
    decided: [credentials.length, policies.length, 0, 0],
    values: [
      texts(credentials, row => row.id),
      transactionIds(credentials, row => row.version),
      bigints(credentials, row => row.callsUsed),
      bigints(credentials, row => row.spent),
      bigints(credentials, row => row.held),
      times(credentials, row => row.intervalStart),
      byteStrings(credentials, row => row.rateWindow),
      texts(policies, row => row.owner),
      transactionIds(policies, row => row.version),
      times(policies, row => row.monthStart),
      bigints(policies, row => row.monthDrawn),
      times(policies, row => row.dayStart),
      bigints(policies, row => row.dayDrawn),
      assumed?.now ?? null,
      assumed?.driftMs ?? 0,
      assumed?.server ?? null,
    ],
  }
}
