-- The books. All amounts are whole micro-USDC.

-- One row per account: 'consumer:0x...' and 'provider:0x...' for wallets; 'vault', 'fees' and 'promotions' for
-- the platform. 'vault' is the contra account: minus what the chain holds for us.
create table accounts (
  id       text   primary key,
  posted   bigint not null default 0,
  reserved bigint not null default 0,
  constraint reserved_is_not_negative check (reserved >= 0),
  constraint wallets_are_not_overdrawn check (strpos(id, ':') = 0 or posted >= reserved)
) with (fillfactor = 50);

insert into accounts (id) values ('vault'), ('fees'), ('promotions');

-- Double entry, append-only. A movement is a kind and a reference ('capture' of 'inv_...'); the entries of one
-- movement add up to zero. Reservations make no entries: their open record explains them. `id` gives the order; it
-- has no index of its own, since entries are read by account or as a whole.
create table entries (
  id         bigint generated always as identity,
  kind       text        not null,
  reference  text        not null,
  account    text        not null,
  amount     bigint      not null check (amount <> 0),
  created_at timestamptz not null default now()
);
create index entries_by_account on entries (account, id);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name;
end $$;
create trigger entries_are_append_only before update or delete or truncate on entries
  for each statement execute function refuse_change();

-- Makes a set-based write fail, and its transaction with it, when it touched another number of rows than was
-- decided. Being a statement of its own, the check travels with the write and costs no round trip.
create function expect_rows(written bigint, expected bigint, what text) returns void language plpgsql as $$
begin
  if written <> expected then
    raise exception '%: % rows written, % decided', what, written, expected;
  end if;
end $$;

-- Outcome of each check of the books; while the newest is not consistent, no withdrawal ticket is issued.
create table reconciliations (
  id         bigint generated always as identity primary key,
  at         timestamptz not null default now(),
  consistent boolean     not null,
  findings   jsonb       not null
);

-- Stored answers of requests that carry an idempotency key outside of invocations.
create table idempotent_responses (
  scope        text        not null,
  key          text        not null,
  request_hash bytea       not null,
  body         jsonb       not null,
  created_at   timestamptz not null default now(),
  primary key (scope, key)
);
