import sql, { type Sql } from 'sql-template-tag'

/** Check of the legs of calls: each capture against its invocation, both ways. */
export const CALL_CHECK = 'a-captured-call-has-its-entry'
/** Check of all other legs: each entry against the record that explains it, both ways. */
export const RECORD_CHECK = 'a-record-has-its-entry'

/** Check of the promotional part of accounts against calls and records. */
export const PROMOTION_CHECK = 'promotional-credit-is-explained-by-records'

/** What a provider earns of promotional credit by a call, of its columns: the fee is taken of deposited money first. */
export const PROMOTIONAL_EARNINGS = sql`least(promotional, charged - fee)`

/** Which check a leg of {@link legsOf} belongs to. */
export const LEG_CHECK = sql`case when kind = 'capture' then ${CALL_CHECK} else ${RECORD_CHECK} end`
/** How a leg of {@link legsOf} is named in a finding: a call by its id, other movements by kind and reference. */
export const LEG_ROW = sql`case when kind = 'capture' then reference else kind || ' ' || reference end`

/** What a leg of {@link legsOf} had to be, for a finding. */
export const LEG_DUE = sql`format('%s on %s', due, account)`

/**
 * Entries with the amounts that their records say they must have: a query of `kind, reference, account, amount, due,
 * captured`. `due` is 0 where no record explains the entry. `captured` is what a capture took from a consumer or gave to
 * a provider or to the fees, and 0 of all other movements.
 *
 * Records are looked up one by one, since the planner cannot know how few entries there are.
 *
 * @param entries a query or table of entries
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
