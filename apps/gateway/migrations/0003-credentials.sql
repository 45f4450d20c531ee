-- Agent credentials with their limits and what is drawn of them. Limits and counters share a row on purpose:
-- whoever holds the row lock sees the newest of both, so a lowered limit binds the very next call.
create table credentials (
  id                  text        primary key,
  owner               text        not null references wallets (address),
  name                text        not null,
  token_hash          bytea       not null unique,
  previous_token_hash bytea       unique,
  previous_expires_at timestamptz,
  status              text        not null default 'active' check (status in ('active', 'revoked', 'deleted')),
  max_calls           bigint      check (max_calls > 0),
  credit_limit        bigint      check (credit_limit >= 0),
  rpm                 integer     not null check (rpm between 1 and 10000000),
  reset_interval      text        not null check (reset_interval in ('hourly', 'daily', 'weekly', 'monthly', 'never')),
  allowed_services    text[],
  expires_at          timestamptz,
  created_at          timestamptz not null default now(),
  -- Drawn: calls for life; spent (captured) and held (open) of calls drawn since interval_start.
  calls_used          bigint      not null default 0 check (calls_used >= 0),
  spent               bigint      not null default 0 check (spent >= 0),
  held                bigint      not null default 0 check (held >= 0),
  interval_start      timestamptz not null,
  -- Theoretical arrival time of the generic cell rate algorithm, in Unix microseconds of the database clock.
  rate_tat            bigint      not null default 0
) with (fillfactor = 50);
create index credentials_by_owner on credentials (owner, id);

-- What an owner may spend, over all credentials, and what is drawn of it. monthly_limit null: the default of the
-- configuration, unless allow_unlimited.
create table spending_policies (
  owner           text        primary key references wallets (address),
  monthly_limit   bigint      check (monthly_limit >= 0),
  allow_unlimited boolean     not null default false,
  daily_limit     bigint      check (daily_limit >= 0),
  per_call_limit  bigint      check (per_call_limit >= 0),
  month_start     timestamptz not null default date_trunc('month', now(), 'UTC'),
  month_drawn     bigint      not null default 0 check (month_drawn >= 0),
  day_start       timestamptz not null default date_trunc('day', now(), 'UTC'),
  day_drawn       bigint      not null default 0 check (day_drawn >= 0)
) with (fillfactor = 50);

-- Every change of a credential or, with credential_id null, of the spending policy of the owner.
create table credential_audit (
  id            text        primary key,
  owner         text        not null,
  credential_id text,
  action        text        not null,
  actor         text        not null,
  detail        jsonb       not null,
  at            timestamptz not null default now()
);
create index credential_audit_by_owner on credential_audit (owner, id);
