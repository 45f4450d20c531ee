-- What the targets of services answered, in hours of UTC: each attempt of a call counts. Added up in memory and written in
-- bulk, so that a call costs no statement of its own.
create table target_calls (
  provider        text        not null,
  hour            timestamptz not null,
  service_id      text        not null,
  url             text        not null,
  calls           bigint      not null check (calls > 0),
  succeeded       bigint      not null check (succeeded >= 0),
  provider_faults bigint      not null check (provider_faults >= 0),
  caller_faults   bigint      not null check (caller_faults >= 0),
  other_faults    bigint      not null check (other_faults >= 0),
  -- Charges less the fee, in micro-USDC, of the calls that ended with an answer of this target.
  earned          bigint      not null check (earned >= 0),
  -- Successful attempts by latency: four bands to a doubling, from one ms; without the empty ones at the end.
  latencies       bigint[]    not null,
  primary key (provider, hour, service_id, url)
);
create index target_calls_by_age on target_calls (hour);
