-- Every entry against the record that explains it, and every record against its entries (docs/adr/0008).

-- How promotions were paid for; `id` is the reference of the movement.
create table promotion_fundings (
  id         text        primary key,
  wallet     text        not null check (wallet ~ '^0x[0-9a-f]{40}$'),
  amount     bigint      not null check (amount > 0),
  created_at timestamptz not null default clock_timestamp()
);
insert into promotion_fundings (id, wallet, amount, created_at)
select given.reference, substr(taken.account, 10), given.amount, given.created_at
from entries given
join entries taken on taken.kind = given.kind and taken.reference = given.reference and taken.account like 'consumer:%'
where given.account = 'promotions' and given.kind = 'promotion-funding';

-- What records other than calls say that the books have moved: `amount` from `debit` to `credit`, once per kind and
-- reference. A kind of movement that makes entries has its part here, or is a capture, which its invocation explains.
-- `version` is the transaction that wrote the record.
create view recorded_movements as
  select 'deposit' as kind, chain_id::text || ':' || tx_hash || ':' || log_index::text as reference,
         'consumer:' || wallet as credit, 'vault' as debit, amount, xmin as version
  from vault_deposits where credited_at is not null
  union all
  select 'promotion-funding', id, 'promotions', 'consumer:' || wallet, amount, xmin from promotion_fundings
  union all
  select 'voucher', id, 'consumer:' || wallet, 'promotions', amount, xmin from voucher_redemptions
  union all
  select 'withdrawal-paid', id, 'vault', 'provider:' || wallet, amount, xmin
  from withdrawals where status = 'COMPLETED';

-- The records of an entry, and of an account.
create index vault_deposits_by_reference on vault_deposits
  ((chain_id::text || ':' || tx_hash || ':' || log_index::text));
create index vault_deposits_by_account on vault_deposits (('consumer:' || wallet)) where credited_at is not null;
create index promotion_fundings_by_account on promotion_fundings (('consumer:' || wallet));
create index voucher_redemptions_by_account on voucher_redemptions (('consumer:' || wallet));
create index withdrawals_paid_by_account on withdrawals (('provider:' || wallet)) where status = 'COMPLETED';

-- `captured` is the sum of what captures took from a consumer, or gave to a provider or to the fees; `earned` is what
-- the calls say that a provider or the fees were given. What consumers were charged is in owner_sums.
delete from account_sums where checkpoint not in (select id from book_checkpoints where is_live);
delete from credential_sums where checkpoint not in (select id from book_checkpoints where is_live);
delete from owner_sums where checkpoint not in (select id from book_checkpoints where is_live);
delete from earned_days where checkpoint not in (select id from book_checkpoints where is_live);
delete from carried_calls where checkpoint not in (select id from book_checkpoints where is_live);
delete from book_checkpoints where not is_live;
alter table account_sums add column earned bigint not null default 0;
-- A gateway of an earlier version cannot add to the sums from here on.
alter table account_sums alter column earned drop default;
alter table book_checkpoints drop column voucher_sum;
-- The live sums lack what providers earned: no row can be told to be older than they are, so the next check is of
-- everything.
update book_checkpoints set since_xid = '18446744073709551615';
