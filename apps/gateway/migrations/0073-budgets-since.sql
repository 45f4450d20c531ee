-- The time from which an owner's budgets are watched: what happened before is no alert.
alter table alert_settings add column budgets_since timestamptz not null default now();
alter table alert_settings alter column budgets_since set default clock_timestamp();

create or replace function watch_subscribed() returns trigger language plpgsql as $$
declare
  added text[] := array(select unnest(new.events) except select unnest(old.events));
begin
  if not added && '{balance.low,budget.reached,failure_rate.high}'::text[] then return null; end if;
  insert into alert_settings as s
    (owner, budget_percents, watches_balance, failure_percent, failure_calls_min, balance_seen)
  values (
    new.owner,
    case when 'budget.reached' = any(added) then '{80,100}' else '{}' end::smallint[],
    'balance.low' = any(added),
    case when 'failure_rate.high' = any(added) then 50 end,
    case when 'failure_rate.high' = any(added) then 20 end,
    coalesce((select a.posted from accounts a where a.id = 'consumer:' || new.owner), 0))
  on conflict (owner) do update
  set budget_percents = case when s.budget_percents = '{}' then excluded.budget_percents else s.budget_percents end,
    budgets_since = case when s.budget_percents = '{}' then excluded.budgets_since else s.budgets_since end,
    watches_balance = s.watches_balance or excluded.watches_balance,
    balance_seen = case when s.watches_balance then s.balance_seen else excluded.balance_seen end,
    balance_since = case when s.watches_balance then s.balance_since else excluded.balance_since end,
    failure_percent = coalesce(s.failure_percent, excluded.failure_percent),
    failure_calls_min = coalesce(s.failure_calls_min, excluded.failure_calls_min);
  return null;
end $$;
