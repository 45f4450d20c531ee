-- Keys that sign what goes to providers (Ed25519), one set for all gateways on this database. Each has its number in
-- the row; the unique number is what makes gateways that find the next one due at the same time agree on one key. A
-- key signs from signs_from until the next one does.
create table signing_keys (
  -- Thumbprint of the public key (RFC 7638).
  id                 text        primary key check (id ~ '^[A-Za-z0-9_-]{43}$'),
  generation         integer     not null unique check (generation > 0),
  -- 32 bytes, base64url, as a JWK has them.
  public_key         text        not null check (public_key ~ '^[A-Za-z0-9_-]{43}$'),
  -- Sealed with ENCRYPTION_KEY, bound to the id.
  sealed_private_key text        not null,
  signs_from         timestamptz not null,
  created_at         timestamptz not null default now()
);
