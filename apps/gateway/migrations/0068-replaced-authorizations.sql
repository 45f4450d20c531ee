-- A nonce is used once on one chain: after a reorganisation its payer may use it for another amount. The deposit before
-- it is then gone, and stays until it is reversed.
drop index vault_deposits_authorizations;
create unique index vault_deposits_authorizations on vault_deposits (chain_id, wallet, authorization_nonce)
  where authorization_nonce is not null and reversed_by is null and gone_at is null;
