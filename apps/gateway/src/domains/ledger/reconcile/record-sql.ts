import sql, { type Sql } from 'sql-template-tag'
import { RECORD_CHECK } from './leg-sql.ts'

/** What is compared: every row, or those that may have changed since the checkpoint was compared last. */
export type Scope = 'everything' | 'what-changed'

/** What an account's records add up to, but for calls. */
const dueOf = (account: Sql) => sql`
  (select coalesce(sum(amount), 0) from recorded_movements where credit = ${account})
    - (select coalesce(sum(amount), 0) from recorded_movements where debit = ${account})`

/**
 * The common table expression `record_states (account, due, entered)`: what the records of accounts add up to, but for
 * calls, and what their entries do. Of accounts that have new entries or new records, and always of those of the
 * platform, so that a record that is gone is missed in their sums; or of all.
 *
 * Stands behind `legs`, whose entries are not in the sums of the checkpoint.
 */
export function recordStates(checkpoint: bigint, since: Sql, scope: Scope): Sql {
  const due =
    scope === 'everything'
      ? sql`
    select account, sum(amount) as due from (
      select credit as account, amount from recorded_movements
      union all select debit, -amount from recorded_movements
      union all select account, 0 from account_sums where checkpoint = ${checkpoint}
      union all select account, 0 from legs) sides
    group by account`
      : sql`
    select account, ${dueOf(sql`t.account`)} as due from (
      select account from legs where kind <> 'capture'
      union select credit from recorded_movements where age(version) <= ${since}
      union select debit from recorded_movements where age(version) <= ${since}
      union values ('vault'), ('promotions'), ('fees'), ('losses')) t (account)`
  return sql`
  record_sides as materialized (${due}),
  record_entries as materialized (
    select account, sum(amount - captured * case when account like 'consumer:%' then -1 else 1 end) as entered
    from legs group by account),
  record_states as materialized (
    select r.account, r.due,
           coalesce(s.posted, 0) + coalesce(s.captured, 0) * case when r.account like 'consumer:%' then 1 else -1 end
             + coalesce(e.entered, 0) as entered
    from record_sides r
    left join record_entries e on e.account = r.account
    left join lateral (
      select posted, captured from account_sums where checkpoint = ${checkpoint} and account = r.account offset 0) s
      on true)`
}

/**
 * A query of `account, amount`: what records say of the promotional part of accounts, but for calls. Of `touched_accounts`
 * one by one, or of all.
 */
export function promotionRecords(scope: Scope): Sql {
  if (scope === 'everything') {
    return sql`select account, sum(amount) as amount from recorded_promotions group by account`
  }
  return sql`
    select t.id as account, (
      select coalesce(sum(amount), 0) from recorded_promotions where account = t.id) as amount
    from touched_accounts t`
}

/**
 * A part of the findings: deposits as wallets see them against the vault's events that were credited, by wallet and
 * transaction. A row that is gone is missed in the sum of all.
 */
export function depositFindings(since: Sql, scope: Scope): Sql {
  const pairs =
    scope === 'everything'
      ? sql`
      select coalesce(d.wallet, v.wallet) as wallet, coalesce(d.tx_hash, v.tx_hash) as tx_hash,
             coalesce(v.amount, 0) as due, coalesce(d.credited, 0) as credited
      from deposits d full join (
        select wallet, tx_hash, sum(amount) as amount from vault_deposits where credited_at is not null
        group by wallet, tx_hash) v on v.wallet = d.wallet and v.tx_hash = d.tx_hash`
      : sql`
      select t.wallet, t.tx_hash,
             (select coalesce(sum(v.amount), 0) from vault_deposits v
              where 'consumer:' || v.wallet = 'consumer:' || t.wallet and v.tx_hash = t.tx_hash
                and v.credited_at is not null) as due,
             (select coalesce(sum(d.credited), 0) from deposits d
              where d.wallet = t.wallet and d.tx_hash = t.tx_hash) as credited
      from (select wallet, tx_hash from deposits where age(xmin) <= ${since}
            union select wallet, tx_hash from vault_deposits where age(xmin) <= ${since}) t
      union all
      select 'all wallets', 'all transactions',
             (select coalesce(sum(amount), 0) from vault_deposits where credited_at is not null),
             (select coalesce(sum(credited), 0) from deposits)`
  return sql`
    select ${RECORD_CHECK}, format('deposit of %s in %s', wallet, tx_hash), due::text, credited::text
    from (${pairs}) pairs where due <> credited`
}
