-- Withdrawals of provider earnings. `nonce` is that of the vault ticket, derived from the id; the ticket itself is
-- there once it was issued. Amounts in micro-USDC, `deadline` in Unix seconds of chain time.
create table withdrawals (
  id             text        primary key,
  wallet         text        not null check (wallet ~ '^0x[0-9a-f]{40}$'),
  amount         bigint      not null check (amount > 0),
  status         text        not null check (status in
    ('PENDING_REVIEW', 'APPROVED_AUTO', 'APPROVED_MANUAL', 'COMPLETED', 'CANCELLED', 'REJECTED')),
  nonce          text        not null unique,
  deadline       bigint,
  signature      text,
  -- Head of the chain when the ticket was signed: it cannot have been redeemed before.
  issued_block   bigint,
  -- The transaction that is bound to this withdrawal. Its unique index decides between two that claim one.
  tx_hash        text        check (tx_hash ~ '^0x[0-9a-f]{64}$'),
  -- Where the vault paid it: 'transaction:log index', and the height. One transaction may redeem several tickets;
  -- it is bound to the first, the others have only this.
  redeemed_in    text        unique,
  redeemed_block bigint,
  review_reason  text,
  opened_at      timestamptz not null default now(),
  updated_at     timestamptz not null default now(),
  constraint tickets_are_whole check ((deadline is null) = (signature is null) and (deadline is null) = (issued_block is null)),
  constraint approved_withdrawals_have_a_ticket
    check (status not in ('APPROVED_AUTO', 'APPROVED_MANUAL', 'COMPLETED', 'CANCELLED') or deadline is not null),
  constraint completed_withdrawals_were_redeemed check ((status = 'COMPLETED') = (redeemed_in is not null)),
  constraint only_redeemed_withdrawals_bind_a_transaction check (tx_hash is null or redeemed_in is not null),
  constraint redemptions_have_a_height check ((redeemed_in is null) = (redeemed_block is null))
);
create unique index withdrawals_by_tx_hash on withdrawals (tx_hash) where tx_hash is not null;
create index withdrawals_by_wallet on withdrawals (wallet, id);
create index withdrawals_of_a_day on withdrawals (wallet, opened_at);
create index withdrawals_to_review on withdrawals (id) where status = 'PENDING_REVIEW';
create index withdrawals_with_open_ticket on withdrawals (deadline)
  where status in ('APPROVED_AUTO', 'APPROVED_MANUAL');
create index withdrawals_by_redemption on withdrawals (redeemed_block) where redeemed_block is not null;

-- What the open withdrawals explain of accounts.reserved, and all that explains it; reconcile compares.
create view withdrawal_reservations as
  select 'provider:' || wallet as account, amount, id as reference
  from withdrawals where status in ('PENDING_REVIEW', 'APPROVED_AUTO', 'APPROVED_MANUAL');
create view open_reservations as
  select * from invocation_reservations union all select * from withdrawal_reservations;

-- What providers have earned, call by call.
create view provider_earnings as
  select provider, service_id, charged - fee as earned, finished_at
  from invocations where status = 'SUCCEEDED';

-- Every act of an admin: who did what to which record, and how it looked before and after.
create table admin_audit (
  id     text        primary key,
  actor  text        not null,
  action text        not null,
  target text        not null,
  before jsonb       not null,
  after  jsonb       not null,
  reason text,
  at     timestamptz not null default now()
);
create trigger admin_audit_is_append_only before update or delete or truncate on admin_audit
  for each statement execute function refuse_change();
