-- What the vault paid, read from confirmed blocks: one row per nonce, which the vault pays once. A row is explained by
-- the withdrawal of that nonce (withdrawals.redeemed_in is 'tx_hash:log_index', with the same amount and recipient) or
-- by a settlement; until then an 'unexplained-redemption' finding is open.
create table vault_redemptions (
  chain_id     bigint      not null,
  vault        text        not null,
  nonce        text        not null check (nonce ~ '^0x[0-9a-f]{64}$'),
  -- Where the chain has it: after a reorganisation, in another block or transaction.
  tx_hash      text        not null check (tx_hash ~ '^0x[0-9a-f]{64}$'),
  log_index    integer     not null,
  recipient    text        not null check (recipient ~ '^0x[0-9a-f]{40}$'),
  amount       bigint      not null check (amount > 0),
  block_number bigint      not null,
  block_hash   text        not null,
  seen_at      timestamptz not null default now(),
  -- Set while the chain does not have it any more.
  gone_at      timestamptz,
  -- The finding by whose settlement it is booked.
  adopted_by   bigint references chain_findings (id),
  primary key (chain_id, vault, nonce)
);
create index vault_redemptions_by_block on vault_redemptions (chain_id, vault, block_number);

create function refuse_removal() returns trigger language plpgsql as $$
begin
  raise exception 'rows of % are never removed', tg_table_name;
end $$;
create trigger vault_redemptions_stay before delete or truncate on vault_redemptions
  for each statement execute function refuse_removal();

-- How an admin's act booked what the chain did, at most once per finding, append-only. Its movements
-- share a reference: `charged` from the account of the wallet to the vault, of the kind of the settlement, and `borne`
-- from the losses, of the kind 'loss'.
create table settlements (
  finding_id bigint      primary key references chain_findings (id),
  reference  text        not null unique generated always as ('fnd_' || finding_id::text) stored,
  kind       text        not null check (kind in ('redemption-adopted', 'deposit-reversed')),
  wallet     text        not null check (wallet ~ '^0x[0-9a-f]{40}$'),
  account    text        not null generated always as
    (case kind when 'deposit-reversed' then 'consumer:' else 'provider:' end || wallet) stored,
  charged    bigint      not null check (charged >= 0),
  borne      bigint      not null check (borne >= 0),
  settled_at timestamptz not null default now()
);
create index settlements_by_account on settlements (account);
create trigger settlements_are_append_only before update or delete or truncate on settlements
  for each statement execute function refuse_change();

-- Losses of the platform: what the vault paid or the chain took away that no wallet was charged for. Never above zero.
insert into accounts (id) values ('losses');
alter table accounts add constraint losses_are_no_gain check (id <> 'losses' or posted <= 0);

-- What settlements say that the books have moved, beside what is there already.
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
  from withdrawals where status = 'COMPLETED'
  union all
  select kind, reference, 'vault', account, charged, xmin from settlements where charged > 0
  union all
  select 'loss', reference, 'vault', 'losses', borne, xmin from settlements where borne > 0;
