-- What a wallet has told of itself beyond its name, one row from the first time it does. Every change locks the row
-- of its wallet, so that sends and attempts that come side by side are counted one after the other.
create table profiles (
  wallet        text    primary key references wallets (address),
  notifications boolean not null default true,
  -- Proven by a code. Two wallets may have proven the same one.
  email         text    check (length(email) between 3 and 254),
  -- Verification mails of one UTC day, counted in days since 1970.
  sends_day     integer not null default 0,
  sends         integer not null default 0 check (sends between 0 and 5),

  -- A change of the email that waits for its code, and that code.
  staged_email    text check (length(staged_email) between 3 and 254),
  code_id         text unique,
  -- Keyed: of a plain digest of six digits the code would be found by trying all.
  code_digest     bytea check (octet_length(code_digest) = 32),
  code_attempts   integer not null default 0 check (code_attempts between 0 and 5),
  code_expires_at timestamptz,
  -- The code itself, encrypted, until it is mailed; and when its mail was last queued.
  sealed_code     text,
  code_queued_at  timestamptz,

  check (num_nulls(staged_email, code_id, code_digest, code_expires_at, code_queued_at) in (0, 5)),
  check (staged_email is not null or (code_attempts = 0 and sealed_code is null))
);
-- Codes that are still to be mailed: nearly always none.
create index profiles_by_mail_due on profiles (code_queued_at) where sealed_code is not null;

-- Verification mails to one address on one UTC day, whichever wallets asked for them. The address is there as a keyed
-- digest only: the table shall not tell whom strangers have written to.
create table mail_counts (
  recipient bytea   not null check (octet_length(recipient) = 32),
  day       integer not null,
  mails     integer not null check (mails > 0),
  primary key (recipient, day)
);
create index mail_counts_by_day on mail_counts (day);
