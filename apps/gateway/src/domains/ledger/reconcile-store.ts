import { type Usdc, usdc } from '@farebox/money'
import sql from 'sql-template-tag'
import type { Queryable } from '../../ports.ts'

/** Rows named per invariant; one is enough to act on, more help to find the cause. */
export const FINDINGS_PER_CHECK_MAX = 20

/** A broken invariant: which, and the row that breaks it. */
export type Finding = {
  readonly check: string
  readonly row: string
  readonly expected: string
  readonly found: string
}

/** Sums over all accounts, in micro-USDC. */
export type Totals = {
  readonly consumers: Usdc
  readonly providers: Usdc
  /** Fees earned, less what the platform has lost. */
  readonly platform: Usdc
  /** What promotions were funded with and have not paid out yet. */
  readonly promotions: Usdc
  /** Everything that wallets are owed: consumers and providers. */
  readonly owed: Usdc
  /** The part of it that is locked for open withdrawals. */
  readonly providerLocked: Usdc
  /** Sum of all entries, the old ones as they were summed for the live checkpoint; zero by double entry. */
  readonly entries: Usdc
}

/** Sums over the books, in one snapshot. */
export async function readTotals(db: Queryable): Promise<Totals> {
  const [row] = await db.query<Record<keyof Totals, bigint>>(sql`
    select coalesce(sum(posted) filter (where id like 'consumer:%'), 0)::bigint as consumers,
           coalesce(sum(posted) filter (where id like 'provider:%'), 0)::bigint as providers,
           coalesce(sum(posted) filter (where id in ('fees', 'losses')), 0)::bigint as platform,
           coalesce(sum(posted) filter (where id = 'promotions'), 0)::bigint as promotions,
           coalesce(sum(posted) filter (where strpos(id, ':') > 0), 0)::bigint as owed,
           coalesce(sum(reserved) filter (where id like 'provider:%'), 0)::bigint as "providerLocked",
           (select b.entry_sum + (
              select coalesce(sum(e.amount), 0) from entries e where e.id > b.entry_id)
            from book_checkpoints b where b.is_live)::bigint as entries
    from accounts`)
  if (row === undefined) throw new Error('The books gave no totals.')
  return {
    consumers: usdc(row.consumers),
    providers: usdc(row.providers),
    platform: usdc(row.platform),
    promotions: usdc(row.promotions),
    owed: usdc(row.owed),
    providerLocked: usdc(row.providerLocked),
    entries: usdc(row.entries),
  }
}

/** Keeps the outcome of a check. */
export async function writeReconciliation(
  db: Queryable,
  outcome: { consistent: boolean; findings: readonly Finding[] },
): Promise<void> {
  await db.query(sql`
    insert into reconciliations (consistent, findings)
    values (${outcome.consistent}, ${JSON.stringify(outcome.findings)}::jsonb)`)
}

/** Deletes some of the outcomes from before a time that found nothing wrong; the newest of all stays. Returns how many. */
export async function deleteCleanChecks(
  db: Queryable,
  query: { before: Date; limit: number },
): Promise<number> {
  const rows = await db.query(sql`
    delete from reconciliations where id in (
      select id from reconciliations
      where consistent and at < ${query.before} and id < (select max(id) from reconciliations)
      order by id limit ${query.limit})
    returning 1`)
  return rows.length
}

/** The newest outcome, and how old it is by database time; null before the first check. */
export async function readLastReconciliation(
  db: Queryable,
): Promise<{ at: Date; consistent: boolean; ageSeconds: number } | null> {
  const [row] = await db.query<{ at: Date; consistent: boolean; ageSeconds: number }>(sql`
    select at, consistent, extract(epoch from clock_timestamp() - at)::float8 as "ageSeconds"
    from reconciliations order by id desc limit 1`)
  return row ?? null
}

/** Findings by invariant, for the log. */
export function countFindings(findings: readonly Finding[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { check } of findings) counts[check] = (counts[check] ?? 0) + 1
  return counts
}
