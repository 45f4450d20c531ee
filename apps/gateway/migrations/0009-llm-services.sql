-- Services that are paid by the token. Prices in micro-USDC per million tokens, holds in micro-USDC, the hold buffer
-- in ten-thousandths (12000 is 1.2).
alter table services
  drop constraint services_service_kind_check,
  drop constraint services_price_model_check,
  add column input_price               bigint  check (input_price between 0 and 10000000000),
  add column output_price              bigint  check (output_price between 0 and 10000000000),
  add column default_max_output_tokens integer check (default_max_output_tokens between 1 and 10000000),
  add column max_auto_hold             bigint  check (max_auto_hold >= 0),
  add column hold_buffer_bps           integer check (hold_buffer_bps between 10000 and 100000),
  add column llm_dialect               text    check (llm_dialect in ('openai', 'anthropic')),
  -- Written into every forwarded body when it is there, so that the prices are those of one model.
  add column upstream_model            text    check (length(upstream_model) between 1 and 200),
  add constraint services_kind_check check (
    (service_kind = 'api' and price_model = 'fixed'
      and num_nonnulls(input_price, output_price, default_max_output_tokens, max_auto_hold, hold_buffer_bps,
                       llm_dialect, upstream_model) = 0)
    or (service_kind = 'llm' and price_model = 'token_metered' and price = 0 and method = 'POST'
      and num_nulls(input_price, output_price, default_max_output_tokens, max_auto_hold, hold_buffer_bps,
                    llm_dialect) = 0));

-- Lists by name, a page at a time, in the order of bytes whatever the database's own order is.
create index services_callable_by_name on services (agent_tool_name collate "C")
  where is_active and deleted_at is null and suspended_at is null;
