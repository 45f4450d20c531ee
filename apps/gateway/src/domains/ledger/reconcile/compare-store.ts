import sql, { empty, raw, type Sql } from 'sql-template-tag'
import type { Tx } from '../../../ports.ts'
import { type Checkpoint, cutMovements } from './checkpoint-store.ts'
import {
  CALL_CHECK,
  LEG_CHECK,
  LEG_DUE,
  LEG_ROW,
  legsOf,
  PROMOTION_CHECK,
  PROMOTIONAL_EARNINGS,
  RECORD_CHECK,
} from './leg-sql.ts'
import { nameRows } from './name-rows.ts'
import { FINDINGS_PER_CHECK_MAX, type Finding } from './reconcile-store.ts'
import { depositFindings, promotionRecords, recordStates, type Scope } from './record-sql.ts'

/** Invariants of counters. They limit calls, not money: a break is checked again before it is reported. */
const COUNTER_CHECKS = [
  'credential-counters-are-explained-by-calls',
  'policy-counters-are-explained-by-calls',
] as const

/** A comparison with a checkpoint. */
type Comparison = {
  readonly checkpoint: Checkpoint
  /** Age of the oldest transaction that the last comparison may not have seen the end of. */
  readonly since: Sql
  readonly scope: Scope
  readonly isAll: boolean
  /** Changed rows are looked up one by one: the planner cannot know how few they are. */
  readonly fence: Sql
}

/**
 * Compares balances and counters with the sums of a checkpoint and all that is not in them. One statement, so one
 * snapshot. `posted` is explained by entries, `reserved` by open records, budgets by the calls that were drawn on them.
 *
 * The sums are looked up one by one: statistics do not know those of a new checkpoint, and a join of 100,000 credentials with
 * sums that are taken for one row compares each with each.
 *
 * A row may have changed when its newest version was written by a transaction that had not ended when the checkpoint was
 * compared last, or when something new speaks of it.
 */
function comparison(checkpoint: Checkpoint, scope: Scope): Sql {
  const { id, sinceXid } = checkpoint
  const isAll = scope === 'everything'
  const since = sql`age((${sinceXid}::text::xid8)::xid)`
  const of = { checkpoint, since, scope, isAll, fence: isAll ? empty : sql`offset 0` }
  return sql`
  with
  ${newSums(checkpoint)},
  ${accountStates(of)},
  ${recordStates(id, since, scope)},
  ${credentialStates(of)},
  ${policyStates(of)},
  halves as (
    select kind, reference, amount from recent
    union all ${cutMovements(id)}),
  findings as (
    ${BALANCE_FINDINGS}
    union all
    ${COUNTER_FINDINGS}
    union all
    ${MOVEMENT_FINDINGS}
    union all
    ${depositFindings(since, scope)}
    union all
    ${RECORD_FINDINGS}
    union all
    ${changedVouchers(of)}),
  numbered as (select *, row_number() over (partition by "check" order by row) as n from findings)
  select "check", row, expected, found from numbered where n <= ${FINDINGS_PER_CHECK_MAX} order by "check", row`
}

/** Calls, entries and their sums that are not in the checkpoint. */
function newSums({ id, entryId, drawnBefore }: Checkpoint): Sql {
  return sql`
  unsummed as materialized (
    select id, credential_id, owner, provider, status, hold, charged, fee, promotional, drawn_at from invocations
    where drawn_at >= ${drawnBefore ?? '-infinity'}
    union all
    select i.id, i.credential_id, i.owner, i.provider, i.status, i.hold, i.charged, i.fee, i.promotional,
           i.drawn_at
    from carried_calls k cross join lateral (
      select * from invocations where invocations.id = k.invocation_id offset 0) i
    where k.checkpoint = ${id} and i.drawn_at < ${drawnBefore ?? '-infinity'}),
  counted as materialized (
    select id, credential_id, owner, provider, drawn_at, charged, fee, promotional, status = 'SUCCEEDED' as is_over,
           case when status = 'SUCCEEDED' then charged else hold end as drawn
    from unsummed where status in ('PENDING', 'PROCESSING', 'SUCCEEDED')),
  recent as materialized (
    select kind, reference, account, sum(amount) as amount from entries where id > ${entryId}
    group by kind, reference, account),
  legs as materialized (${legsOf(raw('recent'))}),
  called_sums as materialized (
    select 'consumer:' || owner as account, sum(charged) as amount, -sum(promotional) as promoted
    from counted where is_over group by owner
    union all
    select 'provider:' || provider, sum(charged - fee), sum(${PROMOTIONAL_EARNINGS})
    from counted where is_over group by provider
    union all
    select 'fees', coalesce(sum(fee), 0), 0 from counted where is_over)`
}

/** Accounts that may have changed, with what explains them. */
function accountStates({ checkpoint: { id }, since, scope, isAll, fence }: Comparison): Sql {
  return sql`
  -- Added up and not joined: the planner takes what is new for a few rows, and would join it each with each.
  account_sides as (
    select id, 0 as entered, 0 as captured, 0 as open, 0 as called, 0 as promoted from accounts
    where ${isAll} or reserved <> 0 or age(xmin) <= ${since}
    union all select account, 0, 0, 0, 0, 0 from account_sums where ${isAll} and checkpoint = ${id}
    union all select 'consumer:' || owner, 0, 0, 0, 0, 0 from owner_sums where ${isAll} and checkpoint = ${id}
    union all select account, sum(amount), sum(captured), 0, 0, 0 from legs group by account
    union all select account, 0, 0, sum(amount), 0, 0 from open_reservations group by account
    union all select account, 0, 0, 0, amount, promoted from called_sums),
  touched_accounts as materialized (
    select id, sum(entered) as entered, sum(captured) as captured, sum(open) as open, sum(called) as called,
           sum(promoted) as promoted
    from account_sides group by id),
  promotion_records as materialized (${promotionRecords(scope)}),
  account_states as materialized (
    select t.id, coalesce(a.posted, 0) as posted, coalesce(a.reserved, 0) as reserved,
           coalesce(s.posted, 0) + t.entered as entered, t.open,
           coalesce(s.captured, 0) + t.captured as captured,
           coalesce(w.charged, 0) + coalesce(s.earned, 0) + t.called as called,
           coalesce(a.promotional, 0) as promotional,
           coalesce(s.promoted, 0) + t.promoted + coalesce(p.amount, 0) as promotional_due
    from touched_accounts t
    left join promotion_records p on p.account = t.id
    left join lateral (
      select posted, reserved, promotional from accounts where accounts.id = t.id ${fence}) a on true
    left join lateral (
      select posted, captured, earned, promoted from account_sums where checkpoint = ${id} and account = t.id offset 0) s on true
    left join lateral (
      select charged from owner_sums where checkpoint = ${id} and t.id like 'consumer:%' and owner = substr(t.id, 10)
      offset 0) w on true)`
}

/** Counters of credentials that may have changed, with what explains them. */
function credentialStates({ checkpoint: { id }, since, isAll, fence }: Comparison): Sql {
  return sql`
  credential_sides as (
    select id, 0 as calls, 0 as spent, 0 as held from credentials where ${isAll} or age(xmin) <= ${since}
    union all
    select c.id, count(*), sum(n.charged) filter (where n.is_over and n.drawn_at >= c.interval_start),
           sum(n.drawn) filter (where not n.is_over and n.drawn_at >= c.interval_start)
    from counted n join credentials c on c.id = n.credential_id group by c.id),
  touched_credentials as materialized (
    select id, sum(calls) as calls, coalesce(sum(spent), 0) as spent, coalesce(sum(held), 0) as held
    from credential_sides group by id),
  credential_states as materialized (
    select c.id, c.calls_used, c.spent, c.held, coalesce(s.calls, 0) + t.calls as calls_due,
           case when s.credential_id is null or s.newest < c.interval_start then 0
                when s.since = c.interval_start then s.spent end + t.spent as spent_due,
           t.held as held_due
    from touched_credentials t
    cross join lateral (
      select id, calls_used, spent, held, interval_start from credentials where credentials.id = t.id ${fence}) c
    left join lateral (
      select credential_id, calls, spent, since, newest from credential_sums
      where checkpoint = ${id} and credential_id = t.id offset 0) s on true)`
}

/** Counters of spending policies that may have changed, with what explains them. */
function policyStates({ checkpoint: { id }, since, isAll, fence }: Comparison): Sql {
  return sql`
  owner_sides as (
    select owner, 0 as month_drawn, 0 as day_drawn from spending_policies where ${isAll} or age(xmin) <= ${since}
    union all
    select p.owner, sum(n.drawn) filter (where n.drawn_at >= p.month_start),
           sum(n.drawn) filter (where n.drawn_at >= p.day_start)
    from counted n join spending_policies p on p.owner = n.owner group by p.owner),
  touched_owners as materialized (
    select owner, coalesce(sum(month_drawn), 0) as month_drawn, coalesce(sum(day_drawn), 0) as day_drawn
    from owner_sides group by owner),
  policy_states as materialized (
    select p.owner, p.month_drawn, p.day_drawn,
           case when s.owner is null or s.newest < p.month_start then 0
                when s.month_start = p.month_start then s.month_spent end + t.month_drawn as month_due,
           case when s.owner is null or s.newest < p.day_start then 0
                when s.day_start = p.day_start then s.day_spent end + t.day_drawn as day_due
    from touched_owners t
    cross join lateral (
      select owner, month_start, month_drawn, day_start, day_drawn from spending_policies p where p.owner = t.owner
      ${fence}) p
    left join lateral (
      select owner, month_start, month_spent, day_start, day_spent, newest from owner_sums o
      where o.checkpoint = ${id} and o.owner = t.owner offset 0) s on true)`
}

/** Balances that entries, open records and vouchers do not explain. */
const BALANCE_FINDINGS = sql`
  select 'entries-of-a-movement-add-up-to-zero' as check, kind || ' ' || reference as row,
         '0' as expected, sum(amount)::text as found
  from halves group by kind, reference having sum(amount) <> 0
  union all
  select 'posted-is-the-sum-of-entries', id, entered::text, posted::text
  from account_states where posted <> entered
  union all
  select 'reserved-is-the-sum-of-open-records', id, open::text, reserved::text
  from account_states where reserved <> open
  union all
  select ${PROMOTION_CHECK}, id, promotional_due::text, promotional::text
  from account_states where promotional <> promotional_due`

/** Counters of credentials and policies that calls do not explain. */
const COUNTER_FINDINGS = sql`
  select ${COUNTER_CHECKS[0]}, id,
         format('calls %s spent %s held %s', calls_due, coalesce(spent_due::text, 'unknown'), held_due),
         format('calls %s spent %s held %s', calls_used, spent, held)
  from credential_states where (calls_used, spent, held) is distinct from (calls_due, spent_due, held_due)
  union all
  select ${COUNTER_CHECKS[1]}, owner,
         format('month %s day %s', coalesce(month_due::text, 'unknown'), coalesce(day_due::text, 'unknown')),
         format('month %s day %s', month_drawn, day_drawn)
  from policy_states where (month_drawn, day_drawn) is distinct from (month_due, day_due)`

/** Movements whose legs are not what calls and records explain. */
const MOVEMENT_FINDINGS = sql`
  select ${LEG_CHECK}, ${LEG_ROW}, ${LEG_DUE}, amount::text from legs where due <> amount
  union all
  select ${CALL_CHECK}, id, called::text, captured::text from account_states where captured <> called
  union all
  select ${RECORD_CHECK}, account, due::text, entered::text from record_states where due <> entered`

/** Open calls, promotions and vouchers that differ from their records. */
const RECORD_FINDINGS = sql`
  select 'open-calls-are-those-not-finished', coalesce(i.id, o.invocation_id),
         case when i.id is null then 'finished' else i.status end,
         case when o.invocation_id is null then 'closed' else 'open' end
  from (select id, status from unsummed where status in ('PENDING', 'PROCESSING')) i
  full join open_calls o on o.invocation_id = i.id
  where i.id is null or o.invocation_id is null
  union all
  select 'promotions-cover-their-vouchers', a.id, format('at least %s', owed.amount), a.posted::text
  from accounts a, (select coalesce(sum(amount), 0) as amount from voucher_obligations) owed
  where a.id = 'promotions' and a.posted < owed.amount
  union all
  select 'a-voucher-counts-its-redemptions', v.id, count(r.id)::text, v.redeemed::text
  from vouchers v left join voucher_redemptions r on r.voucher_id = v.id
  group by v.id having count(r.id) <> v.redeemed`

/** Vouchers of another value, or for another number of wallets, than the audit log says of their batch. */
const changedVouchers = ({ since, isAll }: Comparison): Sql => sql`
  select 'a-voucher-is-what-was-created', v.id, format('%s for %s wallets', made.amount, made.wallets),
         format('%s for %s wallets', v.amount, v.redemptions_max)
  from (select distinct batch_id from vouchers where ${isAll} or age(xmin) <= ${since}) b
  cross join lateral (
    select ((after #>> '{vouchers,0,amountUsdc}')::numeric * 1000000)::bigint as amount,
           (after #>> '{vouchers,0,maxRedemptions}')::integer as wallets
    from admin_audit where target = b.batch_id and action = 'vouchers.create' offset 0) made
  join vouchers v on v.batch_id = b.batch_id
  where (v.amount, v.redemptions_max) <> (made.amount, made.wallets)`

/** Returns true if findings are about counters only. */
export const areOfCounters = (findings: readonly Finding[]): boolean =>
  findings.every(({ check }) => COUNTER_CHECKS.some(name => name === check))

/**
 * Returns every invariant that does not hold now.
 *
 * @returns the findings, and the oldest transaction whose end it may not have seen
 */
export async function compare(
  tx: Tx,
  checkpoint: Checkpoint,
  scope: Scope,
): Promise<{ findings: Finding[]; sinceXid: string }> {
  // From an older snapshot than the comparison: compares a transaction too many rather than one too few.
  const [row] = await tx.query<{ xid: string }>(
    sql`select pg_snapshot_xmin(pg_current_snapshot())::text as xid`,
  )
  const broken = await tx.query<Finding>(comparison(checkpoint, scope))
  return { findings: await nameRows(tx, checkpoint, broken), sinceXid: row?.xid ?? '0' }
}
