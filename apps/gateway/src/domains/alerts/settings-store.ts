import type { ChangeAlertsBody } from '@farebox/wire/alerts'
import sql from 'sql-template-tag'
import type { Queryable } from '../../ports.ts'

/** Settings as stored; `balanceBelow` in micro-USDC, null: the threshold of the gateway. */
export type SettingsRow = {
  readonly budgetPercents: readonly number[]
  readonly watchesBalance: boolean
  readonly balanceBelow: bigint | null
  readonly failurePercent: number | null
  readonly failureCallsMin: number | null
  readonly byEmail: boolean
  readonly byWebhook: boolean
  readonly updatedAt: Date
}

/** Returns the settings of an owner. */
export async function findSettings(db: Queryable, owner: string): Promise<SettingsRow | undefined> {
  const [row] = await db.query<SettingsRow>(sql`
    select budget_percents, watches_balance, balance_below, failure_percent, failure_calls_min, by_email, by_webhook,
      updated_at
    from alert_settings where owner = ${owner}`)
  return row
}

/**
 * Changes the settings of an owner; absent members are unchanged.
 *
 * @param db with projection: from here on the balance is watched
 */
export async function writeSettings(db: Queryable, owner: string, change: ChangeAlertsBody): Promise<void> {
  const { budgetPercents: percents = null, balanceBelowUsdc: below, failureRate: rate } = change
  const [setsBelow, setsRate, setsPercents] = [below !== undefined, rate !== undefined, percents !== null]
  await db.query(sql`
    insert into alert_settings as s
      (owner, budget_percents, watches_balance, balance_below, failure_percent, failure_calls_min, by_email, by_webhook,
       balance_seen)
    values (${owner}, coalesce(${percents}::smallint[], '{}'), ${below !== undefined && below !== null}, ${below ?? null},
      ${rate?.percent ?? null}, ${rate?.minCalls ?? null}, ${change.byEmail ?? true}, ${change.byWebhook ?? true},
      coalesce((select a.posted from accounts a where a.id = 'consumer:' || ${owner}), 0))
    on conflict (owner) do update set
      budget_percents = coalesce(${percents}::smallint[], s.budget_percents),
      budgets_since = case when ${setsPercents} then excluded.budgets_since else s.budgets_since end,
      watches_balance = case when ${setsBelow} then excluded.watches_balance else s.watches_balance end,
      balance_below = case when ${setsBelow} then excluded.balance_below else s.balance_below end,
      balance_seen = case when ${setsBelow} then excluded.balance_seen else s.balance_seen end,
      balance_since = case when ${setsBelow} then excluded.balance_since else s.balance_since end,
      failure_percent = case when ${setsRate} then excluded.failure_percent else s.failure_percent end,
      failure_calls_min = case when ${setsRate} then excluded.failure_calls_min else s.failure_calls_min end,
      is_failing = s.is_failing and not ${setsRate},
      by_email = coalesce(${change.byEmail ?? null}::boolean, s.by_email),
      by_webhook = coalesce(${change.byWebhook ?? null}::boolean, s.by_webhook),
      updated_at = clock_timestamp()`)
}

/** Returns those of some owners who want no alerts by webhook. */
export async function mutedOwners(db: Queryable, owners: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ owner: string }>(
    sql`select owner from alert_settings where owner = any(${owners}) and not by_webhook`,
  )
  return new Set(rows.map(({ owner }) => owner))
}
