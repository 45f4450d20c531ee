-- Every gateway process, and until when its holds are alive (database time).
create table gateway_instances (
  id          text        primary key,
  started_at  timestamptz not null default now(),
  lease_until timestamptz not null
);

-- Paid calls: inserted by the hold, finished by the settlement. The service is snapshotted: price, provider.
create table invocations (
  id              text        primary key,
  credential_id   text        not null,
  idempotency_key text        not null,
  request_hash    bytea       not null,
  owner           text        not null,
  provider        text        not null,
  service_id      text        not null,
  instance_id     text        not null,
  status          text        not null
    check (status in ('PENDING', 'PROCESSING', 'SUCCEEDED', 'FAILED_RETRYABLE', 'FAILED_FINAL')),
  hold            bigint      not null check (hold >= 0),
  charged         bigint      not null default 0 check (charged between 0 and hold),
  fee             bigint      not null default 0 check (fee between 0 and charged),
  drawn_at        timestamptz not null,
  finished_at     timestamptz,
  latency_ms      integer,
  attempts        smallint    not null default 0,
  error_code      text,
  unique (credential_id, idempotency_key)
) with (fillfactor = 80);
create index invocations_open on invocations (instance_id) where status in ('PENDING', 'PROCESSING');
create index invocations_by_owner on invocations (owner, id);
create index invocations_by_provider on invocations (provider, id);

-- The answer as it was sent, for replays. Apart from the invocation, so that it can be pruned.
create table invocation_answers (
  invocation_id text     primary key,
  http_status   smallint not null,
  body          text     not null
);

-- What the open calls explain of accounts.reserved; reconcile compares.
create view invocation_reservations as
  select 'consumer:' || owner as account, hold as amount, id as reference
  from invocations where status in ('PENDING', 'PROCESSING');

-- Platform fees by payer, as GET /balance tells them.
create index invocations_with_fee on invocations (owner) include (fee) where fee > 0;
create view invocation_fees as select owner, fee from invocations where fee > 0;
