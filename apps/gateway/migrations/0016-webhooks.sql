-- Where wallets want to be told of what happens to them. A deleted one stays, without its secrets, until its deliveries
-- are gone.
create table webhooks (
  id              text        primary key,
  owner           text        not null references wallets (address),
  url             text        not null,
  -- Scheme, host and port of the URL: webhooks of one receiver share its room.
  origin          text        not null,
  events          text[]      not null check (cardinality(events) between 1 and 7),
  status          text        not null default 'active' check (status in ('active', 'disabled', 'deleted')),
  disabled_reason text        check (disabled_reason in ('owner', 'gone', 'failing')),
  -- Sealed, with the id as context. The one before the last rotation signs beside it until then.
  secret          text,
  previous_secret text,
  previous_until  timestamptz,
  -- What the receiver was like at the last turn: whether it took what it was sent, and soon; and since when, and for
  -- how many turns in a row, it has taken nothing.
  is_prompt       boolean     not null default false,
  failing_since   timestamptz,
  failures        integer     not null default 0 check (failures >= 0),
  last_success_at timestamptz,
  -- When the next delivery is due; nothing is sent before paused_until, nor while another gateway has the turn.
  due_at          timestamptz not null default 'infinity',
  paused_until    timestamptz not null default '-infinity',
  claimed_until   timestamptz not null default '-infinity',
  created_at      timestamptz not null default now(),
  updated_at      timestamptz not null default now(),
  constraint disabled_webhooks_have_a_reason check ((status = 'disabled') = (disabled_reason is not null)),
  constraint deleted_webhooks_have_no_secret check ((status = 'deleted') = (secret is null)),
  constraint previous_secrets_end check ((previous_secret is null) = (previous_until is null)),
  constraint failing_webhooks_have_failures check ((failing_since is null) = (failures = 0))
) with (fillfactor = 50);
create index webhooks_by_owner on webhooks (owner, id) where status <> 'deleted';
-- Of no use to a query that does not ask for the time, so that none of those by owner is planned on it.
create index webhooks_by_due on webhooks (is_prompt, due_at) where status = 'active' and due_at < 'infinity';
create index webhooks_deleted on webhooks (updated_at) where status = 'deleted';

-- What each webhook is told. `id` is that of the event, the same at every receiver and at every try; `body` is what is
-- sent, byte for byte. Text, not jsonb: a signature is over bytes.
create table webhook_deliveries (
  webhook_id      text        not null references webhooks (id),
  id              text        not null,
  type            text        not null,
  body            text        not null,
  -- Of several events of a type with the same key, only the first is told.
  once_key        text,
  status          text        not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
  attempts        integer     not null default 0 check (attempts >= 0),
  -- Failures since it was queued, or replayed: where it stands in the schedule of retries.
  failures        integer     not null default 0 check (failures >= 0),
  response_status smallint,
  error           text,
  created_at      timestamptz not null default now(),
  last_attempt_at timestamptz,
  next_attempt_at timestamptz not null default now(),
  primary key (webhook_id, id)
) with (fillfactor = 70);
create unique index webhook_deliveries_once on webhook_deliveries (webhook_id, type, once_key)
  where once_key is not null;
create index webhook_deliveries_by_due on webhook_deliveries (webhook_id, next_attempt_at) where status = 'pending';
create index webhook_deliveries_waiting on webhook_deliveries (webhook_id, type) where status = 'pending';
create index webhook_deliveries_by_type on webhook_deliveries (webhook_id, type, created_at);
create index webhook_deliveries_by_age on webhook_deliveries (created_at);

-- Webhooks that have something new. Rows only come here, and are taken away by whoever delivers: who announces waits
-- for nobody, and no delivery can be missed, since both become visible together.
create table webhook_wakeups (
  id         bigint generated always as identity primary key,
  webhook_id text   not null
);

-- What was not queued, because a webhook was told too much of one type already.
create table webhook_suppressions (
  webhook_id text        not null,
  type       text        not null,
  minute     timestamptz not null,
  count      bigint      not null check (count > 0),
  primary key (webhook_id, type, minute)
);

-- Queues events for the webhooks of their owners that want them, as part of the transaction in which they happen. One
-- call, one index lookup where nobody listens. Takes no lock on a webhook: what money moves by may call this, and must
-- not wait for a receiver's troubles. All arrays have one element per event.
--
-- ids           the same for every receiver of an event
-- datas         JSON text of `data`
-- once_keys     null: always told
-- per_minutes   most of its type that one webhook is told within a minute; no more than waiting_max
-- left_out      how many more there were of its owner and type that are not among these
-- waiting_max   most of one type that wait at one webhook
create function announce_events(
  ids text[], owners text[], types text[], datas text[], once_keys text[], per_minutes integer[],
  left_out integer[], waiting_max integer
) returns void language plpgsql as $$
declare
  told_at timestamptz := clock_timestamp();
begin
  perform 1 from webhooks
  where owner = any(owners) and status = 'active' and events && types limit 1;
  if not found then return; end if;

  with
    asked as (
      select w.id as webhook_id, e.id, e.type, e.data, e.once_key, e.per_minute, e.left_out,
             row_number() over (partition by w.id, e.type order by e.position) as place
      from unnest(ids, owners, types, datas, once_keys, per_minutes, left_out) with ordinality
             as e (id, owner, type, data, once_key, per_minute, left_out, position)
      join webhooks w on w.owner = e.owner
      where w.status = 'active' and e.type = any(w.events)),
    room as (
      select t.webhook_id, t.type, least(
          t.per_minute - (select count(*) from (
            select 1 from webhook_deliveries d
            where d.webhook_id = t.webhook_id and d.type = t.type and d.created_at > told_at - interval '1 minute'
            limit waiting_max) as recent),
          waiting_max - (select count(*) from (
            select 1 from webhook_deliveries d
            where d.webhook_id = t.webhook_id and d.type = t.type and d.status = 'pending'
            limit waiting_max) as waiting)) as places
      from (select webhook_id, type, max(per_minute) as per_minute from asked group by webhook_id, type) as t),
    queued as (
      insert into webhook_deliveries (webhook_id, id, type, body, once_key, created_at, next_attempt_at)
      select asked.webhook_id, asked.id, asked.type,
             format('{"type":"%s","timestamp":"%s","data":%s}', asked.type,
                    to_char(told_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), asked.data),
             asked.once_key, told_at, told_at
      from asked join room using (webhook_id, type)
      where asked.place <= room.places
      -- By key: two transactions that tell the same must not wait for each other.
      order by asked.webhook_id, asked.type, asked.once_key
      on conflict do nothing
      returning webhook_id),
    woken as (
      insert into webhook_wakeups (webhook_id) select distinct webhook_id from queued)
  insert into webhook_suppressions (webhook_id, type, minute, count)
  select asked.webhook_id, asked.type, date_trunc('minute', told_at),
         sum(asked.left_out + (asked.place > room.places)::integer)
  from asked join room using (webhook_id, type)
  group by asked.webhook_id, asked.type
  having sum(asked.left_out + (asked.place > room.places)::integer) > 0
  order by asked.webhook_id, asked.type
  on conflict (webhook_id, type, minute) do update
    set count = webhook_suppressions.count + excluded.count;
end $$;
