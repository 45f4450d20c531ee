-- Deposits against the chain: which vault counted them, which of them a reorganisation took away, and up to which height
-- the vault's own count agrees with what was read from it.
alter table vault_deposits
  add column vault       text,
  -- Set while the chain does not have a credited deposit any more.
  add column gone_at     timestamptz,
  -- The finding by whose settlement the credit was reversed.
  add column reversed_by bigint references chain_findings (id);
-- Until now a database had one vault as a rule: the one that was followed last.
update vault_deposits d set vault = (
  select c.vault from vault_cursors c where c.chain_id = d.chain_id order by c.lease_until desc, c.block_number desc limit 1);
create index vault_deposits_by_block on vault_deposits (chain_id, vault, block_number);

alter table vault_cursors
  -- Deposits that the vault had counted before the first block that is read; null until it is known.
  add column deposit_base bigint,
  -- The newest height at which the count agreed, and the count there; null: nowhere yet.
  add column agreed_block bigint,
  add column agreed_count bigint,
  -- Next block of a reading that looks for what is missing; null while none is under way.
  add column reread_block bigint;
