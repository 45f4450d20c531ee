-- The typical price of a model takes the highest price of its input: the provider states which tokens its cache read or
-- wrote, and a service with dear ones was found as the cheapest. Otherwise as in 0054.
create or replace function write_search(id text) returns void language plpgsql as $$
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
  beyond := concat_ws(' ', endpoints_of(id), roles_of(s.provider_profile),
                      case when s.service_kind = 'llm' then 'llm language model chat' end, s.llm_dialect, s.upstream_model,
                      s.model_family);
  insert into service_search as kept (service_id, version, is_listed, owner, agent_tool_name, service_kind, llm_dialect,
    tags, typical_price, names, topic, document, texts, written_by)
  values (id, s.version,
    s.is_active and s.deleted_at is null and s.suspended_at is null
      and exists (select from service_targets t where t.service_id = id and t.is_healthy),
    s.owner, s.agent_tool_name, s.service_kind, s.llm_dialect,
    array(select distinct lower(tag collate "und-x-icu") from unnest(s.tags) as tag),
    case s.service_kind when 'api' then s.price
      else (1000 * greatest(s.input_price, s.cache_read_price, s.cache_write_price) + 500 * s.output_price + 999999)
        / 1000000 end,
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
update service_search k
set typical_price = (1000 * greatest(s.input_price, s.cache_read_price, s.cache_write_price) + 500 * s.output_price + 999999)
  / 1000000
from services s where s.id = k.service_id and greatest(s.cache_read_price, s.cache_write_price) > s.input_price;

-- Calls that rate a service at its prices of now keep doing so.
update service_calls c set rated_price = greatest(s.input_price, s.cache_read_price, s.cache_write_price)
from services s where s.id = c.service_id and c.rated_price >= s.input_price
  and greatest(s.cache_read_price, s.cache_write_price) > c.rated_price;
