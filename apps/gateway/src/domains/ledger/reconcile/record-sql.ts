import sql, { type Sql } from 'sql-template-tag'
import { RECORD_CHECK } from './leg-sql.ts'

/** Scope: all rows, or those that may have changed since the last comparison of the checkpoint. */
export type Scope = 'everything' | 'what-changed'

/** SQL: sums of an account's records, without calls. */
const dueOf = (account: Sql) => sql`
  (select coalesce(sum(amount), 0) from recorded_movements where credit = ${account})
    - (select coalesce(sum(amount), 0) from recorded_movements where debit = ${account})`

/**
 * The common table expression `record_states (account, due, entered)`: sums of the records of accounts, without calls,
 * and of their entries. For accounts with new entries or records, or for all; always for those of the platform, so that
 * a deleted record shows in their sums.
 *
 * Requires `legs`, whose entries are not in the checkpoint's sums.
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
 * SQL: `account, amount`: the promotional part of accounts by their records, without calls. For each of
 * `touched_accounts`, or for all.
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
 * SQL: findings on deposits: the wallets' records against the credited events of the vault, by wallet and transaction.
 * A deleted row shows in the total.
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
