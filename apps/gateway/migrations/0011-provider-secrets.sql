-- What a provider's own servers call us with: limits, and what is drawn of them. Only the digest of a key is kept,
-- and a mask by which its owner tells it from others. Amounts in micro-USDC.
create table provider_secrets (
  id             text        primary key,
  owner          text        not null references wallets (address),
  name           text        not null,
  key_hash       bytea       not null unique,
  masked_key     text        not null,
  status         text        not null default 'active' check (status in ('active', 'deleted')),
  rpm            integer     not null check (rpm between 1 and 10000000),
  credit_limit   bigint      check (credit_limit >= 0),
  reset_interval text        not null check (reset_interval in ('hourly', 'daily', 'weekly', 'monthly', 'never')),
  created_at     timestamptz not null default now(),
  last_used_at   timestamptz,
  -- Captured by usage reports made with it since interval_start.
  captured       bigint      not null default 0 check (captured >= 0),
  interval_start timestamptz not null,
  -- Theoretical arrival time of the generic cell rate algorithm, in Unix microseconds of the database clock.
  rate_tat       bigint      not null default 0
) with (fillfactor = 50);
create index provider_secrets_live on provider_secrets (owner, id) where status = 'active';

-- Every issue and deletion of a provider secret.
create table provider_secret_audit (
  id        text        primary key,
  owner     text        not null,
  secret_id text        not null,
  action    text        not null,
  actor     text        not null,
  detail    jsonb       not null,
  at        timestamptz not null default now()
);
create index provider_secret_audit_by_owner on provider_secret_audit (owner, id);
