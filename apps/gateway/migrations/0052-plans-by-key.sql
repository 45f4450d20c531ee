-- Plans that find rows by their keys, as those of the projection do (0049).

-- An index whose second column is the key can be asked for the key, too, and is read from end to end. While a table is
-- empty all its indexes cost the same, and the youngest is taken: let that be the one by the key alone. Tables with
-- rows have different costs, and are left as they are.
do $$ begin
  if not exists (select from invocations) then
    alter table invocations drop constraint invocations_pkey;
    alter table invocations add primary key (id);
  end if;
  if not exists (select from credentials) then
    alter table credentials drop constraint credentials_pkey;
    alter table credentials add primary key (id);
  end if;
end $$;

-- Credentials that tokens open, by the digest of each: its current one, or the one before within its overlap. The array
-- comes by a subselect: if the planner saw how many digests there are, it would take a plan for a few of them to be
-- cheaper than the kept one, and plan anew at every execution.
create function find_token_holders(digests bytea[]) returns table (
  digest bytea, id text, owner text, name text, rpm integer, allowed_services text[], status text,
  max_cost_per_call bigint, is_expired boolean, is_suspended boolean, lasts_ms float8
) language plpgsql stable
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_indexscan = off
  set enable_indexonlyscan = off as $$
begin
  return query
    select asked.digest, c.id, c.owner, c.name, c.rpm, c.allowed_services, c.status, c.max_cost_per_call,
      coalesce(c.expires_at <= now(), false), w.suspended_at is not null,
      1000 * extract(epoch from
        least(c.expires_at, case when c.token_hash <> asked.digest then c.previous_expires_at end) - now())::float8
    from unnest((select digests)) as asked (digest)
    join credentials c on c.token_hash = asked.digest
      or (c.previous_token_hash = asked.digest and c.previous_expires_at > now())
    join wallets w on w.address = c.owner;
end $$;
