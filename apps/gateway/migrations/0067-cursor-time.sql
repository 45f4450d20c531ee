-- Unix time of the block that the cursor is at; null: not moved since this is kept. On a fast chain many blocks are few
-- seconds.
alter table vault_cursors add column block_time bigint check (block_time >= 0);
