-- How far the log was compared with what is projected of it, for a checkpoint of the books (docs/adr/0013).

-- When the log began: every call drawn since then has its event.
create table ledger_origin (
  is_only  boolean     primary key default true check (is_only),
  began_at timestamptz not null default clock_timestamp()
);
insert into ledger_origin default values;
create trigger ledger_origin_is_append_only before update or delete or truncate on ledger_origin
  for each statement execute function refuse_change();

create table ledger_marks (
  checkpoint bigint      not null,
  partition  smallint    not null,
  -- The last row that was compared, and the hash that it had.
  seq        bigint      not null,
  hash       bytea       not null check (length(hash) = 32),
  -- Calls drawn before this time were looked for in the log. No row up to `drawn_seq` is about one drawn later.
  drawn_from timestamptz not null,
  drawn_seq  bigint      not null,
  primary key (checkpoint, partition)
);

-- What the log said last, up to the mark, of accounts of consumers, credentials and policies.
create table ledger_states (
  checkpoint   bigint  not null,
  kind         text    not null check (kind in ('account', 'credential', 'policy')),
  id           text    not null,
  state        jsonb   not null,
  -- Said by a transaction other than a batch of calls.
  is_rewritten boolean not null,
  primary key (checkpoint, kind, id)
);
