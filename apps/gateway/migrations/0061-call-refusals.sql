-- Calls that were refused before money was held, by credential, code and limit, in hours of UTC. Added up in memory and
-- written in bulk, so that a refusal costs no statement of its own.
create table call_refusals (
  owner         text        not null,
  hour          timestamptz not null,
  credential_id text        not null,
  code          text        not null,
  -- The `limit` of the error's detail; empty without one.
  limit_name    text        not null,
  refusals      bigint      not null check (refusals > 0),
  last_at       timestamptz not null,
  primary key (owner, hour, credential_id, code, limit_name)
);
create index call_refusals_by_age on call_refusals (hour);
