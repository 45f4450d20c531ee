-- Everybody who has ever signed in. Addresses are lower-case throughout the database.
create table wallets (
  address      text        primary key check (address ~ '^0x[0-9a-f]{40}$'),
  username     text        not null,
  is_provider  boolean     not null default false,
  suspended_at timestamptz,
  created_at   timestamptz not null default now()
);

-- Sign-in and profile-update challenges, each to be used once. Found by the digest of the exact text.
create table challenges (
  digest     bytea       primary key,
  address    text        not null,
  kind       text        not null check (kind in ('login', 'profile')),
  expires_at timestamptz not null
);
create index challenges_by_expiry on challenges (expires_at);

-- Session tokens that were logged out before they expired.
create table revoked_sessions (
  jti        text        primary key,
  expires_at timestamptz not null
);
create index revoked_sessions_by_expiry on revoked_sessions (expires_at);
