-- What providers offer. Wallets are lower-case; price in micro-USDC.
create table services (
  id               text        primary key,
  -- Goes up with every change of the row: a call that was quoted at one version is held at that version or not
  -- at all. Health changes are in service_targets and leave it alone.
  version          bigint      not null default 1,
  owner            text        not null references wallets (address),
  agent_tool_name  text        not null,
  service_name     text        not null,
  summary          text        not null,
  description      text        not null,
  tags             text[]      not null,
  service_kind     text        not null check (service_kind in ('api')),
  price_model      text        not null check (price_model in ('fixed')),
  price            bigint      not null check (price between 0 and 10000000000),
  method           text        not null,
  timeout_ms       integer     not null check (timeout_ms between 1 and 120000),
  request          jsonb       not null,
  response         jsonb       not null,
  health_check     jsonb,
  -- Sealed with the service id as context; opened only to call the targets.
  upstream_headers text,
  provider_profile jsonb,
  payout_account   jsonb,
  governance       jsonb,
  is_active        boolean     not null default true,
  suspended_at     timestamptz,
  deleted_at       timestamptz,
  created_at       timestamptz not null default now(),
  updated_at       timestamptz not null default now(),
  constraint deleted_is_not_active check (deleted_at is null or not is_active)
);
create index services_by_owner on services (owner, id);
create index services_callable on services (id)
  where is_active and deleted_at is null and suspended_at is null;

create function bump_version() returns trigger language plpgsql as $$
begin
  new.version := old.version + 1;
  new.updated_at := now();
  return new;
end $$;
create trigger services_bump_version before update on services for each row execute function bump_version();

-- Every agentToolName ever given, by the service that has it: a name is never given away again, neither after
-- a deletion nor after a renaming, so that whoever calls by name reaches who was meant.
create table tool_names (
  name       text primary key check (name ~ '^[a-z0-9_-]{1,64}$'),
  service_id text not null references services (id) deferrable initially deferred
);

-- Where calls go, with what the probes know of it. streak: successes in a row, failures in a row below zero.
create table service_targets (
  service_id     text             not null references services (id),
  url            text             not null,
  position       smallint         not null,
  weight         double precision not null check (weight > 0),
  is_healthy     boolean          not null default false,
  streak         integer          not null default 0,
  last_probed_at timestamptz,
  latency_ms     integer,
  next_probe_at  timestamptz      not null default now(),
  primary key (service_id, url)
) with (fillfactor = 70);
create index service_targets_by_due on service_targets (next_probe_at);

-- What the probes found, kept for a week.
create table health_probes (
  id         bigint generated always as identity primary key,
  service_id text        not null,
  url        text        not null,
  is_healthy boolean     not null,
  latency_ms integer     not null check (latency_ms >= 0),
  checked_at timestamptz not null
);
create index health_probes_by_target on health_probes (service_id, url, checked_at desc);
create index health_probes_by_age on health_probes (checked_at);
