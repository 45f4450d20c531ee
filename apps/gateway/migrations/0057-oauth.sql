-- OAuth 2.1 for clients that get a credential by the consent of its owner, such as MCP clients (RFC 7591, RFC 6749).

-- Clients registered themselves. Until an owner lets one in it is kept for a day, and among 10,000 at most.
create table oauth_clients (
  id            text        primary key,
  name          text        not null,
  redirect_uris text[]      not null,
  created_at    timestamptz not null default clock_timestamp(),
  -- When an owner let it in first.
  authorized_at timestamptz
);
create index oauth_clients_pending on oauth_clients (created_at) where authorized_at is null;

-- A credential that its owner minted for a client, and the authorization code by which the client gets its token.
create table oauth_grants (
  credential_id   text        primary key references credentials (id),
  client_id       text        not null,
  owner           text        not null references wallets (address),
  -- As the client asked, to the port.
  redirect_uri    text        not null,
  resource        text        not null,
  code_challenge  text        not null,
  -- SHA-256 of the code, which is not stored.
  code_digest     bytea       not null unique,
  code_expires_at timestamptz not null,
  code_used_at    timestamptz,
  created_at      timestamptz not null default clock_timestamp()
);
create index oauth_grants_unredeemed on oauth_grants (code_expires_at) where code_used_at is null;
