-- Gateways run as a role that does not own the schema. Its rights are granted after each migration, by what a table is
-- (apps/gateway/src/adapters/runtime-grants.ts): one whose trigger refuses changes takes inserts alone.

create trigger credential_audit_is_append_only before update or delete or truncate on credential_audit
  for each statement execute function refuse_change();
create trigger provider_secret_audit_is_append_only before update or delete or truncate on provider_secret_audit
  for each statement execute function refuse_change();

-- Summarises the ranges of the indexes by age that are new, which only their owner may do.
create function summarise_ages() returns void language plpgsql security definer set search_path from current as $$
begin
  perform brin_summarize_new_values('entries_by_age'), brin_summarize_new_values('invocations_by_age');
end
$$;

-- A known text, sealed with the ENCRYPTION_KEY of this database: a gateway opens it before it writes anything.
create table key_checks (
  id      text        primary key check (id = 'ENCRYPTION_KEY'),
  sealed  text        not null,
  made_at timestamptz not null default now()
);
