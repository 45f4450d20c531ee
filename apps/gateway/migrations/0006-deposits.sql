-- What the vault said, read from confirmed blocks only: one row per Deposited event. The primary key is what makes
-- a credit happen once: the money is posted by the transaction that sets credited_at of this row.
create table vault_deposits (
  chain_id     bigint      not null,
  tx_hash      text        not null check (tx_hash ~ '^0x[0-9a-f]{64}$'),
  log_index    integer     not null,
  wallet       text        not null check (wallet ~ '^0x[0-9a-f]{40}$'),
  amount       bigint      not null check (amount > 0),
  block_number bigint      not null,
  block_hash   text        not null,
  -- When a gateway first saw it confirmed; an unregistered deposit waits from here.
  confirmed_at timestamptz not null default now(),
  credited_at  timestamptz,
  primary key (chain_id, tx_hash, log_index)
);
create index vault_deposits_to_credit on vault_deposits (chain_id, block_number) where credited_at is null;

-- One row per wallet and transaction: a claim made by the wallet, or a deposit that the follower found by itself
-- (registered_at null until the wallet claims it). Several wallets may claim one hash: a claim proves nothing.
create table deposits (
  id            text        primary key,
  wallet        text        not null check (wallet ~ '^0x[0-9a-f]{40}$'),
  tx_hash       text        not null check (tx_hash ~ '^0x[0-9a-f]{64}$'),
  status        text        not null check (status in ('pending', 'confirming', 'credited', 'rejected')),
  claimed       bigint,
  credited      bigint,
  log_index     integer,
  confirmations integer     not null default 0,
  reason        text        check (reason in ('reverted', 'no_vault_deposit', 'wrong_depositor', 'unknown_after_24h')),
  created_at    timestamptz not null default now(),
  registered_at timestamptz,
  unique (wallet, tx_hash),
  constraint credited_deposits_have_an_amount check ((status = 'credited') = (credited is not null)),
  constraint rejected_deposits_have_a_reason check ((status = 'rejected') = (reason is not null))
);
create index deposits_by_wallet on deposits (wallet, id);
create index deposits_open on deposits (created_at) where status in ('pending', 'confirming');

-- How far the vault has been read, per chain and vault; holder and lease keep several gateways from reading the
-- same blocks at once, which would be wasteful and not wrong.
create table vault_cursors (
  chain_id     bigint      not null,
  vault        text        not null,
  block_number bigint      not null,
  block_hash   text,
  holder       text        not null default '',
  lease_until  timestamptz not null default now(),
  primary key (chain_id, vault)
);
