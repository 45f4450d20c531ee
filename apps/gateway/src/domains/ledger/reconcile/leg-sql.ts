import sql, { type Sql } from 'sql-template-tag'

/** Check of the legs of calls: captures against invocations, both ways. */
export const CALL_CHECK = 'a-captured-call-has-its-entry'
/** Check of all other legs: entries against their records, both ways. */
export const RECORD_CHECK = 'a-record-has-its-entry'

/** Check of the promotional part of accounts against calls and records. */
export const PROMOTION_CHECK = 'promotional-credit-is-explained-by-records'

/**
 * SQL: the promotional part of a provider's earnings from a call, of its columns; the fee comes from deposited money
 * first.
 */
export const PROMOTIONAL_EARNINGS = sql`least(promotional, charged - fee)`

/** SQL: the check that a leg of {@link legsOf} belongs to. */
export const LEG_CHECK = sql`case when kind = 'capture' then ${CALL_CHECK} else ${RECORD_CHECK} end`
/** SQL: the name of a leg of {@link legsOf} in a finding: a call by its id, other movements by kind and reference. */
export const LEG_ROW = sql`case when kind = 'capture' then reference else kind || ' ' || reference end`

/** SQL: the expected amount of a leg of {@link legsOf}, for a finding. */
export const LEG_DUE = sql`format('%s on %s', due, account)`

/**
 * SQL: entries with the amounts due by their records: `kind, reference, account, amount, due, captured`. `due` is 0 if
 * no record explains the entry. `captured` is the amount that a capture took from a consumer or gave to a provider or
 * to the fees, and 0 for other movements.
 *
 * Records are looked up one by one: the planner cannot know how few entries there are.
 *
 * @param entries query or table of entries
 */
export function legsOf(entries: Sql): Sql {
  return sql`
    select e.kind, e.reference, e.account, e.amount,
           case when i.status is distinct from 'SUCCEEDED' then 0
                when e.account = 'consumer:' || i.owner then -i.charged
                when e.account = 'provider:' || i.provider then i.charged - i.fee
                when e.account = 'fees' then i.fee
                else 0 end as due,
           case when e.account like 'consumer:%' then -e.amount else e.amount end as captured
    from ${entries} e left join lateral (
      select owner, provider, status, charged, fee from invocations where invocations.id = e.reference offset 0) i on true
    where e.kind = 'capture'
    union all
    select e.kind, e.reference, e.account, e.amount,
           case e.account when m.credit then m.amount when m.debit then -m.amount else 0 end, 0
    from ${entries} e left join lateral (
      select credit, debit, amount from recorded_movements r
      where r.kind = e.kind and r.reference = e.reference offset 0) m on true
    where e.kind <> 'capture'`
}
