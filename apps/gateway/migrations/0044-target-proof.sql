-- Whether every target of a service says in /.well-known/farebox.json that the service's wallet may point to it, as of the
-- registration or the last change of its targets.
alter table services add column targets_verified boolean not null default false;
create index services_verified on services (id) where targets_verified;
