-- The one chain and vault whose deposits are credited in this database and whose tickets are signed for it: stored at the
-- first start, compared at every other, moved by `npm run rebind` only.
create table vault_binding (
  is_only        boolean     primary key default true check (is_only),
  chain_id       bigint      not null,
  vault          text        not null check (vault ~ '^0x[0-9a-f]{40}$'),
  token          text        not null check (token ~ '^0x[0-9a-f]{40}$'),
  token_decimals smallint    not null check (token_decimals = 6),
  bound_at       timestamptz not null default now()
);

-- The vault that a ticket was signed for, and by whose key. Until now a database had one vault as a rule: the one that
-- was followed last. The keys that signed so far are not known.
alter table withdrawals
  add column chain_id bigint,
  add column vault    text check (vault ~ '^0x[0-9a-f]{40}$'),
  add column signer   text check (signer ~ '^0x[0-9a-f]{40}$');
update withdrawals set chain_id = followed.chain_id, vault = followed.vault
  from (select chain_id, vault from vault_cursors order by lease_until desc, block_number desc limit 1) as followed
  where deadline is not null;
alter table withdrawals add constraint tickets_name_their_vault
  check ((deadline is null) = (vault is null) and (chain_id is null) = (vault is null));
