import { type Usdc, usdc } from '@farebox/money'
import sql from 'sql-template-tag'
import type { Queryable } from '../../../ports.ts'
import type { Comparison } from './vault-rules.ts'

/** Maximum rows named per invariant. */
export const FINDINGS_PER_CHECK_MAX = 20

/** A broken invariant and the row that breaks it. */
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
  /** Fees earned, less losses of the platform. */
  readonly platform: Usdc
  /** Funding of promotions that is not paid out yet. */
  readonly promotions: Usdc
  /** Liabilities to wallets, as consumers and providers. */
  readonly owed: Usdc
  /** Part of it covered by open tickets. */
  readonly ticketsOut: Usdc
  /** Sum of all entries, old ones from the live checkpoint; zero by double entry. */
  readonly entries: Usdc
}

/** Returns sums over the books, in one snapshot. */
export async function readTotals(db: Queryable): Promise<Totals> {
  const [row] = await db.query<Record<keyof Totals, bigint>>(sql`
    select coalesce(sum(posted) filter (where id like 'consumer:%'), 0)::bigint as consumers,
           coalesce(sum(posted) filter (where id like 'provider:%'), 0)::bigint as providers,
           coalesce(sum(posted) filter (where id in ('fees', 'losses')), 0)::bigint as platform,
           coalesce(sum(posted) filter (where id = 'promotions'), 0)::bigint as promotions,
           coalesce(sum(posted) filter (where strpos(id, ':') > 0), 0)::bigint as owed,
           (select coalesce(sum(amount), 0) from tickets_out)::bigint as tickets_out,
           (select b.entry_sum + (
              select coalesce(sum(e.amount), 0) from entries e where e.id > b.entry_id)
            from book_checkpoints b where b.is_live)::bigint as entries
    from accounts`)
  if (row === undefined) throw new Error('The query of totals returned no row.')
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

/** Stores the outcome of a check. `isBroken`: an invariant of the books themselves is broken. */
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

/** Deletes some clean outcomes from before a time, except the newest. Returns how many. */
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

/** Outcome of a check, as needed by later checks and tickets. */
export type LastReconciliation = {
  readonly at: Date
  readonly consistent: boolean
  /** True if an invariant of the books themselves was broken. */
  readonly isBroken: boolean
  /** True if the vault was compared with the books. */
  readonly isCompared: boolean
  /** Database time. */
  readonly ageSeconds: number
}

/** Returns the newest outcome; null before the first check. */
export async function readLastReconciliation(db: Queryable): Promise<LastReconciliation | null> {
  const [row] = await db.query<LastReconciliation>(sql`
    select at, consistent, is_broken, vault_block is not null as is_compared,
           extract(epoch from clock_timestamp() - at)::float8 as age_seconds
    from reconciliations order by id desc limit 1`)
  return row ?? null
}

/** The check that stands for all in a slice of the time; `checks` says how many those are. */
export type SliceOfChecks = {
  readonly at: Date
  readonly consistent: boolean
  readonly checks: number
  /** Vault and books at one block, in micro-USDC; null while the chain was unreachable. */
  readonly held: bigint | null
  readonly due: bigint | null
}

/** Returns the worst check of each slice of the time, oldest first: one with findings, or else the least covered. */
export function readChecks(
  db: Queryable,
  query: { since: Date; sliceSeconds: number; limit: number },
): Promise<SliceOfChecks[]> {
  return db.query<SliceOfChecks>(sql`
    select distinct on (slice) at, consistent, vault_held as held, vault_due as due,
           count(*) over (partition by slice)::int as checks
    from (select *, floor(extract(epoch from at) / ${query.sliceSeconds}) as slice
          from reconciliations where at > ${query.since}) sliced
    order by slice, consistent, vault_held - vault_due nulls last, id desc
    limit ${query.limit}`)
}

/** Returns the age of the newest clean check that compared the vault, in seconds of database time; null without one. */
export async function readCleanAge(db: Queryable): Promise<number | null> {
  const [row] = await db.query<{ ageSeconds: number }>(sql`
    select extract(epoch from clock_timestamp() - at)::float8 as age_seconds
    from reconciliations where consistent and vault_block is not null order by id desc limit 1`)
  return row?.ageSeconds ?? null
}

/** Returns the findings by invariant, for the log. */
export function countFindings(findings: readonly Finding[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { check } of findings) counts[check] = (counts[check] ?? 0) + 1
  return counts
}
