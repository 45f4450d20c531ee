-- A deposit is shown without its reversed events, which are few.
create index vault_deposits_reversed on vault_deposits (tx_hash) where reversed_by is not null;
