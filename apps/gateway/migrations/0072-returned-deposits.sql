-- A deposit may be mined again after a reorganisation took it away and its credit was reversed: it is then another one,
-- with a reference of its own. `turn` counts the reversed ones before it.
alter table vault_deposits add column turn integer not null default 0;
alter table vault_deposits drop constraint vault_deposits_pkey;
alter table vault_deposits add primary key (chain_id, tx_hash, log_index, turn);
alter table vault_deposits add column reference text not null generated always as (
  chain_id::text || ':' || tx_hash || ':' || log_index::text || case when turn > 0 then ':' || turn::text else '' end
) stored;
drop index vault_deposits_by_reference;
create index vault_deposits_by_reference on vault_deposits (reference);
create or replace view recorded_movements as
  select 'deposit' as kind, reference, 'consumer:' || wallet as credit, 'vault' as debit, amount, xmin as version
  from vault_deposits where credited_at is not null
  union all
  select 'promotion-funding', id, 'promotions', 'consumer:' || wallet, amount, xmin from promotion_fundings
  union all
  select 'voucher', id, 'consumer:' || wallet, 'promotions', amount, xmin from voucher_redemptions
  union all
  select 'withdrawal-paid', id, 'vault', 'provider:' || wallet, amount, xmin
  from withdrawals where status = 'COMPLETED' and source = 'earnings'
  union all
  select 'withdrawal-paid', id, 'vault', 'fees', amount, xmin
  from withdrawals where status = 'COMPLETED' and source = 'fees'
  union all
  select kind, reference, 'vault', account, charged, xmin from settlements where charged > 0
  union all
  select 'loss', reference, 'vault', 'losses', borne, xmin from settlements where borne > 0;
