import { type Usdc, usdc } from '@farebox/money'
import sql from 'sql-template-tag'
import type { Queryable } from '../../../ports.ts'
import type { Comparison } from './vault-rules.ts'

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
  /** The part of it for which tickets are out. */
  readonly ticketsOut: Usdc
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
           (select coalesce(sum(amount), 0) from tickets_out)::bigint as "ticketsOut",
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
    ticketsOut: usdc(row.ticketsOut),
    entries: usdc(row.entries),
  }
}

/** Keeps the outcome of a check. `isBroken`: an invariant of the books alone is. */
export async function writeReconciliation(
  db: Queryable,
  outcome: {
    consistent: boolean
    isBroken: boolean
    findings: readonly Finding[]
    totals: Totals
    vault: Comparison | null
  },
): Promise<void> {
  const { consistent, isBroken, findings, totals, vault } = outcome
  await db.query(sql`
    insert into reconciliations (consistent, is_broken, findings, owed, vault_block, vault_held, vault_due)
    values (${consistent}, ${isBroken}, ${JSON.stringify(findings)}::jsonb, ${totals.owed},
      ${vault?.block ?? null}, ${vault?.held ?? null}, ${vault?.due ?? null})`)
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

/** The outcome of a check, as far as later ones and tickets go by it. */
export type LastReconciliation = {
  readonly at: Date
  readonly consistent: boolean
  /** Whether an invariant of the books alone was broken. */
  readonly isBroken: boolean
  /** Whether the vault was compared with the books. */
  readonly isCompared: boolean
  /** By database time. */
  readonly ageSeconds: number
}

/** The newest outcome; null before the first check. */
export async function readLastReconciliation(db: Queryable): Promise<LastReconciliation | null> {
  const [row] = await db.query<LastReconciliation>(sql`
    select at, consistent, is_broken as "isBroken", vault_block is not null as "isCompared",
           extract(epoch from clock_timestamp() - at)::float8 as "ageSeconds"
    from reconciliations order by id desc limit 1`)
  return row ?? null
}

/** Seconds since the newest check that found nothing and compared the vault, by database time; null without one. */
export async function readCleanAge(db: Queryable): Promise<number | null> {
  const [row] = await db.query<{ ageSeconds: number }>(sql`
    select extract(epoch from clock_timestamp() - at)::float8 as "ageSeconds"
    from reconciliations where consistent and vault_block is not null order by id desc limit 1`)
  return row?.ageSeconds ?? null
}

/** Findings by invariant, for the log. */
export function countFindings(findings: readonly Finding[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { check } of findings) counts[check] = (counts[check] ?? 0) + 1
  return counts
}
