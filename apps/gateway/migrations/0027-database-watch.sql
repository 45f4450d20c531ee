-- The PostgreSQL that the gateways last saw these books on, and since when the books are known to be up to date with
-- the chain. A restored backup, a copy of the data directory that is put back and a failover each change one of the two
-- first columns; until the vault has been followed past the head of that moment, no withdrawal ticket is issued.
create table database_watch (
  is_only      boolean     primary key default true check (is_only),
  -- System identifier and timeline, 'system:timeline'. A restore or a failover changes it, a restart does not.
  cluster      text        not null,
  -- When that server was started.
  started_at   timestamptz not null,
  noticed_at   timestamptz not null default now(),
  -- Tickets wait until this block has been followed and a confirmed block is later than this second of chain time.
  until_block  bigint      not null,
  until_time   bigint      not null,
  -- When that was reached; '-infinity' when there was nothing to wait for.
  caught_up_at timestamptz
);

-- When a gateway last found nothing more to read of the vault.
alter table vault_cursors add column followed_at timestamptz;
