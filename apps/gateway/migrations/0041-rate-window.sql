-- The requests of the last minute of a token; see apps/gateway/src/rate-window.ts for its form. The theoretical arrival
-- time that stood for them before is no longer read.
alter table credentials add column rate_window bytea not null default '';
alter table provider_secrets add column rate_window bytea not null default '';
