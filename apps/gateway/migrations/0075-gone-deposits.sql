-- Whether a payment is credited is asked many times a second. Those that a reorganisation took away are few.
create index vault_deposits_gone on vault_deposits (chain_id) where gone_at is not null and reversed_by is null;
