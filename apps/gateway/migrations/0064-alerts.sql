-- What each owner is alerted to, and how far that was looked at. A row is made by its owner, or by a webhook that
-- subscribes to an alert.
create table alert_settings (
  owner             text        primary key references wallets (address),
  budget_percents   smallint[]  not null default '{}' check (budget_percents <@ '{80,100}'::smallint[]),
  watches_balance   boolean     not null default false,
  -- In micro-USDC; null: the threshold of the gateway.
  balance_below     bigint      check (balance_below > 0),
  failure_percent   smallint    check (failure_percent between 1 and 100),
  failure_calls_min integer     check (failure_calls_min > 0),
  by_email          boolean     not null default false,
  by_webhook        boolean     not null default true,
  updated_at        timestamptz not null default now(),
  -- The balance that was last looked at, and the time from which it is.
  balance_seen      bigint      not null default 0,
  balance_since     timestamptz not null default clock_timestamp(),
  is_failing        boolean     not null default false,
  check (num_nulls(failure_percent, failure_calls_min) in (0, 2))
);

-- Up to which row of each partition of the log the alerts were decided, from partition 0, and until when the refusals.
create table alert_cursor (
  id             boolean     primary key default true check (id),
  positions      bigint[]    not null,
  refusals_until timestamptz not null default now()
);
insert into alert_cursor (positions) select array_agg(head order by partition) from ledger_partitions;

-- Alerts that were raised, with the data of their webhook event.
create table alerts (
  owner     text        not null,
  id        text        not null,
  type      text        not null,
  data      json        not null,
  -- Of several alerts of an owner with the same key, only the first is raised.
  once_key  text,
  -- True while its key must never be raised again: it outlives the retention.
  is_lasting boolean    not null,
  mail_id   text,
  fired_at  timestamptz not null default clock_timestamp(),
  primary key (owner, id)
);
create unique index alerts_once on alerts (owner, once_key) where once_key is not null;
create index alerts_by_age on alerts (fired_at) where not is_lasting;
create index alerts_by_mail on alerts (mail_id) where mail_id is not null;

-- Mails of alerts; `is_done`: sent, or given up.
create table alert_mails (
  id         text        primary key,
  owner      text        not null,
  created_at timestamptz not null default clock_timestamp(),
  queued_at  timestamptz not null default clock_timestamp(),
  is_done    boolean     not null default false
);
create index alert_mails_by_owner on alert_mails (owner, created_at);
create index alert_mails_waiting on alert_mails (queued_at) where not is_done;
create index alert_mails_by_age on alert_mails (created_at);

-- Calls of owners who watch their failure rate, in buckets of five minutes.
create table alert_calls (
  owner    text        not null,
  bucket   timestamptz not null,
  calls    bigint      not null,
  failures bigint      not null,
  primary key (owner, bucket)
);
create index alert_calls_by_age on alert_calls (bucket);

-- More types of events; `not valid`: stored rows need no look.
alter table webhooks
  drop constraint webhooks_events_check,
  add constraint webhooks_events_check check (cardinality(events) between 1 and 20) not valid;

-- A webhook that subscribes to an alert turns it on.
create function watch_subscribed() returns trigger language plpgsql as $$
declare
  added text[] := array(select unnest(new.events) except select unnest(old.events));
begin
  if not added && '{balance.low,budget.reached,failure_rate.high}'::text[] then return null; end if;
  insert into alert_settings as s
    (owner, budget_percents, watches_balance, failure_percent, failure_calls_min, balance_seen)
  values (
    new.owner,
    case when 'budget.reached' = any(added) then '{80,100}' else '{}' end::smallint[],
    'balance.low' = any(added),
    case when 'failure_rate.high' = any(added) then 50 end,
    case when 'failure_rate.high' = any(added) then 20 end,
    coalesce((select a.posted from accounts a where a.id = 'consumer:' || new.owner), 0))
  on conflict (owner) do update
  set budget_percents = case when s.budget_percents = '{}' then excluded.budget_percents else s.budget_percents end,
    watches_balance = s.watches_balance or excluded.watches_balance,
    balance_seen = case when s.watches_balance then s.balance_seen else excluded.balance_seen end,
    balance_since = case when s.watches_balance then s.balance_since else excluded.balance_since end,
    failure_percent = coalesce(s.failure_percent, excluded.failure_percent),
    failure_calls_min = coalesce(s.failure_calls_min, excluded.failure_calls_min);
  return null;
end $$;
create trigger webhooks_are_watched after insert or update of events on webhooks for each row
  execute function watch_subscribed();

insert into alert_settings (owner, watches_balance, balance_seen)
select distinct on (w.owner) w.owner, true, coalesce(a.posted, 0)
from webhooks w left join accounts a on a.id = 'consumer:' || w.owner
where w.status <> 'deleted' and 'balance.low' = any(w.events);
