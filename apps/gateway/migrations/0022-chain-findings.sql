-- Disagreements between the chain and the books that a person must settle. While one is open, no withdrawal ticket is
-- issued and every check of the books reports it. `subject` names what disagrees (a redemption, a deposit, a setting),
-- so that the same disagreement is recorded once however often it is seen.
create table chain_findings (
  id          bigint generated always as identity primary key,
  kind        text        not null,
  subject     text        not null,
  -- What a reader needs to act: hashes, nonces, wallets, amounts in USDC, heights. Nothing secret.
  detail      jsonb       not null,
  found_at    timestamptz not null default now(),
  resolved_at timestamptz,
  -- How it ended: 'gone' when the chain and the books agree again by themselves, otherwise the act of an admin.
  resolution  text,
  constraint resolved_findings_say_how check ((resolved_at is null) = (resolution is null))
);
create unique index chain_findings_open on chain_findings (kind, subject) where resolved_at is null;
