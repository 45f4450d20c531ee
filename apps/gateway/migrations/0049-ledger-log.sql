-- The log of what changes what an owner may spend (docs/adr/0013): append-only, in partitions by owner. The rows of
-- calls, credentials, policies and accounts are projections of it: they are true up to `ledger_projections.projected`,
-- and hold the state before the first event. A gateway holds the state of the owners that it serves in memory, and
-- appends to a partition only from its head.

create function ledger_partition_of(owner text) returns smallint language sql immutable parallel safe as $$
  select (get_byte(sha256(owner::bytea), 0) & 15)::smallint
$$;

-- Where each partition ends, and the hash of its last row. Whoever appends holds the lock of this row.
create table ledger_partitions (
  partition smallint primary key check (partition between 0 and 15),
  head      bigint   not null default 0,
  hash      bytea    not null default decode(repeat('00', 32), 'hex') check (length(hash) = 32)
) with (fillfactor = 10);
insert into ledger_partitions (partition) select generate_series(0, 15);

-- How far each partition is projected. Taken after the row above, by whoever takes both.
create table ledger_projections (
  partition smallint primary key,
  projected bigint   not null default 0
) with (fillfactor = 10);
insert into ledger_projections (partition) select generate_series(0, 15);

-- One row for each batch of a partition. The first columns hold its events: calls that were held, that wait for their
-- usage, and that ended. Then what the batch left behind: counters of credentials and policies, and accounts.
-- `changed` is a row that was written by a transaction other than a batch of calls.
create table ledger_log (
  partition   smallint    not null,
  seq         bigint      not null check (seq > 0),
  writer      text        not null,
  held        json,
  awaited     json,
  ended       json,
  credentials json,
  policies    json,
  accounts    json,
  changed     json,
  -- Of the row before and of this one: see ledger_hash.
  hash        bytea       not null check (length(hash) = 32),
  at          timestamptz not null default clock_timestamp(),
  primary key (partition, seq)
);
-- Batches are read once and soon: to compress them costs more than to write them.
alter table ledger_log
  alter column held set storage external, alter column ended set storage external,
  alter column credentials set storage external, alter column policies set storage external,
  alter column accounts set storage external;
create trigger ledger_log_is_append_only before update or delete or truncate on ledger_log
  for each statement execute function refuse_change();

-- Hash of a row of the log. Programs outside of the database make it, too; it never changes.
create function ledger_hash(
  previous bytea, partition smallint, seq bigint, writer text, held text, awaited text, ended text, credentials text,
  policies text, accounts text, changed text
) returns bytea language sql immutable parallel safe as $$
  select sha256(previous || convert_to(partition::text || E'\n' || seq::text || E'\n' || writer || E'\n'
    || coalesce(held, '') || E'\n' || coalesce(awaited, '') || E'\n' || coalesce(ended, '') || E'\n'
    || coalesce(credentials, '') || E'\n' || coalesce(policies, '') || E'\n' || coalesce(accounts, '') || E'\n'
    || coalesce(changed, ''), 'UTF8'))
$$;

-- Answers of models that came without their usage, until they are projected: they are too large for an event.
create table pending_results (
  invocation_id text primary key,
  result        text not null
);

-- The rows of a call say in which partition its owner is, so that a database that is divided by partition finds them
-- without asking everywhere (docs/scaling.md). Rows of earlier versions have null: no table is rewritten, and whoever
-- looks for a row takes null for "any".
alter table invocations add column partition smallint;
alter table invocation_answers add column partition smallint;
alter table invocation_streams add column partition smallint;
alter table metered_calls add column partition smallint;
alter table open_calls add column partition smallint;
alter table free_answers add column partition smallint;
alter table pending_results add column partition smallint;

create type ledger_held as (
  id text, credential text, key text, hash text, owner text, provider text, service text, hold bigint,
  at timestamptz, instance text, input_price bigint, output_price bigint, cache_read_price bigint,
  cache_write_price bigint, max_input_tokens bigint, max_output_tokens bigint, pre_auth_mode text, is_streamed boolean,
  fee_bps integer);
create type ledger_awaited as (
  id text, owner text, at timestamptz, latency_ms integer, attempts smallint, error_code text, reason text);
create type ledger_ended as (
  id text, owner text, provider text, status text, hold bigint, charge bigint, fee bigint, promotional bigint,
  at timestamptz, latency_ms integer, attempts smallint, error_code text, is_metered boolean, input_tokens bigint,
  output_tokens bigint, cost bigint, reported_by text, cache_read_tokens bigint, cache_write_tokens bigint,
  stated_total bigint);
create type ledger_credential as (
  id text, calls_used bigint, spent bigint, held bigint, interval_start timestamptz, rate_window text);
create type ledger_policy as (
  owner text, month_start timestamptz, month_drawn bigint, day_start timestamptz, day_drawn bigint);
create type ledger_account as (owner text, posted bigint, reserved bigint, promotional bigint);
create type ledger_earned as (id text, amount bigint, promotional bigint);

-- The rows of the log that one step of a projection is about.
create type ledger_range as (partition smallint, after bigint, upto bigint);

-- Projects rows of some partitions into the tables, all up to their heads when it was called. The transactions that
-- append to a partition themselves hold its lock and call this first, so that nothing is left of it to project.
--
-- Its plans, and those of the functions below, find rows by their keys, whatever the size of a table when they were made.
-- A plan for a set of keys may read a whole table through one of its indexes and compare each row with each key: that is
-- cheapest while the table is empty, no setting for sequential scans, hash or merge joins forbids it, and the plan is kept
-- until the table is analyzed. A bitmap scan of an index needs a condition on its key; with other scans off there is no
-- such plan.
create function ledger_project(wanted smallint[]) returns integer language plpgsql
  set enable_seqscan = off set enable_hashjoin = on set jit = off set enable_indexscan = off set enable_indexonlyscan = off
  set enable_mergejoin = off as $$
declare
  -- Set here and not of the function: for that, an owner of the schema would have to be a superuser.
  said constant text := coalesce(current_setting('farebox.projecting', true), '');
  rows_max constant bigint := 32;
  ranges ledger_range[];
  total integer := 0;
begin
  perform set_config('farebox.projecting', 'on', true);
  perform 1 from unnest(wanted) as w (partition) join ledger_projections j on j.partition = w.partition
  order by j.partition for update of j;
  loop
    select array_agg(row(j.partition, j.projected, least(p.head, j.projected + rows_max))::ledger_range) into ranges
    from unnest(wanted) as w (partition) join ledger_projections j on j.partition = w.partition
    join ledger_partitions p on p.partition = w.partition
    where p.head > j.projected;
    exit when ranges is null;
    perform ledger_project_calls(ranges);
    perform ledger_project_awaited(ranges);
    perform ledger_project_state(ranges);
    update ledger_projections j set projected = b.upto from unnest(ranges) b where j.partition = b.partition;
    total := total + (select sum(upto - after)::integer from unnest(ranges));
  end loop;
  perform set_config('farebox.projecting', said, true);
  return total;
end $$;

-- Calls that were held and calls that ended, with the entries of those that were charged. A call that was held and ended
-- within the range is written once, as it ended.
create function ledger_project_calls(ranges ledger_range[]) returns void language plpgsql as $$
declare
  earned ledger_earned[];
  ended ledger_ended[];
begin
  with
  held as materialized (
    select b.partition, h.* from unnest(ranges) b
    join ledger_log l on l.partition = b.partition and l.seq > b.after and l.seq <= b.upto
    cross join lateral json_populate_recordset(null::ledger_held, l.held) h where l.held is not null),
  ended as materialized (
    select e.* from unnest(ranges) b
    join ledger_log l on l.partition = b.partition and l.seq > b.after and l.seq <= b.upto
    cross join lateral json_populate_recordset(null::ledger_ended, l.ended) e where l.ended is not null),
  ended_later as materialized (
    select e.* from ended e left join held h on h.id = e.id where h.id is null),
  of_held as (
    insert into invocations
      (id, credential_id, idempotency_key, request_hash, owner, provider, service_id, hold, drawn_at, status, charged,
       fee, promotional, finished_at, latency_ms, attempts, error_code, partition)
    select h.id, h.credential, h.key, decode(h.hash, 'hex'), h.owner, h.provider, h.service, h.hold, h.at,
      coalesce(e.status, 'PENDING'), coalesce(e.charge, 0), coalesce(e.fee, 0), coalesce(e.promotional, 0), e.at,
      e.latency_ms, coalesce(e.attempts, 0), e.error_code, h.partition
    from held h left join ended e on e.id = h.id),
  of_open as (
    insert into open_calls (invocation_id, instance_id, partition)
    select h.id, h.instance, h.partition from held h left join ended e on e.id = h.id where e.id is null),
  of_metered as (
    insert into metered_calls
      (invocation_id, input_price, output_price, max_output_tokens, pre_auth_mode, is_streamed, cache_read_price,
       cache_write_price, max_input_tokens, fee_bps, input_tokens, output_tokens, cost, reported_by,
       cache_read_tokens, cache_write_tokens, stated_total, partition)
    select h.id, h.input_price, h.output_price, h.max_output_tokens, h.pre_auth_mode, h.is_streamed,
      h.cache_read_price, h.cache_write_price, h.max_input_tokens, h.fee_bps, e.input_tokens, e.output_tokens, e.cost,
      e.reported_by, e.cache_read_tokens, e.cache_write_tokens, e.stated_total, h.partition
    from held h left join ended e on e.id = h.id where h.input_price is not null),
  of_free as (
    insert into free_answers (invocation_id, partition)
    select e.id, ledger_partition_of(e.owner) from ended e where e.hold = 0),
  of_entries as (
    insert into entries (kind, reference, account, amount)
    select 'capture', e.id, s.account, s.amount
    from ended e cross join lateral (
      values ('consumer:' || e.owner, -e.charge), ('provider:' || e.provider, e.charge - e.fee), ('fees', e.fee)
    ) as s (account, amount) where s.amount <> 0)
  select array_agg(row(id, amount, promotional)::ledger_earned order by id), (select array_agg(e) from ended_later e)
  into earned, ended
  from (
    select 'provider:' || e.provider as id, sum(e.charge - e.fee)::bigint as amount,
      sum(least(e.promotional, e.charge - e.fee))::bigint as promotional
    from ended e where e.status = 'SUCCEEDED' group by e.provider
    union all
    select 'fees', sum(e.fee)::bigint, 0 from ended e where e.fee > 0 having sum(e.fee) > 0) sums;

  perform ledger_project_ended(ended);
  perform ledger_project_earned(earned);
end $$;

-- Calls that were held in an earlier range.
create function ledger_project_ended(ended ledger_ended[]) returns void language plpgsql
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_indexscan = off
  set enable_indexonlyscan = off as $$
begin
  if ended is null then return; end if;
  update invocations i
  set status = e.status, charged = e.charge, fee = e.fee, promotional = e.promotional, finished_at = e.at,
    latency_ms = e.latency_ms, attempts = e.attempts, error_code = e.error_code
  from unnest(ended) e where i.id = e.id and (i.partition = ledger_partition_of(e.owner) or i.partition is null);
  delete from open_calls o using unnest(ended) e
  where o.invocation_id = e.id and (o.partition = ledger_partition_of(e.owner) or o.partition is null);
  update metered_calls m
  set input_tokens = e.input_tokens, output_tokens = e.output_tokens, cost = e.cost, reported_by = e.reported_by,
    cache_read_tokens = e.cache_read_tokens, cache_write_tokens = e.cache_write_tokens,
    stated_total = e.stated_total, processing_since = null, pending_result = null
  from unnest(ended) e
  where e.is_metered and m.invocation_id = e.id
    and (m.partition = ledger_partition_of(e.owner) or m.partition is null);
end $$;

-- What providers and the platform earn is added; what they take out is decided on their own rows. Everybody locks these
-- in the order of their ids.
create function ledger_project_earned(earned ledger_earned[]) returns void language plpgsql
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_indexscan = off
  set enable_indexonlyscan = off as $$
declare
  ids constant text[] := array(select id from unnest(earned) order by id);
begin
  if earned is null then return; end if;
  insert into accounts (id) select missing from unnest(ids) as missing
  where not exists (select from accounts a where a.id = missing) order by 1 on conflict do nothing;
  perform 1 from accounts a where a.id = any(ids) order by a.id for update;
  update accounts a set posted = a.posted + n.amount, promotional = a.promotional + n.promotional
  from unnest(earned) n where a.id = n.id;
end $$;

-- Calls that came to wait for their usage. Those that ended within the range keep only why they had waited.
create function ledger_project_awaited(ranges ledger_range[]) returns void language plpgsql
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_indexscan = off
  set enable_indexonlyscan = off as $$
declare
  awaited ledger_awaited[];
begin
  select array_agg(w) into awaited
  from unnest(ranges) b join ledger_log l on l.partition = b.partition and l.seq > b.after and l.seq <= b.upto
  cross join lateral json_populate_recordset(null::ledger_awaited, l.awaited) w where l.awaited is not null;
  if awaited is null then return; end if;
  update invocations i
  set status = 'PROCESSING', latency_ms = w.latency_ms, attempts = w.attempts, error_code = w.error_code
  from unnest(awaited) w
  where i.id = w.id and (i.partition = ledger_partition_of(w.owner) or i.partition is null) and i.status = 'PENDING';
  with told as materialized (
    select w.id, w.owner, w.reason, w.at, i.status = 'PROCESSING' as is_processing, r.result
    from unnest(awaited) w
    join invocations i on i.id = w.id and (i.partition = ledger_partition_of(w.owner) or i.partition is null)
    left join pending_results r
      on r.invocation_id = w.id and (r.partition = ledger_partition_of(w.owner) or r.partition is null))
  update metered_calls m
  set processing_reason = t.reason, processing_since = case when t.is_processing then t.at end,
    pending_result = case when t.is_processing then t.result end
  from told t
  where m.invocation_id = t.id and (m.partition = ledger_partition_of(t.owner) or m.partition is null);
  delete from pending_results r using unnest(awaited) w
  where r.invocation_id = w.id and (r.partition = ledger_partition_of(w.owner) or r.partition is null);
end $$;

-- What batches left behind: of each row the last one counts. Whoever else writes these rows has taken the lock of the
-- projection first.
create function ledger_project_state(ranges ledger_range[]) returns void language plpgsql
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_indexscan = off
  set enable_indexonlyscan = off as $$
begin
  update credentials c
  set calls_used = n.calls_used, spent = n.spent, held = n.held, interval_start = n.interval_start,
    rate_window = decode(n.rate_window, 'base64')
  from (
    select distinct on (s.id) s.* from unnest(ranges) b
    join ledger_log l on l.partition = b.partition and l.seq > b.after and l.seq <= b.upto
    cross join lateral json_populate_recordset(null::ledger_credential, l.credentials) s
    where l.credentials is not null order by s.id, l.seq desc) n
  where c.id = n.id;
  update spending_policies p
  set month_start = n.month_start, month_drawn = n.month_drawn, day_start = n.day_start, day_drawn = n.day_drawn
  from (
    select distinct on (s.owner) s.* from unnest(ranges) b
    join ledger_log l on l.partition = b.partition and l.seq > b.after and l.seq <= b.upto
    cross join lateral json_populate_recordset(null::ledger_policy, l.policies) s
    where l.policies is not null order by s.owner, l.seq desc) n
  where p.owner = n.owner;
  update accounts a set posted = n.posted, reserved = n.reserved, promotional = n.promotional
  from (
    select distinct on (s.owner) s.* from unnest(ranges) b
    join ledger_log l on l.partition = b.partition and l.seq > b.after and l.seq <= b.upto
    cross join lateral json_populate_recordset(null::ledger_account, l.accounts) s
    where l.accounts is not null order by s.owner, l.seq desc) n
  where a.id = 'consumer:' || n.owner;
end $$;

-- Projects all that there is, in a transaction of its own: for reads that shall see every call that was answered. The
-- log is on disk, so what is lost of this by a crash is projected again.
create function ledger_catch_up() returns integer language plpgsql as $$
declare
  behind smallint[];
begin
  select array_agg(p.partition order by p.partition) into behind
  from ledger_partitions p join ledger_projections j on j.partition = p.partition where p.head > j.projected;
  if behind is null then return 0; end if;
  perform set_config('synchronous_commit', 'off', true);
  return ledger_project(behind);
end $$;

-- Until the end of the transaction nobody appends to the partitions of these owners, and their rows are what the log
-- says. To be taken before any other lock.
create function ledger_lock(owners text[]) returns void language plpgsql as $$
declare
  wanted smallint[] := array(select distinct ledger_partition_of(owner) from unnest(owners) as owner order by 1);
begin
  perform 1 from unnest(wanted) as w (partition) join ledger_partitions p on p.partition = w.partition
  order by p.partition for update of p;
  perform ledger_project(wanted);
end $$;

-- Appends that rows of an owner were written by this transaction: every gateway forgets what it remembers of the owner.
create function ledger_record(owner text, change json) returns void language plpgsql as $$
declare
  own constant smallint := ledger_partition_of(owner);
  writer constant text := 'transaction ' || pg_current_xact_id()::text;
  next_seq bigint;
  next_hash bytea;
begin
  perform ledger_lock(array[owner]);
  update ledger_partitions p
  set head = p.head + 1,
    hash = ledger_hash(p.hash, own, p.head + 1, writer, null, null, null, null, null, null, change::text)
  where p.partition = own returning p.head, p.hash into next_seq, next_hash;
  insert into ledger_log (partition, seq, writer, changed, hash) values (own, next_seq, writer, change, next_hash);
  update ledger_projections j set projected = next_seq where j.partition = own;
end $$;

-- Whoever writes what calls are decided on, be it a deposit, a changed limit or a repair by hand, says so in the log. The
-- log is looked at only if some of it is not projected, and only from there on: the two in one statement may be planned to
-- read the partition from its beginning.
create function record_change() returns trigger language plpgsql set enable_seqscan = off as $$
declare
  counters constant text[] := array[
    'posted', 'reserved', 'promotional', 'calls_used', 'spent', 'held', 'interval_start', 'rate_window', 'month_start',
    'month_drawn', 'day_start', 'day_drawn'];
  written constant json := row_to_json(coalesce(new, old));
  owner text := written ->> 'owner';
  own smallint;
  after bigint;
begin
  if tg_table_name = 'accounts' then
    owner := substring(written ->> 'id' from '^consumer:(.*)$');
  elsif tg_table_name = 'open_calls' then
    select i.owner into owner from invocations i where i.id = written ->> 'invocation_id';
  end if;
  if owner is null then return null; end if;
  if current_setting('application_name') = 'farebox-batches' then
    raise exception 'a gateway of an earlier version is running beside newer ones: stop it';
  end if;
  -- What is not projected yet would overwrite it.
  if tg_op = 'UPDATE' and to_jsonb(old) <> to_jsonb(new) and exists (
    select from unnest(counters) as counter where to_jsonb(old) -> counter is distinct from to_jsonb(new) -> counter
  ) then
    own := ledger_partition_of(owner);
    perform 1 from ledger_partitions p where p.partition = own for update;
    select j.projected into after from ledger_projections j where j.partition = own;
    if exists (
      select from ledger_log l where l.partition = own and l.seq > after
        and strpos(concat(l.credentials, l.policies, l.accounts), to_json(owner)::text) > 0
    ) then
      raise exception 'calls of % are not projected yet: nothing was written', owner
        using hint = format('Begin the transaction with: select ledger_lock(array[%L])', owner);
    end if;
  end if;
  perform ledger_record(owner, json_build_object('table', tg_table_name, 'owner', owner, 'row', written));
  return null;
end $$;
create trigger accounts_are_recorded after insert or update or delete on accounts for each row
  when (coalesce(current_setting('farebox.projecting', true), '') <> 'on') execute function record_change();
create trigger credentials_are_recorded after insert or update or delete on credentials for each row
  when (coalesce(current_setting('farebox.projecting', true), '') <> 'on') execute function record_change();
create trigger spending_policies_are_recorded after insert or update or delete on spending_policies for each row
  when (coalesce(current_setting('farebox.projecting', true), '') <> 'on') execute function record_change();
create trigger open_calls_are_recorded after insert or delete on open_calls for each row
  when (coalesce(current_setting('farebox.projecting', true), '') <> 'on') execute function record_change();
create trigger invocations_are_recorded after update of status on invocations for each row
  when (coalesce(current_setting('farebox.projecting', true), '') <> 'on') execute function record_change();

-- As in 0017, in the order of locks of everybody else: first the partition, then the policy.
create or replace function suspend_spending() returns trigger language plpgsql as $$
begin
  perform ledger_lock(array[new.address]);
  insert into spending_policies (owner, suspended_at) values (new.address, new.suspended_at)
  on conflict (owner) do update set suspended_at = excluded.suspended_at;
  return null;
end $$;
