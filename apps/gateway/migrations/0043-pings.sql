-- Probes at an owner's word in the last minute, by service and by host of a target; see apps/gateway/src/rate-window.ts for
-- the form of a window. All gateways count in these rows.
create table ping_windows (
  -- `service svc_...` or `host name:port`.
  key         text        primary key,
  rate_window bytea       not null default '',
  used_at     timestamptz not null default now()
);
create index ping_windows_by_age on ping_windows (used_at);
