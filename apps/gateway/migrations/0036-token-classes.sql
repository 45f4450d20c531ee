-- Cached input tokens have prices of their own: micro-USDC per million, null for the price of input.
alter table services
  add column cache_read_price  bigint check (cache_read_price between 0 and 10000000000),
  add column cache_write_price bigint check (cache_write_price between 0 and 10000000000),
  add constraint services_cache_kind_check
    check (service_kind = 'llm' or num_nonnulls(cache_read_price, cache_write_price) = 0) not valid;

-- What a call was quoted at, and what its provider said. Null in the calls of older gateways: no bound on the input,
-- nothing known of the cache. The check is not valid, so that a large table is not read under its lock.
alter table metered_calls
  add column cache_read_price   bigint,
  add column cache_write_price  bigint,
  -- Most input tokens that are charged.
  add column max_input_tokens   bigint,
  add column cache_read_tokens  bigint,
  add column cache_write_tokens bigint,
  -- The total that the provider stated, when it is not input and output together.
  add column stated_total       bigint,
  add constraint metered_calls_classes_check check (
    cache_read_price >= 0 and cache_write_price >= 0 and max_input_tokens > 0
    and cache_read_tokens >= 0 and cache_write_tokens >= 0
    and cache_read_tokens + cache_write_tokens <= input_tokens and stated_total >= 0) not valid;
