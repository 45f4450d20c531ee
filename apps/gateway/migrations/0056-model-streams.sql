-- How long a stream may bring nothing, and take in all after its head; where a bound on the output goes that a caller
-- did not give.
alter table services
  add column stream_idle_timeout_ms integer not null default 60000
    check (stream_idle_timeout_ms between 1 and 300000),
  add column stream_max_ms integer not null default 600000 check (stream_max_ms between 1 and 3600000),
  add column output_limit_field text check (output_limit_field in ('max_tokens', 'max_completion_tokens'));

-- Embeddings have no output. What is stored already has some: nothing to look through.
alter table metered_calls
  drop constraint metered_calls_max_output_tokens_check,
  add constraint metered_calls_max_output_tokens_check check (max_output_tokens >= 0) not valid;
