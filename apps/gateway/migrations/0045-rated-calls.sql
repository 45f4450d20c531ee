-- The calls that a service is rated by: charged ones (or failed ones that would have been) of wallets that have deposited
-- money and are not its provider's, at its price in force or above. good, bad and latency_ms go on counting all of them.
alter table service_calls
  add column rated_good         bigint           not null default 0 check (rated_good >= 0),
  add column rated_bad          bigint           not null default 0 check (rated_bad >= 0),
  add column rated_latency_ms   double precision not null default 0 check (rated_latency_ms >= 0),
  -- The least that they cost, in micro-USDC: a call, or a million input tokens; a million output tokens, or 0.
  add column rated_price        bigint           not null default 0,
  add column rated_output_price bigint           not null default 0;
-- Who made the calls of the last week, and at which price, is not known: they stand for what they were until it is over.
update service_calls c
set rated_good = c.good, rated_bad = c.bad, rated_latency_ms = c.latency_ms,
    rated_price = coalesce(s.input_price, s.price), rated_output_price = coalesce(s.output_price, 0)
from services s
where s.id = c.service_id and (s.price > 0 or s.input_price > 0 or s.output_price > 0);
