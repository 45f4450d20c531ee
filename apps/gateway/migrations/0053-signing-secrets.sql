-- Secrets that requests to a provider's services are signed with by HMAC (RFC 9421, 3.3.3), where a service asks for it
-- in place of the gateway's Ed25519 key. Of the secrets of an owner the newest whose time has come signs; a later one
-- waits for its turn, so that the provider can install it first.
create table signing_secrets (
  -- The keyid of its signatures.
  id         text        primary key,
  owner      text        not null references wallets (address),
  -- Sealed with ENCRYPTION_KEY, bound to the id.
  sealed     text        not null,
  signs_from timestamptz not null,
  created_at timestamptz not null default clock_timestamp()
);
create index signing_secrets_by_owner on signing_secrets (owner, signs_from);

-- What requests to a service are signed with.
alter table services add column signature text not null default 'ed25519'
  check (signature in ('ed25519', 'hmac-sha256'));
