-- What the vault held at the block that a check compared, and what the books say it held then; null when the chain was not
-- compared. Tickets need a check that found nothing and compared the chain, and is not old. `owed`: to wallets, now.
alter table reconciliations
  add column vault_block bigint,
  add column vault_held  bigint,
  add column vault_due   bigint,
  add column owed        bigint,
  -- Whether an invariant of the books alone was broken, so that all of them are to be checked again.
  add column is_broken   boolean not null default false,
  add constraint comparisons_are_whole
    check ((vault_block is null) = (vault_held is null) and (vault_block is null) = (vault_due is null));
update reconciliations set is_broken = not consistent;
create index reconciliations_clean on reconciliations (id) where consistent and vault_block is not null;

-- What a vault holds beyond the books: transfers that were no deposits. It never leaves the vault, so less than `counted`
-- is a shortfall, whatever strangers have sent. `seen` is the surplus of the last comparison; it counts once a later one
-- has seen it, too. `recorded` is the sum of all deposits up to `block_number` as they were known then: those that were
-- found later explain as much of it.
create table vault_surpluses (
  chain_id     bigint not null,
  vault        text   not null,
  block_number bigint not null,
  seen         bigint not null check (seen >= 0),
  counted      bigint not null check (counted >= 0),
  recorded     bigint not null,
  primary key (chain_id, vault)
);
