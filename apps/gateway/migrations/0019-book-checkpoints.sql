-- Checkpoints of the books (docs/adr/0008): sums over what changes no more, so that a check reads what is new and not
-- all that ever was. The check of the books keeps them; nobody else writes here. Money is never decided by them.

-- How far the sums of a checkpoint go: entries up to `entry_id`, and calls drawn before `drawn_before` but for those in
-- carried_calls. One checkpoint is live; others are being made, by checks of all that there is.
create table book_checkpoints (
  id            bigint      generated always as identity primary key,
  is_live       boolean     not null default false,
  -- Made bit by bit beside the regular checks, by whichever gateway comes by.
  is_slow       boolean     not null default false,
  entry_id      bigint      not null default 0,
  drawn_before  timestamptz not null default '-infinity',
  -- While it is being made: calls up to this one have been read. Null once all have been.
  swept_to      text        default '',
  -- Sums of all entries, of what vouchers paid, and of all fees.
  entry_sum     bigint      not null default 0,
  voucher_sum   bigint      not null default 0,
  fee_sum       bigint      not null default 0,
  -- Movements that `entry_id` cuts in two, with the sums of their first parts.
  cut_movements jsonb       not null default '[]',
  -- What was found wrong in what the sums are over.
  findings      jsonb       not null default '[]',
  -- Every row that a transaction from this one on has written is compared again by the next check.
  since_xid     xid8        not null default '0',
  -- No call drawn since `drawn_before` has a lower id, as far as was seen.
  first_call    text        not null default '',
  made_at       timestamptz not null default clock_timestamp(),
  worked_at     timestamptz not null default clock_timestamp()
) with (fillfactor = 50);
create unique index book_checkpoints_live on book_checkpoints (is_live) where is_live;
insert into book_checkpoints (is_live) values (true);

-- `captured`: what captures with a call took from a consumer, as a positive sum.
create table account_sums (
  checkpoint bigint not null,
  account    text   not null,
  posted     bigint not null,
  captured   bigint not null,
  primary key (checkpoint, account)
) with (fillfactor = 70);

-- Succeeded calls of a credential: how many, and what those drawn since `since` (its interval_start when this was
-- written) were charged; null: not known any more. `newest`: when the last of them was drawn.
create table credential_sums (
  checkpoint    bigint      not null,
  credential_id text        not null,
  calls         bigint      not null,
  spent         bigint,
  since         timestamptz not null,
  newest        timestamptz not null,
  primary key (checkpoint, credential_id)
) with (fillfactor = 70);

-- The same of an owner, by the intervals of the spending policy.
create table owner_sums (
  checkpoint  bigint      not null,
  owner       text        not null,
  calls       bigint      not null,
  charged     bigint      not null,
  fees        bigint      not null,
  month_spent bigint,
  month_start timestamptz,
  day_spent   bigint,
  day_start   timestamptz,
  newest      timestamptz not null,
  primary key (checkpoint, owner)
) with (fillfactor = 70);

-- What providers earned by UTC day and service.
create table earned_days (
  checkpoint bigint  not null,
  provider   text    not null,
  day        date    not null,
  service_id text    not null,
  calls      bigint  not null,
  earned     bigint  not null,
  primary key (checkpoint, provider, day, service_id)
) with (fillfactor = 70);

-- Calls drawn before `drawn_before` that had not ended for good when they were read.
create table carried_calls (
  checkpoint    bigint not null,
  invocation_id text   not null,
  owner         text   not null,
  provider      text   not null,
  primary key (checkpoint, invocation_id)
);

-- What is new, found by block ranges: next to nothing to write, where a tree would cost every call a write of its own.
create index entries_by_age on entries using brin (id) with (pages_per_range = 32, autosummarize = on);
create index invocations_by_age on invocations using brin (drawn_at) with (pages_per_range = 64, autosummarize = on);

-- Calls that are not in the sums of the live checkpoint.
create view unsummed_calls as
  select i.id, i.owner, i.provider, i.service_id, i.status, i.charged, i.fee, i.finished_at
  from book_checkpoints b join invocations i on i.id >= b.first_call and i.drawn_at >= b.drawn_before
  where b.is_live
  union all
  select i.id, i.owner, i.provider, i.service_id, i.status, i.charged, i.fee, i.finished_at
  from book_checkpoints b join carried_calls k on k.checkpoint = b.id join invocations i on i.id = k.invocation_id
  where b.is_live and k.owner = i.owner and k.provider = i.provider and i.drawn_at < b.drawn_before;

-- Platform fees by payer, as GET /balance tells them. While all fees that were ever taken are in the sums, no call is
-- looked at. The index on fees goes: every settlement with a fee had to write all indexes of its call for it.
drop view invocation_fees;
drop index invocations_with_fee;
create view invocation_fees as
  select s.owner, s.fees as fee from book_checkpoints b join owner_sums s on s.checkpoint = b.id where b.is_live
  union all
  select u.owner, u.fee from unsummed_calls u
  where u.fee > 0 and (select posted from accounts where id = 'fees')
                      <> (select fee_sum from book_checkpoints where is_live);

-- What providers have earned, by UTC day and service; a day and a service may stand in several rows.
drop view provider_earnings;
create view provider_earnings as
  select e.provider, e.service_id, e.day, e.calls, e.earned
  from book_checkpoints b join earned_days e on e.checkpoint = b.id where b.is_live
  union all
  select u.provider, u.service_id, (u.finished_at at time zone 'UTC')::date, 1::bigint, u.charged - u.fee
  from unsummed_calls u where u.status = 'SUCCEEDED';

-- An id up to which every entry is committed or never will be. Ids are given out before the COMMIT: those up to the
-- last one given belong to transactions that have locked the table by now, and once they are over, all is told. Waits
-- for them and for nobody else, and holds nobody up. Null when one of them takes longer.
create function settled_entry_id(wait_ms integer) returns bigint language plpgsql as $$
declare
  given bigint;
  writers text[];
  give_up timestamptz := clock_timestamp() + make_interval(secs => wait_ms / 1000.0);
begin
  given := coalesce(pg_sequence_last_value(pg_get_serial_sequence('entries', 'id')::regclass), 0);
  select coalesce(array_agg(virtualtransaction), '{}') into writers from pg_locks
  where locktype = 'relation' and relation = 'entries'::regclass and granted
    and database = (select oid from pg_database where datname = current_database())
    and mode = 'RowExclusiveLock';
  loop
    exit when not exists (
      select from pg_locks where locktype = 'relation' and relation = 'entries'::regclass
        and mode = 'RowExclusiveLock' and virtualtransaction = any(writers));
    if clock_timestamp() > give_up then return null; end if;
    perform pg_sleep(0.005);
  end loop;
  return given;
end $$;
