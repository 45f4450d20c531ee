-- What a call to a token-metered service adds to its invocation: inserted by the hold, finished by the settlement.
create table metered_calls (
  invocation_id     text     primary key,
  -- Micro-USDC per million tokens, as quoted: a later report is charged at these too.
  input_price       bigint   not null check (input_price >= 0),
  output_price      bigint   not null check (output_price >= 0),
  max_output_tokens bigint   not null check (max_output_tokens > 0),
  pre_auth_mode     text     not null check (pre_auth_mode in ('explicit', 'auto')),
  is_streamed       boolean  not null,
  -- Final usage, once it is known, and what it costs rounded up. Above what was charged, the rest is a shortfall.
  input_tokens      bigint   check (input_tokens >= 0),
  output_tokens     bigint   check (output_tokens >= 0),
  cost              bigint   check (cost >= 0),
  -- The provider secret that reported the usage; null when the answer itself said it.
  reported_by       text,
  -- While PROCESSING: since when the provider's usage is awaited (database time), why it is, and the answer that
  -- came without it.
  processing_since  timestamptz,
  processing_reason text,
  pending_result    text,
  check ((input_tokens is null) = (output_tokens is null) and (input_tokens is null) = (cost is null))
) with (fillfactor = 70);
create index metered_calls_processing on metered_calls (processing_since) where processing_since is not null;

-- The events of a streamed call as they were sent, for replays. Apart from the invocation, so that it can be pruned.
create table invocation_streams (
  invocation_id text    primary key,
  -- Raw deflate (RFC 1951).
  events        bytea   not null,
  -- Whether the provider's stream ended as it should.
  is_whole      boolean not null
);
