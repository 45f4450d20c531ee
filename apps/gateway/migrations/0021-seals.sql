-- Proof of the books (docs/adr/0009, docs/proof.md): seals over the entries, and trees over what wallets are owed.

-- An entry as it is hashed: its columns line by line. Only the reference, the last, may be any text, so no other entry
-- has the same. Programs outside of the database write it, too; it never changes.
create function entry_text(e entries) returns text language sql stable as $$
  select concat_ws(E'\n', e.id, e.kind, e.account, e.amount,
    to_char(e.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), e.reference)
$$;

-- Root of the Merkle tree (RFC 6962, RFC 9162) over hashes of leaves, 32 bytes each, one behind the other.
create function merkle_root(leaves bytea) returns bytea language plpgsql immutable as $$
declare
  level bytea := leaves;
begin
  if length(level) = 0 then return sha256(''); end if;
  while length(level) > 32 loop
    -- Pairs from the left; a last one without another goes up as it is.
    select string_agg(case when length(level) < 64 * i + 64 then substr(level, 64 * i + 1)
                           else sha256('\x01'::bytea || substr(level, 64 * i + 1, 64)) end, ''::bytea order by i)
    into level from generate_series(0, (length(level) - 1) / 64) as i;
  end loop;
  return level;
end $$;

-- Each seal is over the entries above `after_entry` up to `last_entry`, in the order of their ids, and over the seal
-- before it. `after_entry` is the last one of the seal before.
create table seals (
  number      bigint      primary key check (number > 0),
  after_entry bigint      not null,
  last_entry  bigint      not null check (last_entry > after_entry),
  entries     integer     not null check (entries > 0),
  root        bytea       not null check (length(root) = 32),
  previous    bytea       not null check (length(previous) = 32),
  hash        bytea       not null check (length(hash) = 32),
  sealed_at   timestamptz not null
);
create trigger seals_are_append_only before update or delete or truncate on seals
  for each statement execute function refuse_change();

-- How far the seals have been compared with the entries, for a checkpoint, and the hash that this seal had.
alter table book_checkpoints
  add column seal_number bigint not null default 0,
  add column seal_hash   bytea  not null default decode(repeat('00', 32), 'hex');

-- Merkle sum trees over what wallets are owed. Nothing in them changes any more; old ones are deleted.
create table liability_trees (
  id            bigint      generated always as identity primary key,
  root          bytea       not null check (length(root) = 32),
  -- Of it and a wallet its salt is made.
  secret        bytea       not null check (length(secret) = 32),
  wallets       bigint      not null,
  consumers     bigint      not null check (consumers >= 0),
  providers     bigint      not null check (providers >= 0),
  platform      bigint      not null,
  -- Of the part of providers: locked for withdrawals, which the vault may have paid already.
  locked        bigint      not null,
  -- Every entry up to this one is in it, so it holds while no id after this one has been given out; null: not known.
  entry_id      bigint,
  -- Wallets are parted into so many, by a hash of theirs, so that no statement has to read all of them.
  slices        integer     not null,
  -- What the vault held, as of a block; null while the chain was out of reach.
  block_number  bigint,
  vault_balance bigint,
  -- When it was true last: renewed for as long as no entry comes.
  as_of         timestamptz not null,
  made_at       timestamptz not null default clock_timestamp()
);

-- The nodes of a tree that have 256 below them or are leaves, 256 to a row: hashes one behind the other, and their sums.
-- What lies between is made of them when it is asked for. Leaves are in the order of their salts, slice by slice.
create table liability_parts (
  tree     bigint   not null,
  level    integer  not null,
  part     integer  not null,
  hashes   bytea    not null,
  sums     bigint[] not null,
  -- Of leaves: their slice, and the salt of the first.
  slice    integer,
  salt     bytea,
  primary key (tree, level, part)
);
create index liability_parts_by_salt on liability_parts (tree, slice, salt) where level = 0;

create function liability_slice(wallet text, slices integer) returns integer language sql immutable as $$
  select hashtext(wallet) & (slices - 1)
$$;
-- Hashes do not become smaller.
alter table liability_parts alter column hashes set storage external;

-- A leaf as it is hashed.
create function liability_text(wallet text, salt bytea, balance bigint) returns text language sql immutable as $$
  select concat_ws(E'\n', wallet, '0x' || encode(salt, 'hex'), balance)
$$;

-- The node above some nodes: its hash and its sum.
create function liability_node(hashes bytea, sums bigint[], out hash bytea, out sum bigint) language plpgsql immutable
as $$
begin
  hash := hashes;
  while cardinality(sums) > 1 loop
    select
      string_agg(
        case when cardinality(sums) < 2 * i + 2 then substr(hash, 64 * i + 1)
             else sha256('\x01'::bytea || substr(hash, 64 * i + 1, 32) || int8send(sums[2 * i + 1])
                                       || substr(hash, 64 * i + 33, 32) || int8send(sums[2 * i + 2])) end,
        ''::bytea order by i),
      array_agg(sums[2 * i + 1] + coalesce(sums[2 * i + 2], 0) order by i)
    into hash, sums from generate_series(0, (cardinality(sums) - 1) / 2) as i;
  end loop;
  sum := sums[1];
end $$;
