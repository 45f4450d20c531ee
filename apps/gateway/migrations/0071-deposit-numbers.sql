-- Deposits in the order in which they were recorded: `newest_deposit` of a comparison tells those found since from those
-- that were known, wherever a reorganisation has moved them. A surplus that deposits explain already is measured again.
alter table vault_deposits add column number bigint not null generated always as identity;
alter table vault_surpluses add column newest_deposit bigint;
update vault_surpluses s set newest_deposit = coalesce((select max(number) from vault_deposits), 0)
where s.recorded = (
  select coalesce(sum(amount), 0) from vault_deposits d
  where d.chain_id = s.chain_id and d.block_number <= s.block_number);
delete from vault_surpluses where newest_deposit is null;
alter table vault_surpluses alter column newest_deposit set not null, drop column recorded;
