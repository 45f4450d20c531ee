-- Every gateway process, and until when its holds are alive (database time).
create table gateway_instances (
  id          text        primary key,
  started_at  timestamptz not null default now(),
  lease_until timestamptz not null
);

-- Paid calls: inserted by the hold, finished by the settlement. The service is snapshotted: price, provider. What
-- the settlement changes is in no index, and pages are half empty, so it stays within its page (a HOT update).
create table invocations (
  id              text        primary key,
  credential_id   text        not null,
  idempotency_key text        not null,
  request_hash    bytea       not null,
  owner           text        not null,
  provider        text        not null,
  service_id      text        not null,
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
) with (fillfactor = 50);
create index invocations_by_owner on invocations (owner, id);
create index invocations_by_provider on invocations (provider, id);

-- The calls that are not finished, with the gateway that carries them: inserted with the hold, deleted with the
-- settlement.
create table open_calls (
  invocation_id text primary key,
  instance_id   text not null
);

-- The answer as it was sent, for replays. Apart from the invocation, so that it can be pruned.
create table invocation_answers (
  invocation_id text     primary key,
  http_status   smallint not null,
  body          text     not null
);

-- What the open calls explain of accounts.reserved; reconcile compares.
create view invocation_reservations as
  select 'consumer:' || i.owner as account, i.hold as amount, i.id as reference
  from open_calls o join invocations i on i.id = o.invocation_id;

-- Platform fees by payer, as GET /balance tells them. A settlement without a fee leaves the index alone.
create index invocations_with_fee on invocations (owner) include (fee) where fee > 0;
create view invocation_fees as select owner, fee from invocations where fee > 0;
