-- Withdrawals of the platform's own fees, which admins open. `wallet` is who is paid.
alter table withdrawals add column source text not null default 'earnings' check (source in ('earnings', 'fees'));
alter table withdrawals add column opened_by text;
create index withdrawals_of_fees on withdrawals (id) where source = 'fees';
alter table accounts add constraint fees_are_not_overdrawn check (id <> 'fees' or posted >= reserved);

create or replace view withdrawal_reservations as
  select case source when 'fees' then 'fees' else 'provider:' || wallet end as account, amount, id as reference
  from withdrawals where status in ('PENDING_REVIEW', 'APPROVED_AUTO', 'APPROVED_MANUAL');

-- What wallets are owed and tickets may have paid already: not the platform's own.
create or replace view tickets_out as
  select id, wallet, amount from withdrawals
  where status in ('APPROVED_AUTO', 'APPROVED_MANUAL') and source = 'earnings';

create or replace view recorded_movements as
  select 'deposit' as kind, chain_id::text || ':' || tx_hash || ':' || log_index::text as reference,
         'consumer:' || wallet as credit, 'vault' as debit, amount, xmin as version
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

-- The fees that were ever taken are what is there and what was paid out.
create or replace view invocation_fees as
  select s.owner, s.fees as fee from book_checkpoints b join owner_sums s on s.checkpoint = b.id where b.is_live
  union all
  select u.owner, u.fee from unsummed_calls u
  where u.fee > 0
    and (select posted from accounts where id = 'fees')
        + (select coalesce(sum(amount), 0) from withdrawals where source = 'fees' and status = 'COMPLETED')
        <> (select fee_sum from book_checkpoints where is_live);
