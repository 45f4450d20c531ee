-- Suspension of a wallet is said in wallets, and kept again in the row that every hold of its agents locks: so a call
-- that was let in by what a gateway remembers is refused all the same once the suspension is committed. The trigger
-- keeps the two together, whoever writes.
alter table spending_policies add column suspended_at timestamptz;

create function suspend_spending() returns trigger language plpgsql as $$
begin
  insert into spending_policies (owner, suspended_at) values (new.address, new.suspended_at)
  on conflict (owner) do update set suspended_at = excluded.suspended_at;
  return null;
end $$;
create trigger wallets_suspend_spending after update of suspended_at on wallets
  for each row when (old.suspended_at is distinct from new.suspended_at) execute function suspend_spending();

insert into spending_policies (owner, suspended_at)
select address, suspended_at from wallets where suspended_at is not null
on conflict (owner) do update set suspended_at = excluded.suspended_at;

-- The audit log is asked for what one admin did, and for what was done to one record.
create index admin_audit_by_actor on admin_audit (actor, id);
create index admin_audit_by_target on admin_audit (target, id);

-- Probes at scale (docs/adr/0006). Every probe is kept for an hour; for a week only those that are landmarks: the
-- first of a target, every change of what is found, and one in ten minutes. landmark_at: when a target last had one.
-- A record that is no probe tells what live traffic has found.
alter table health_probes add column is_landmark boolean not null default true;
alter table health_probes add column source text not null default 'probe' check (source in ('probe', 'traffic'));
create index health_probes_passing on health_probes (checked_at) where not is_landmark;
alter table service_targets add column landmark_at timestamptz;

-- Whether a service as a whole was up when its targets were last looked at; null before that. Targets of one service
-- that turn at the same time wait for its row, so that exactly one of them sees the service turn. It refers to no
-- service: the check of that would wait for whoever changes the service, who waits for the targets.
create table service_standings (
  service_id text        primary key,
  is_up      boolean,
  since      timestamptz not null default now()
);
insert into service_standings (service_id, is_up)
select service_id, bool_or(is_healthy) from service_targets group by service_id
having bool_or(last_probed_at is not null);
