-- How often a provider secret may be used, for life, and until when. Null: no limit.
alter table provider_secrets
  add column max_calls bigint,
  add column calls_used bigint not null default 0,
  add column expires_at timestamptz;
