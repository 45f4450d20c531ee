-- A deposit by a plain transfer of the token, made by an EIP-3009 authorization of its payer: the nonce of that
-- authorization. The vault does not count it. A token uses a nonce of a payer once, so a nonce is credited once, also
-- when a reorganisation moves it into another transaction.
alter table vault_deposits add column authorization_nonce text;
create unique index vault_deposits_authorizations on vault_deposits (chain_id, wallet, authorization_nonce)
  where authorization_nonce is not null and reversed_by is null;
