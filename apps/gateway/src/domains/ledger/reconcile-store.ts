import { type Usdc, usdc } from '@farebox/money'
import sql from 'sql-template-tag'
import type { Queryable } from '../../ports.ts'

/** Rows named per invariant; one is enough to act on, more help to find the cause. */
const FINDINGS_PER_CHECK_MAX = 20

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
  /** Fees earned. */
  readonly platform: Usdc
  /** What promotions were funded with and have not paid out yet. */
  readonly promotions: Usdc
  /** Everything that wallets are owed: consumers and providers. */
  readonly owed: Usdc
  /** The part of it that is locked for open withdrawals. */
  readonly providerLocked: Usdc
  /** Sum of all entries; zero by double entry. */
  readonly entries: Usdc
}

/**
 * One statement, so one snapshot. `posted` is explained by entries, `reserved` by open records, budgets by the
 * calls that were drawn on them.
 */
const invariants = sql`
  with
  entry_sums as (select account, sum(amount) as amount from entries group by account),
  open_sums as (select account, sum(amount) as amount from open_reservations group by account),
  call_sums as (
    select c.id, c.owner,
           count(i.id) filter (where i.status in ('PENDING', 'PROCESSING', 'SUCCEEDED')) as calls,
           coalesce(sum(i.charged) filter (where i.status = 'SUCCEEDED' and i.drawn_at >= c.interval_start), 0) as spent,
           coalesce(sum(i.hold) filter (where i.status in ('PENDING', 'PROCESSING') and i.drawn_at >= c.interval_start), 0) as held
    from credentials c left join invocations i on i.credential_id = c.id group by c.id),
  policy_sums as (
    select p.owner,
           coalesce(sum(drawn.amount) filter (where drawn.drawn_at >= p.month_start), 0) as month_drawn,
           coalesce(sum(drawn.amount) filter (where drawn.drawn_at >= p.day_start), 0) as day_drawn
    from spending_policies p
    left join (
      select owner, drawn_at, case when status = 'SUCCEEDED' then charged else hold end as amount
      from invocations where status in ('PENDING', 'PROCESSING', 'SUCCEEDED')) drawn on drawn.owner = p.owner
    group by p.owner),
  findings as (
    select 'entries-of-a-movement-add-up-to-zero' as check, kind || ' ' || reference as row,
           '0' as expected, sum(amount)::text as found
    from entries group by kind, reference having sum(amount) <> 0
    union all
    select 'posted-is-the-sum-of-entries', coalesce(a.id, e.account), coalesce(e.amount, 0)::text, coalesce(a.posted, 0)::text
    from accounts a full join entry_sums e on e.account = a.id
    where coalesce(a.posted, 0) <> coalesce(e.amount, 0)
    union all
    select 'reserved-is-the-sum-of-open-records', coalesce(a.id, o.account), coalesce(o.amount, 0)::text, coalesce(a.reserved, 0)::text
    from accounts a full join open_sums o on o.account = a.id
    where coalesce(a.reserved, 0) <> coalesce(o.amount, 0)
    union all
    select 'credential-counters-are-explained-by-calls', c.id,
           format('calls %s spent %s held %s', s.calls, s.spent, s.held),
           format('calls %s spent %s held %s', c.calls_used, c.spent, c.held)
    from credentials c join call_sums s on s.id = c.id
    where (c.calls_used, c.spent, c.held) is distinct from (s.calls, s.spent, s.held)
    union all
    select 'policy-counters-are-explained-by-calls', p.owner,
           format('month %s day %s', s.month_drawn, s.day_drawn),
           format('month %s day %s', p.month_drawn, p.day_drawn)
    from spending_policies p join policy_sums s on s.owner = p.owner
    where (p.month_drawn, p.day_drawn) is distinct from (s.month_drawn, s.day_drawn)
    union all
    select 'a-captured-call-has-its-entry', i.id, i.charged::text, coalesce(-e.amount, 0)::text
    from invocations i left join entries e
      on e.kind = 'capture' and e.reference = i.id and e.account = 'consumer:' || i.owner and e.amount < 0
    where coalesce(-e.amount, 0) <> case when i.status = 'SUCCEEDED' then i.charged else 0 end
    union all
    select 'open-calls-are-those-not-finished', coalesce(i.id, o.invocation_id),
           case when i.id is null then 'finished' else i.status end,
           case when o.invocation_id is null then 'closed' else 'open' end
    from (select id, status from invocations where status in ('PENDING', 'PROCESSING')) i
    full join open_calls o on o.invocation_id = i.id
    where i.id is null or o.invocation_id is null
    union all
    select 'promotions-cover-their-vouchers', a.id, format('at least %s', owed.amount), a.posted::text
    from accounts a, (select coalesce(sum(amount), 0) as amount from voucher_obligations) owed
    where a.id = 'promotions' and a.posted < owed.amount
    union all
    select 'a-redemption-has-its-entry', r.id, r.amount::text, coalesce(e.amount, 0)::text
    from voucher_redemptions r left join entries e
      on e.kind = 'voucher' and e.reference = r.id and e.account = 'consumer:' || r.wallet
    where coalesce(e.amount, 0) <> r.amount
    union all
    select 'a-voucher-counts-its-redemptions', v.id, count(r.id)::text, v.redeemed::text
    from vouchers v left join voucher_redemptions r on r.voucher_id = v.id
    group by v.id having count(r.id) <> v.redeemed),
  numbered as (select *, row_number() over (partition by "check" order by row) as n from findings)
  select "check", row, expected, found from numbered where n <= ${FINDINGS_PER_CHECK_MAX} order by "check", row`

/** Every invariant that does not hold now. */
export function readBrokenInvariants(db: Queryable): Promise<Finding[]> {
  return db.query<Finding>(invariants)
}

/** Sums over the books, in one snapshot. */
export async function readTotals(db: Queryable): Promise<Totals> {
  const [row] = await db.query<Record<keyof Totals, bigint>>(sql`
    select coalesce(sum(posted) filter (where id like 'consumer:%'), 0)::bigint as consumers,
           coalesce(sum(posted) filter (where id like 'provider:%'), 0)::bigint as providers,
           coalesce(sum(posted) filter (where id = 'fees'), 0)::bigint as platform,
           coalesce(sum(posted) filter (where id = 'promotions'), 0)::bigint as promotions,
           coalesce(sum(posted) filter (where strpos(id, ':') > 0), 0)::bigint as owed,
           coalesce(sum(reserved) filter (where id like 'provider:%'), 0)::bigint as "providerLocked",
           (select coalesce(sum(amount), 0) from entries)::bigint as entries
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

/** The newest outcome; null before the first check. */
export async function readLastReconciliation(
  db: Queryable,
): Promise<{ at: Date; consistent: boolean } | null> {
  const [row] = await db.query<{ at: Date; consistent: boolean }>(
    sql`select at, consistent from reconciliations order by id desc limit 1`,
  )
  return row ?? null
}

/** Findings by invariant, for the log. */
export function countFindings(findings: readonly Finding[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { check } of findings) counts[check] = (counts[check] ?? 0) + 1
  return counts
}
