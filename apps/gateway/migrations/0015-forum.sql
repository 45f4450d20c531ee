-- What people say (forum, feedback, support) and what they are given (vouchers).

create extension if not exists pg_trgm;

-- Topics of the forum. Those of the board `support` are for admins only: each support task has its topic there. Text is
-- kept as it was given. A topic that was taken down stays, hidden. Author null: nobody who is known, such as the sender
-- of an unsigned report.
create table forum_topics (
  id               text        primary key,
  category         text        not null check (category in ('general', 'providers', 'agents', 'announcements', 'support')),
  title            text        not null check (length(title) between 1 and 300),
  body             text        not null check (length(body) between 1 and 20000),
  author           text        references wallets (address),
  pinned           boolean     not null default false,
  locked           boolean     not null default false,
  reply_count      integer     not null default 0 check (reply_count >= 0),
  vote_count       integer     not null default 0 check (vote_count >= 0),
  created_at       timestamptz not null default clock_timestamp(),
  last_activity_at timestamptz not null default clock_timestamp(),
  hidden_at        timestamptz,
  search           tsvector    not null generated always as (to_tsvector('english', title || ' ' || body)) stored
);
-- Both orders of the list, of one board and of all that are public.
create index forum_topics_latest on forum_topics (category, pinned desc, last_activity_at desc, id desc)
  where hidden_at is null;
create index forum_topics_latest_public on forum_topics (pinned desc, last_activity_at desc, id desc)
  where hidden_at is null and category <> 'support';
create index forum_topics_top on forum_topics (category, vote_count desc, last_activity_at desc, id desc)
  where hidden_at is null;
create index forum_topics_top_public on forum_topics (vote_count desc, last_activity_at desc, id desc)
  where hidden_at is null and category <> 'support';
create index forum_topics_search on forum_topics using gin (search);
create index forum_topics_title on forum_topics using gin (title gin_trgm_ops);
create index forum_topics_by_author on forum_topics (author, created_at);

create table forum_replies (
  id         text        primary key,
  topic_id   text        not null references forum_topics (id),
  author     text        not null references wallets (address),
  body       text        not null check (length(body) between 1 and 20000),
  created_at timestamptz not null default clock_timestamp(),
  hidden_at  timestamptz
);
create index forum_replies_of_topic on forum_replies (topic_id, id) where hidden_at is null;
create index forum_replies_by_author on forum_replies (author, created_at);

-- One vote per wallet and topic: the key is what makes it one.
create table forum_votes (
  topic_id text not null references forum_topics (id),
  wallet   text not null references wallets (address),
  primary key (topic_id, wallet)
);

-- What support has to do. `report` is what the sender told beside the text of the topic: redacted already.
create table support_tasks (
  id         text        primary key,
  topic_id   text        not null unique references forum_topics (id),
  category   text        not null check (category in ('bug', 'billing', 'account', 'abuse')),
  report     jsonb       not null,
  status     text        not null default 'open' check (status in ('open', 'closed')),
  note       text,
  closed_by  text,
  closed_at  timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  constraint closed_tasks_say_by_whom check (
    (status = 'closed') = (closed_at is not null and closed_by is not null and note is not null))
);
create index support_tasks_by_status on support_tasks (status, id);

-- Reports, redacted before they come here. No address of a client is kept: reports are anonymous unless signed.
create table feedback_reports (
  id              text        primary key,
  wallet          text        references wallets (address),
  source          text        not null check (source in ('docs', 'console', 'api', 'agent')),
  sentiment       text        not null check (sentiment in ('helpful', 'not_helpful', 'neutral')),
  category        text        not null check (category in
    ('docs_issue', 'bug', 'billing', 'account', 'abuse', 'feature_request', 'other')),
  route           text,
  message         text        not null check (message <> ''),
  context         jsonb,
  redacted        boolean     not null,
  support_task_id text        references support_tasks (id),
  created_at      timestamptz not null default clock_timestamp()
);
create index feedback_reports_by_wallet on feedback_reports (wallet, created_at) where wallet is not null;

-- Vouchers, by the digest of their code: the code itself is shown once and kept nowhere.
create table vouchers (
  id              text        primary key,
  -- Those that were made together; it is the reference of what they were funded by.
  batch_id        text        not null,
  code_digest     bytea       not null unique check (length(code_digest) = 32),
  amount          bigint      not null check (amount > 0),
  redemptions_max integer     not null check (redemptions_max > 0),
  redeemed        integer     not null default 0,
  expires_at      timestamptz not null,
  created_by      text        not null references wallets (address),
  created_at      timestamptz not null default clock_timestamp(),
  constraint no_voucher_pays_more_often_than_promised check (redeemed between 0 and redemptions_max)
);
create index vouchers_open on vouchers (expires_at) where redeemed < redemptions_max;

-- Who was paid what: the id is the reference of the movement. Once per wallet, whoever asks at the same moment.
create table voucher_redemptions (
  id         text        primary key,
  voucher_id text        not null references vouchers (id),
  wallet     text        not null references wallets (address),
  amount     bigint      not null check (amount > 0),
  created_at timestamptz not null default clock_timestamp(),
  unique (voucher_id, wallet)
);

-- What vouchers may still pay out. The clock moves on while a transaction waits for its locks; the start of the
-- transaction would let a voucher that has lapsed meanwhile be paid with money that is promised to another by now.
create view voucher_obligations as
  select id, amount * (redemptions_max - redeemed) as amount from vouchers
  where redeemed < redemptions_max and expires_at > clock_timestamp();

-- Vouchers pay out of what promotions were funded with: no credit without money behind it.
alter table accounts add constraint promotions_are_not_overdrawn check (id <> 'promotions' or posted >= reserved);
