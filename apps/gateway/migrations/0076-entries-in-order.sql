-- Entries of calls are numbered after the accounts are locked, as those of all other movements are: of two projections for
-- one provider, the one with the smaller numbers could commit last, and its entries appeared below those that a reader
-- had seen. Otherwise as in 0049.
create or replace function ledger_project_calls(ranges ledger_range[]) returns void language plpgsql as $$
declare
  earned ledger_earned[];
  ended_later ledger_ended[];
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
    select e.id, ledger_partition_of(e.owner) from ended e where e.hold = 0)
  select array_agg(row(id, amount, promotional)::ledger_earned order by id), (select array_agg(e) from ended_later e),
    (select array_agg(e) from ended e)
  into earned, ended_later, ended
  from (
    select 'provider:' || e.provider as id, sum(e.charge - e.fee)::bigint as amount,
      sum(least(e.promotional, e.charge - e.fee))::bigint as promotional
    from ended e where e.status = 'SUCCEEDED' group by e.provider
    union all
    select 'fees', sum(e.fee)::bigint, 0 from ended e where e.fee > 0 having sum(e.fee) > 0) sums;

  perform ledger_project_ended(ended_later);
  perform ledger_project_earned(earned);
  insert into entries (kind, reference, account, amount)
  select 'capture', e.id, s.account, s.amount
  from unnest(ended) e cross join lateral (
    values ('consumer:' || e.owner, -e.charge), ('provider:' || e.provider, e.charge - e.fee), ('fees', e.fee)
  ) as s (account, amount) where s.amount <> 0;
end $$;
