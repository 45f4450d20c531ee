-- What services are found by, kept by triggers: whoever writes services or their targets, these tables follow in the
-- same transaction, so that a registration is found at once and what was taken away is not.
create extension if not exists pg_trgm;

-- A text as it is searched for and found: small letters without accents, punctuation taken for spaces. The same
-- whatever the locale of the database is. rules in search-rules.ts fold queries the same way.
create function fold_text(given text) returns text language sql immutable parallel safe as $$
  select regexp_replace(
    regexp_replace(lower(normalize(given, nfkd) collate "und-x-icu"), '[\u0300-\u036f]', '', 'g'),
    '[\u0001-\u002f\u003a-\u0060\u007b-\u00bf\u2000-\u206f\u3000-\u303f]+', ' ', 'g')
$$;

-- The words of a text, and their English stems beside them.
create function words_of(given text) returns tsvector language sql immutable parallel safe as $$
  select to_tsvector('simple', fold_text(given)) || to_tsvector('english', fold_text(given))
$$;

-- A folded word to look for: as it is, or as the beginning of others; and by its English stem where that is another.
create function search_term(word text, is_prefix boolean) returns tsquery language sql immutable parallel safe as $$
  select case
    when ts_lexize('english_stem', word) = array[word] or ts_lexize('english_stem', word) = '{}'
      then to_tsquery('simple', quote_literal(word) || case when is_prefix then ':*' else '' end)
    else to_tsquery('simple', quote_literal(word) || case when is_prefix then ':*' else '' end)
      || to_tsquery('english', quote_literal(word))
  end
$$;

-- One row for each service, whether or not it is listed.
create table service_search (
  service_id      text     primary key references services (id) on delete cascade,
  -- services.version that the row was made of.
  version         bigint   not null,
  -- Whether callers find it, unless its owner is suspended: active, neither suspended nor deleted, a healthy target.
  is_listed       boolean  not null,
  owner           text     not null,
  agent_tool_name text     not null,
  service_kind    text     not null,
  llm_dialect     text,
  -- In small letters.
  tags            text[]   not null,
  -- What a typical call costs, in micro-USDC: a fixed price, or that of 1,000 tokens in and 500 out.
  typical_price   bigint   not null,
  -- Words of the names, and stems of tags and summary: what an order is made by.
  names           tsvector not null,
  topic           tsvector not null,
  -- All words: of names, tags, summary, description, hosts of targets and roles of the provider.
  document        tsvector not null,
  -- The same texts in small letters, for what has no words or is part of one.
  texts           text     not null,
  -- The transaction that wrote it last.
  written_by      xid8     not null
);
alter table service_search alter column names set storage main, alter column topic set storage main;
create index service_search_listed on service_search (service_id) where is_listed;
-- Every search reads the list of pending entries from end to end: 64 kB of it save a registration most of its writes,
-- and cost a search next to nothing, as 4 MB (the default) do not.
create index service_search_by_word on service_search using gin (document) with (gin_pending_list_limit = 64) where is_listed;
create index service_search_by_tag on service_search using gin (tags) with (gin_pending_list_limit = 64) where is_listed;
create index service_search_by_part on service_search using gin (texts gin_trgm_ops) with (gin_pending_list_limit = 64)
  where is_listed;

-- Every word of names, tags and summaries: what a misspelt one may have meant. Pruned by a job.
create table search_words (word text primary key);
create index search_words_by_part on search_words using gin (word gin_trgm_ops) with (gin_pending_list_limit = 64);

-- Goes up with every change of what is listed: what a gateway remembers of the catalogue holds as long as this stays.
create table catalogue (
  is_only    boolean primary key default true check (is_only),
  version    bigint  not null,
  changed_by xid8    not null
) with (fillfactor = 10);
insert into catalogue (version, changed_by) values (1, pg_current_xact_id());

-- Once for a transaction. All of it happens at the COMMIT, after everything that a transaction locks: the lock is short,
-- and nobody who has it waits for anything.
create function bump_catalogue() returns trigger language plpgsql as $$
begin
  update catalogue set version = version + 1, changed_by = pg_current_xact_id()
  where changed_by <> pg_current_xact_id();
  return null;
end $$;

-- Names of hosts of target URLs; never their paths and queries, which may hold keys.
create function hosts_of(id text) returns text language sql stable as $$
  select coalesce(string_agg(distinct substring(t.url from '^[a-z]+://(?:[^/?#@]*@)?([^/?#:]+|\[[^\]]*\])'), ' '), '')
  from service_targets t where t.service_id = id
$$;

-- `role` and `roles` of a provider profile: a text, or a list of them.
create function roles_of(profile jsonb) returns text language sql immutable as $$
  select coalesce(string_agg(role #>> '{}', ' '), '')
  from jsonb_path_query(jsonb_build_array(profile -> 'role', profile -> 'roles'), 'lax $[*][*]') as role
  where jsonb_typeof(role) = 'string'
$$;

-- Makes the row of a service anew. The row is locked first, so that of two changes at a time the later sees both.
create function write_search(id text) returns void language plpgsql as $$
declare
  s services;
  naming text;
  about text;
  beyond text;
begin
  perform from service_search where service_id = id and written_by <> pg_current_xact_id() for update;
  if not found and exists (select from service_search where service_id = id) then
    return; -- Written by this transaction already, at its end like now.
  end if;
  select * into s from services where services.id = write_search.id;
  -- Words within names count as well: `openWeather` is found by `weather`.
  naming := concat_ws(' ', s.service_name, regexp_replace(s.service_name, '([a-z0-9])([A-Z])', '\1 \2', 'g'),
                      s.agent_tool_name);
  about := array_to_string(s.tags, ' ');
  -- What a model is called by those who look for one, whatever its provider calls it.
  beyond := concat_ws(' ', hosts_of(id), roles_of(s.provider_profile),
                      case when s.service_kind = 'llm' then 'llm language model chat' end, s.llm_dialect, s.upstream_model);
  insert into service_search as kept (service_id, version, is_listed, owner, agent_tool_name, service_kind, llm_dialect,
    tags, typical_price, names, topic, document, texts, written_by)
  values (id, s.version,
    s.is_active and s.deleted_at is null and s.suspended_at is null
      and exists (select from service_targets t where t.service_id = id and t.is_healthy),
    s.owner, s.agent_tool_name, s.service_kind, s.llm_dialect,
    array(select distinct lower(tag collate "und-x-icu") from unnest(s.tags) as tag),
    case s.service_kind when 'api' then s.price
      else (1000 * s.input_price + 500 * s.output_price + 999999) / 1000000 end,
    strip(words_of(naming)), strip(to_tsvector('english', fold_text(concat_ws(' ', about, s.summary)))),
    strip(words_of(concat_ws(' ', naming, about, s.summary, s.description, beyond))),
    lower(concat_ws(E'\n', s.service_name, s.agent_tool_name, s.summary, s.description, array_to_string(s.tags, E'\n'),
                    beyond) collate "und-x-icu"),
    pg_current_xact_id())
  on conflict (service_id) do update set version = excluded.version, is_listed = excluded.is_listed,
    owner = excluded.owner, agent_tool_name = excluded.agent_tool_name, service_kind = excluded.service_kind,
    llm_dialect = excluded.llm_dialect, tags = excluded.tags, typical_price = excluded.typical_price,
    names = excluded.names, topic = excluded.topic, document = excluded.document, texts = excluded.texts, written_by = excluded.written_by;
  -- In one order: of two that add the same words, the second waits for the first and not for each other.
  insert into search_words (word)
  select distinct word from regexp_split_to_table(fold_text(concat_ws(' ', naming, about, s.summary)), ' ') as word
  where length(word) between 4 and 32 and word !~ '[0-9]' order by word
  on conflict do nothing;
end $$;

create function search_service() returns trigger language plpgsql as $$
begin
  perform write_search(new.id);
  return null;
end $$;
create function search_target() returns trigger language plpgsql as $$
begin
  perform write_search(coalesce(new.service_id, old.service_id));
  return null;
end $$;

-- At the COMMIT: by then a transaction has all locks on services and targets that it will ever take.
create constraint trigger services_search after insert or update on services
  deferrable initially deferred for each row execute function search_service();
create constraint trigger service_targets_search after insert or delete on service_targets
  deferrable initially deferred for each row execute function search_target();
-- Not at every probe.
create constraint trigger service_targets_search_health after update on service_targets
  deferrable initially deferred for each row when (old.is_healthy <> new.is_healthy) execute function search_target();

create constraint trigger service_search_insert after insert on service_search
  deferrable initially deferred for each row when (new.is_listed) execute function bump_catalogue();
create constraint trigger service_search_update after update on service_search
  deferrable initially deferred for each row when (old.is_listed or new.is_listed) execute function bump_catalogue();
-- Suspended owners are looked up at every search; there are few of them.
create index wallets_suspended on wallets (address) where suspended_at is not null;
create constraint trigger wallets_catalogue after insert or update of suspended_at on wallets
  deferrable initially deferred for each row when (new.suspended_at is not null) execute function bump_catalogue();
create constraint trigger wallets_catalogue_resumed after update of suspended_at on wallets
  deferrable initially deferred for each row
  when (old.suspended_at is not null and new.suspended_at is null) execute function bump_catalogue();

-- How paid calls of a service went, by day (UTC), kept for a week: only what says something of its provider.
create table service_calls (
  service_id text             not null,
  day        date             not null,
  good       bigint           not null check (good >= 0),
  bad        bigint           not null check (bad >= 0),
  -- Of the good ones, in ms.
  latency_ms double precision not null check (latency_ms >= 0),
  primary key (service_id, day)
) with (fillfactor = 70);
create index service_calls_by_day on service_calls (day);

-- What that amounts to now: newer days weigh more (rating-rules.ts). Made anew with every batch of calls, and as days
-- pass.
create table service_ratings (
  service_id   text             primary key,
  success_rate double precision not null check (success_rate between 0 and 1),
  -- Mean of the good ones; null when there was none.
  latency_ms   double precision,
  -- Whether there were calls enough to tell.
  is_rated     boolean          not null,
  -- Success rate as far as it can be relied on: few calls move it little.
  reliability  double precision not null check (reliability between 0 and 1),
  -- What texts that fit equally well are ordered by.
  quality      double precision not null check (quality between 0 and 1)
) with (fillfactor = 70);

select write_search(id) from services;
