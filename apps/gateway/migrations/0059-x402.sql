-- Payments by x402: EIP-3009 authorizations to the vault that the gateway submits. The authorization is on the chain;
-- this binds it to one request before it is broadcast, so that nobody who sees it there can spend it on another.
create table x402_payments (
  payer         text        not null check (payer ~ '^0x[0-9a-f]{40}$'),
  nonce         text        not null check (nonce ~ '^0x[0-9a-f]{64}$'),
  signature     text        not null,
  amount        bigint      not null check (amount > 0),
  -- SHA-256 of the request that it pays for; null: a deposit.
  request_hash  bytea,
  -- Hashes of the transactions that use it, in the order of their broadcast; one at most succeeds.
  transactions  text[]      not null default '{}',
  sent_at       timestamptz,
  -- The transaction that was credited.
  settled_in    text,
  -- The credential of its call, which the idempotency key belongs to; null before the call.
  credential_id text        references credentials (id),
  created_at    timestamptz not null default clock_timestamp(),
  primary key (payer, nonce)
);

-- The credential by which a payer's calls are made. Nobody has its token.
create table x402_payers (
  wallet        text  primary key references wallets (address),
  credential_id text  not null references credentials (id),
  token_digest  bytea not null
);

-- Lease on sending transactions of a key: one gateway at a time, so that no two take the same nonce of the account.
create table x402_senders (
  address     text        primary key,
  holder      text        not null,
  lease_until timestamptz not null
);

-- Nonces of sign-ins (sign-in-with-x) that were used, until their messages expire.
create table x402_sign_ins (
  nonce      text        primary key,
  expires_at timestamptz not null
);
create index x402_sign_ins_by_expiry on x402_sign_ins (expires_at);
