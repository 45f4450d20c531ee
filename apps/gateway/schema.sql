-- The schema that the migrations make, as PostgreSQL describes it: npm run schema. Tables of the job queue are not listed.
-- Rights are those of the role that gateways run as.

CREATE EXTENSION pg_trgm;

CREATE TYPE ledger_account AS (
  owner text,
  posted bigint,
  reserved bigint,
  promotional bigint
);

CREATE TYPE ledger_awaited AS (
  id text,
  owner text,
  at timestamptz,
  latency_ms integer,
  attempts smallint,
  error_code text,
  reason text
);

CREATE TYPE ledger_credential AS (
  id text,
  calls_used bigint,
  spent bigint,
  held bigint,
  interval_start timestamptz,
  rate_window text
);

CREATE TYPE ledger_earned AS (
  id text,
  amount bigint,
  promotional bigint
);

CREATE TYPE ledger_ended AS (
  id text,
  owner text,
  provider text,
  status text,
  hold bigint,
  charge bigint,
  fee bigint,
  promotional bigint,
  at timestamptz,
  latency_ms integer,
  attempts smallint,
  error_code text,
  is_metered boolean,
  input_tokens bigint,
  output_tokens bigint,
  cost bigint,
  reported_by text,
  cache_read_tokens bigint,
  cache_write_tokens bigint,
  stated_total bigint
);

CREATE TYPE ledger_held AS (
  id text,
  credential text,
  key text,
  hash text,
  owner text,
  provider text,
  service text,
  hold bigint,
  at timestamptz,
  instance text,
  input_price bigint,
  output_price bigint,
  cache_read_price bigint,
  cache_write_price bigint,
  max_input_tokens bigint,
  max_output_tokens bigint,
  pre_auth_mode text,
  is_streamed boolean,
  fee_bps integer
);

CREATE TYPE ledger_policy AS (
  owner text,
  month_start timestamptz,
  month_drawn bigint,
  day_start timestamptz,
  day_drawn bigint
);

CREATE TYPE ledger_range AS (
  partition smallint,
  after bigint,
  upto bigint
);

CREATE TABLE account_sums (
  checkpoint bigint NOT NULL,
  account text NOT NULL,
  posted bigint NOT NULL,
  captured bigint NOT NULL,
  earned bigint NOT NULL,
  promoted bigint NOT NULL,
  CONSTRAINT account_sums_pkey PRIMARY KEY (checkpoint, account)
) WITH (fillfactor = 70);
GRANT SELECT, INSERT, UPDATE, DELETE ON account_sums TO farebox_gateway;

CREATE TABLE accounts (
  id text NOT NULL,
  posted bigint NOT NULL DEFAULT 0,
  reserved bigint NOT NULL DEFAULT 0,
  promotional bigint NOT NULL DEFAULT 0,
  CONSTRAINT accounts_pkey PRIMARY KEY (id),
  CONSTRAINT accounts_promotional_check CHECK (promotional >= 0),
  CONSTRAINT fees_are_not_overdrawn CHECK (id <> 'fees'::text OR posted >= reserved),
  CONSTRAINT losses_are_no_gain CHECK (id <> 'losses'::text OR posted <= 0),
  CONSTRAINT promotions_are_not_overdrawn CHECK (id <> 'promotions'::text OR posted >= reserved),
  CONSTRAINT reserved_is_not_negative CHECK (reserved >= 0),
  CONSTRAINT wallets_are_not_overdrawn CHECK (strpos(id, ':'::text) = 0 OR posted >= reserved)
) WITH (fillfactor = 50);
CREATE TRIGGER accounts_are_recorded AFTER INSERT OR DELETE OR UPDATE ON accounts FOR EACH ROW WHEN (COALESCE(current_setting('farebox.projecting'::text, true), ''::text) <> 'on'::text) EXECUTE FUNCTION record_change();
GRANT SELECT, INSERT, UPDATE ON accounts TO farebox_gateway;

CREATE TABLE admin_audit (
  id text NOT NULL,
  actor text NOT NULL,
  action text NOT NULL,
  target text NOT NULL,
  before jsonb NOT NULL,
  after jsonb NOT NULL,
  reason text,
  at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT admin_audit_pkey PRIMARY KEY (id)
);
CREATE INDEX admin_audit_by_actor ON admin_audit USING btree (actor, id);
CREATE INDEX admin_audit_by_target ON admin_audit USING btree (target, id);
CREATE TRIGGER admin_audit_is_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON admin_audit FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
GRANT SELECT, INSERT ON admin_audit TO farebox_gateway;

CREATE TABLE alert_calls (
  owner text NOT NULL,
  bucket timestamptz NOT NULL,
  calls bigint NOT NULL,
  failures bigint NOT NULL,
  CONSTRAINT alert_calls_pkey PRIMARY KEY (owner, bucket)
);
CREATE INDEX alert_calls_by_age ON alert_calls USING btree (bucket);
GRANT SELECT, INSERT, UPDATE, DELETE ON alert_calls TO farebox_gateway;

CREATE TABLE alert_cursor (
  id boolean NOT NULL DEFAULT true,
  positions bigint[] NOT NULL,
  refusals_until timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT alert_cursor_pkey PRIMARY KEY (id),
  CONSTRAINT alert_cursor_id_check CHECK (id)
);
GRANT SELECT, INSERT, UPDATE ON alert_cursor TO farebox_gateway;

CREATE TABLE alert_mails (
  id text NOT NULL,
  owner text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  queued_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  is_done boolean NOT NULL DEFAULT false,
  CONSTRAINT alert_mails_pkey PRIMARY KEY (id)
);
CREATE INDEX alert_mails_by_age ON alert_mails USING btree (created_at);
CREATE INDEX alert_mails_by_owner ON alert_mails USING btree (owner, created_at);
CREATE INDEX alert_mails_waiting ON alert_mails USING btree (queued_at) WHERE NOT is_done;
GRANT SELECT, INSERT, UPDATE, DELETE ON alert_mails TO farebox_gateway;

CREATE TABLE alert_settings (
  owner text NOT NULL,
  budget_percents smallint[] NOT NULL DEFAULT '{}'::smallint[],
  watches_balance boolean NOT NULL DEFAULT false,
  balance_below bigint,
  failure_percent smallint,
  failure_calls_min integer,
  by_email boolean NOT NULL DEFAULT false,
  by_webhook boolean NOT NULL DEFAULT true,
  updated_at timestamptz NOT NULL DEFAULT now(),
  balance_seen bigint NOT NULL DEFAULT 0,
  balance_since timestamptz NOT NULL DEFAULT clock_timestamp(),
  is_failing boolean NOT NULL DEFAULT false,
  budgets_since timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT alert_settings_pkey PRIMARY KEY (owner),
  CONSTRAINT alert_settings_owner_fkey FOREIGN KEY (owner) REFERENCES wallets(address),
  CONSTRAINT alert_settings_balance_below_check CHECK (balance_below > 0),
  CONSTRAINT alert_settings_budget_percents_check CHECK (budget_percents <@ '{80,100}'::smallint[]),
  CONSTRAINT alert_settings_check CHECK (num_nulls(failure_percent, failure_calls_min) = ANY (ARRAY[0, 2])),
  CONSTRAINT alert_settings_failure_calls_min_check CHECK (failure_calls_min > 0),
  CONSTRAINT alert_settings_failure_percent_check CHECK (failure_percent >= 1 AND failure_percent <= 100)
);
GRANT SELECT, INSERT, UPDATE ON alert_settings TO farebox_gateway;

CREATE TABLE alerts (
  owner text NOT NULL,
  id text NOT NULL,
  type text NOT NULL,
  data json NOT NULL,
  once_key text,
  is_lasting boolean NOT NULL,
  mail_id text,
  fired_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT alerts_pkey PRIMARY KEY (owner, id)
);
CREATE INDEX alerts_by_age ON alerts USING btree (fired_at) WHERE NOT is_lasting;
CREATE INDEX alerts_by_mail ON alerts USING btree (mail_id) WHERE mail_id IS NOT NULL;
CREATE UNIQUE INDEX alerts_once ON alerts USING btree (owner, once_key) WHERE once_key IS NOT NULL;
GRANT SELECT, INSERT, UPDATE, DELETE ON alerts TO farebox_gateway;

CREATE TABLE book_checkpoints (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  is_live boolean NOT NULL DEFAULT false,
  is_slow boolean NOT NULL DEFAULT false,
  entry_id bigint NOT NULL DEFAULT 0,
  drawn_before timestamptz NOT NULL DEFAULT '-infinity'::timestamp with time zone,
  swept_to text DEFAULT ''::text,
  entry_sum bigint NOT NULL DEFAULT 0,
  fee_sum bigint NOT NULL DEFAULT 0,
  cut_movements jsonb NOT NULL DEFAULT '[]'::jsonb,
  findings jsonb NOT NULL DEFAULT '[]'::jsonb,
  since_xid xid8 NOT NULL DEFAULT '0'::xid8,
  first_call text NOT NULL DEFAULT ''::text,
  made_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  worked_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  seal_number bigint NOT NULL DEFAULT 0,
  seal_hash bytea NOT NULL DEFAULT decode(repeat('00'::text, 32), 'hex'::text),
  CONSTRAINT book_checkpoints_pkey PRIMARY KEY (id)
) WITH (fillfactor = 50);
CREATE UNIQUE INDEX book_checkpoints_live ON book_checkpoints USING btree (is_live) WHERE is_live;
GRANT SELECT, INSERT, UPDATE, DELETE ON book_checkpoints TO farebox_gateway;

CREATE TABLE call_refusals (
  owner text NOT NULL,
  hour timestamptz NOT NULL,
  credential_id text NOT NULL,
  code text NOT NULL,
  limit_name text NOT NULL,
  refusals bigint NOT NULL,
  last_at timestamptz NOT NULL,
  CONSTRAINT call_refusals_pkey PRIMARY KEY (owner, hour, credential_id, code, limit_name),
  CONSTRAINT call_refusals_refusals_check CHECK (refusals > 0)
);
CREATE INDEX call_refusals_by_age ON call_refusals USING btree (hour);
GRANT SELECT, INSERT, UPDATE, DELETE ON call_refusals TO farebox_gateway;

CREATE TABLE carried_calls (
  checkpoint bigint NOT NULL,
  invocation_id text NOT NULL,
  owner text NOT NULL,
  provider text NOT NULL,
  CONSTRAINT carried_calls_pkey PRIMARY KEY (checkpoint, invocation_id)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON carried_calls TO farebox_gateway;

CREATE TABLE catalogue (
  is_only boolean NOT NULL DEFAULT true,
  version bigint NOT NULL,
  changed_by xid8 NOT NULL,
  CONSTRAINT catalogue_pkey PRIMARY KEY (is_only),
  CONSTRAINT catalogue_is_only_check CHECK (is_only)
) WITH (fillfactor = 10);
GRANT SELECT, INSERT, UPDATE ON catalogue TO farebox_gateway;

CREATE TABLE chain_findings (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  kind text NOT NULL,
  subject text NOT NULL,
  detail jsonb NOT NULL,
  found_at timestamptz NOT NULL DEFAULT now(),
  resolved_at timestamptz,
  resolution text,
  CONSTRAINT chain_findings_pkey PRIMARY KEY (id),
  CONSTRAINT resolved_findings_say_how CHECK ((resolved_at IS NULL) = (resolution IS NULL))
);
CREATE UNIQUE INDEX chain_findings_open ON chain_findings USING btree (kind, subject) WHERE resolved_at IS NULL;
GRANT SELECT, INSERT, UPDATE ON chain_findings TO farebox_gateway;

CREATE TABLE challenges (
  digest bytea NOT NULL,
  address text NOT NULL,
  kind text NOT NULL,
  expires_at timestamptz NOT NULL,
  CONSTRAINT challenges_pkey PRIMARY KEY (digest),
  CONSTRAINT challenges_kind_check CHECK (kind = ANY (ARRAY['login'::text, 'profile'::text]))
);
CREATE INDEX challenges_by_expiry ON challenges USING btree (expires_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON challenges TO farebox_gateway;

CREATE UNLOGGED TABLE client_rates (
  policy text NOT NULL,
  client bytea NOT NULL,
  level double precision NOT NULL,
  at timestamptz NOT NULL,
  CONSTRAINT client_rates_pkey PRIMARY KEY (policy, client),
  CONSTRAINT client_rates_client_check CHECK (length(client) = 32)
);
CREATE INDEX client_rates_by_age ON client_rates USING btree (at);
GRANT SELECT, INSERT, UPDATE, DELETE ON client_rates TO farebox_gateway;

CREATE TABLE credential_audit (
  id text NOT NULL,
  owner text NOT NULL,
  credential_id text,
  action text NOT NULL,
  actor text NOT NULL,
  detail jsonb NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT credential_audit_pkey PRIMARY KEY (id)
);
CREATE INDEX credential_audit_by_owner ON credential_audit USING btree (owner, id);
CREATE TRIGGER credential_audit_is_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON credential_audit FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
GRANT SELECT, INSERT ON credential_audit TO farebox_gateway;

CREATE TABLE credential_sums (
  checkpoint bigint NOT NULL,
  credential_id text NOT NULL,
  calls bigint NOT NULL,
  spent bigint,
  since timestamptz NOT NULL,
  newest timestamptz NOT NULL,
  CONSTRAINT credential_sums_pkey PRIMARY KEY (checkpoint, credential_id)
) WITH (fillfactor = 70);
GRANT SELECT, INSERT, UPDATE, DELETE ON credential_sums TO farebox_gateway;

CREATE TABLE credentials (
  id text NOT NULL,
  owner text NOT NULL,
  name text NOT NULL,
  token_hash bytea NOT NULL,
  previous_token_hash bytea,
  previous_expires_at timestamptz,
  status text NOT NULL DEFAULT 'active'::text,
  max_calls bigint,
  credit_limit bigint,
  rpm integer NOT NULL,
  reset_interval text NOT NULL,
  allowed_services text[],
  expires_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  calls_used bigint NOT NULL DEFAULT 0,
  spent bigint NOT NULL DEFAULT 0,
  held bigint NOT NULL DEFAULT 0,
  interval_start timestamptz NOT NULL,
  rate_tat bigint NOT NULL DEFAULT 0,
  rate_window bytea NOT NULL DEFAULT '\x'::bytea,
  max_cost_per_call bigint,
  CONSTRAINT credentials_pkey PRIMARY KEY (id),
  CONSTRAINT credentials_previous_token_hash_key UNIQUE (previous_token_hash),
  CONSTRAINT credentials_token_hash_key UNIQUE (token_hash),
  CONSTRAINT credentials_owner_fkey FOREIGN KEY (owner) REFERENCES wallets(address),
  CONSTRAINT credentials_calls_used_check CHECK (calls_used >= 0),
  CONSTRAINT credentials_credit_limit_check CHECK (credit_limit >= 0),
  CONSTRAINT credentials_held_check CHECK (held >= 0),
  CONSTRAINT credentials_max_calls_check CHECK (max_calls > 0),
  CONSTRAINT credentials_reset_interval_check CHECK (reset_interval = ANY (ARRAY['hourly'::text, 'daily'::text, 'weekly'::text, 'monthly'::text, 'never'::text])),
  CONSTRAINT credentials_rpm_check CHECK (rpm >= 1 AND rpm <= 10000000),
  CONSTRAINT credentials_spent_check CHECK (spent >= 0),
  CONSTRAINT credentials_status_check CHECK (status = ANY (ARRAY['active'::text, 'revoked'::text, 'deleted'::text]))
) WITH (fillfactor = 50);
CREATE INDEX credentials_by_allowed_service ON credentials USING gin (allowed_services) WHERE allowed_services IS NOT NULL;
CREATE INDEX credentials_by_owner ON credentials USING btree (owner, id);
CREATE TRIGGER credentials_are_recorded AFTER INSERT OR DELETE OR UPDATE ON credentials FOR EACH ROW WHEN (COALESCE(current_setting('farebox.projecting'::text, true), ''::text) <> 'on'::text) EXECUTE FUNCTION record_change();
GRANT SELECT, INSERT, UPDATE ON credentials TO farebox_gateway;

CREATE TABLE database_watch (
  is_only boolean NOT NULL DEFAULT true,
  cluster text NOT NULL,
  started_at timestamptz NOT NULL,
  noticed_at timestamptz NOT NULL DEFAULT now(),
  until_block bigint NOT NULL,
  until_time bigint NOT NULL,
  caught_up_at timestamptz,
  CONSTRAINT database_watch_pkey PRIMARY KEY (is_only),
  CONSTRAINT database_watch_is_only_check CHECK (is_only)
);
GRANT SELECT, INSERT, UPDATE ON database_watch TO farebox_gateway;

CREATE TABLE deposits (
  id text NOT NULL,
  wallet text NOT NULL,
  tx_hash text NOT NULL,
  status text NOT NULL,
  claimed bigint,
  credited bigint,
  log_index integer,
  confirmations integer NOT NULL DEFAULT 0,
  reason text,
  created_at timestamptz NOT NULL DEFAULT now(),
  registered_at timestamptz,
  CONSTRAINT deposits_pkey PRIMARY KEY (id),
  CONSTRAINT deposits_wallet_tx_hash_key UNIQUE (wallet, tx_hash),
  CONSTRAINT credited_deposits_have_an_amount CHECK ((status = 'credited'::text) = (credited IS NOT NULL)),
  CONSTRAINT deposits_reason_check CHECK (reason = ANY (ARRAY['reverted'::text, 'no_vault_deposit'::text, 'wrong_depositor'::text, 'unknown_after_24h'::text])),
  CONSTRAINT deposits_status_check CHECK (status = ANY (ARRAY['pending'::text, 'confirming'::text, 'credited'::text, 'rejected'::text])),
  CONSTRAINT deposits_tx_hash_check CHECK (tx_hash ~ '^0x[0-9a-f]{64}$'::text),
  CONSTRAINT deposits_wallet_check CHECK (wallet ~ '^0x[0-9a-f]{40}$'::text),
  CONSTRAINT rejected_deposits_have_a_reason CHECK ((status = 'rejected'::text) = (reason IS NOT NULL))
);
CREATE INDEX deposits_by_wallet ON deposits USING btree (wallet, id);
CREATE INDEX deposits_open ON deposits USING btree (created_at) WHERE status = ANY (ARRAY['pending'::text, 'confirming'::text]);
GRANT SELECT, INSERT, UPDATE ON deposits TO farebox_gateway;

CREATE TABLE earned_days (
  checkpoint bigint NOT NULL,
  provider text NOT NULL,
  day date NOT NULL,
  service_id text NOT NULL,
  calls bigint NOT NULL,
  earned bigint NOT NULL,
  CONSTRAINT earned_days_pkey PRIMARY KEY (checkpoint, provider, day, service_id)
) WITH (fillfactor = 70);
GRANT SELECT, INSERT, UPDATE, DELETE ON earned_days TO farebox_gateway;

CREATE TABLE entries (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  kind text NOT NULL,
  reference text NOT NULL,
  account text NOT NULL,
  amount bigint NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT entries_amount_check CHECK (amount <> 0)
);
CREATE INDEX entries_by_account ON entries USING btree (account, id);
CREATE INDEX entries_by_age ON entries USING brin (id) WITH (pages_per_range='32', autosummarize='on');
CREATE TRIGGER entries_are_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON entries FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
GRANT SELECT, INSERT ON entries TO farebox_gateway;

CREATE TABLE feedback_reports (
  id text NOT NULL,
  wallet text,
  source text NOT NULL,
  sentiment text NOT NULL,
  category text NOT NULL,
  route text,
  message text NOT NULL,
  context jsonb,
  redacted boolean NOT NULL,
  support_task_id text,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT feedback_reports_pkey PRIMARY KEY (id),
  CONSTRAINT feedback_reports_support_task_id_fkey FOREIGN KEY (support_task_id) REFERENCES support_tasks(id),
  CONSTRAINT feedback_reports_wallet_fkey FOREIGN KEY (wallet) REFERENCES wallets(address),
  CONSTRAINT feedback_reports_category_check CHECK (category = ANY (ARRAY['docs_issue'::text, 'bug'::text, 'billing'::text, 'account'::text, 'abuse'::text, 'feature_request'::text, 'other'::text])),
  CONSTRAINT feedback_reports_message_check CHECK (message <> ''::text),
  CONSTRAINT feedback_reports_sentiment_check CHECK (sentiment = ANY (ARRAY['helpful'::text, 'not_helpful'::text, 'neutral'::text])),
  CONSTRAINT feedback_reports_source_check CHECK (source = ANY (ARRAY['docs'::text, 'console'::text, 'api'::text, 'agent'::text]))
);
CREATE INDEX feedback_reports_by_wallet ON feedback_reports USING btree (wallet, created_at) WHERE wallet IS NOT NULL;
GRANT SELECT, INSERT, UPDATE ON feedback_reports TO farebox_gateway;

CREATE TABLE forum_replies (
  id text NOT NULL,
  topic_id text NOT NULL,
  author text NOT NULL,
  body text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  hidden_at timestamptz,
  CONSTRAINT forum_replies_pkey PRIMARY KEY (id),
  CONSTRAINT forum_replies_author_fkey FOREIGN KEY (author) REFERENCES wallets(address),
  CONSTRAINT forum_replies_topic_id_fkey FOREIGN KEY (topic_id) REFERENCES forum_topics(id),
  CONSTRAINT forum_replies_body_check CHECK (length(body) >= 1 AND length(body) <= 20000)
);
CREATE INDEX forum_replies_by_author ON forum_replies USING btree (author, created_at);
CREATE INDEX forum_replies_of_topic ON forum_replies USING btree (topic_id, id) WHERE hidden_at IS NULL;
GRANT SELECT, INSERT, UPDATE ON forum_replies TO farebox_gateway;

CREATE TABLE forum_topics (
  id text NOT NULL,
  category text NOT NULL,
  title text NOT NULL,
  body text NOT NULL,
  author text,
  pinned boolean NOT NULL DEFAULT false,
  locked boolean NOT NULL DEFAULT false,
  reply_count integer NOT NULL DEFAULT 0,
  vote_count integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  last_activity_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  hidden_at timestamptz,
  search tsvector NOT NULL GENERATED ALWAYS AS (to_tsvector('english'::regconfig, (title || ' '::text) || body)) STORED,
  CONSTRAINT forum_topics_pkey PRIMARY KEY (id),
  CONSTRAINT forum_topics_author_fkey FOREIGN KEY (author) REFERENCES wallets(address),
  CONSTRAINT forum_topics_body_check CHECK (length(body) >= 1 AND length(body) <= 20000),
  CONSTRAINT forum_topics_category_check CHECK (category = ANY (ARRAY['general'::text, 'providers'::text, 'agents'::text, 'announcements'::text, 'support'::text])),
  CONSTRAINT forum_topics_reply_count_check CHECK (reply_count >= 0),
  CONSTRAINT forum_topics_title_check CHECK (length(title) >= 1 AND length(title) <= 300),
  CONSTRAINT forum_topics_vote_count_check CHECK (vote_count >= 0)
);
CREATE INDEX forum_topics_by_author ON forum_topics USING btree (author, created_at);
CREATE INDEX forum_topics_latest ON forum_topics USING btree (category, pinned DESC, last_activity_at DESC, id DESC) WHERE hidden_at IS NULL;
CREATE INDEX forum_topics_latest_public ON forum_topics USING btree (pinned DESC, last_activity_at DESC, id DESC) WHERE hidden_at IS NULL AND category <> 'support'::text;
CREATE INDEX forum_topics_search ON forum_topics USING gin (search);
CREATE INDEX forum_topics_title ON forum_topics USING gin (title gin_trgm_ops);
CREATE INDEX forum_topics_top ON forum_topics USING btree (category, vote_count DESC, last_activity_at DESC, id DESC) WHERE hidden_at IS NULL;
CREATE INDEX forum_topics_top_public ON forum_topics USING btree (vote_count DESC, last_activity_at DESC, id DESC) WHERE hidden_at IS NULL AND category <> 'support'::text;
GRANT SELECT, INSERT, UPDATE ON forum_topics TO farebox_gateway;

CREATE TABLE forum_votes (
  topic_id text NOT NULL,
  wallet text NOT NULL,
  CONSTRAINT forum_votes_pkey PRIMARY KEY (topic_id, wallet),
  CONSTRAINT forum_votes_topic_id_fkey FOREIGN KEY (topic_id) REFERENCES forum_topics(id),
  CONSTRAINT forum_votes_wallet_fkey FOREIGN KEY (wallet) REFERENCES wallets(address)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON forum_votes TO farebox_gateway;

CREATE TABLE free_answers (
  invocation_id text NOT NULL,
  partition smallint,
  CONSTRAINT free_answers_pkey PRIMARY KEY (invocation_id)
) WITH (autovacuum_vacuum_scale_factor = 0.05);
GRANT SELECT, INSERT, UPDATE, DELETE ON free_answers TO farebox_gateway;

CREATE TABLE gateway_instances (
  id text NOT NULL,
  started_at timestamptz NOT NULL DEFAULT now(),
  lease_until timestamptz NOT NULL,
  session_key text,
  CONSTRAINT gateway_instances_pkey PRIMARY KEY (id)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON gateway_instances TO farebox_gateway;

CREATE TABLE health_probes (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  service_id text NOT NULL,
  url text NOT NULL,
  is_healthy boolean NOT NULL,
  latency_ms integer NOT NULL,
  checked_at timestamptz NOT NULL,
  is_landmark boolean NOT NULL DEFAULT true,
  source text NOT NULL DEFAULT 'probe'::text,
  CONSTRAINT health_probes_pkey PRIMARY KEY (id),
  CONSTRAINT health_probes_latency_ms_check CHECK (latency_ms >= 0),
  CONSTRAINT health_probes_source_check CHECK (source = ANY (ARRAY['probe'::text, 'traffic'::text]))
);
CREATE INDEX health_probes_by_age ON health_probes USING btree (checked_at);
CREATE INDEX health_probes_by_target ON health_probes USING btree (service_id, url, checked_at DESC);
CREATE INDEX health_probes_passing ON health_probes USING btree (checked_at) WHERE NOT is_landmark;
GRANT SELECT, INSERT, UPDATE, DELETE ON health_probes TO farebox_gateway;

CREATE TABLE idempotent_responses (
  scope text NOT NULL,
  key text NOT NULL,
  request_hash bytea NOT NULL,
  body json NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT idempotent_responses_pkey PRIMARY KEY (scope, key)
);
GRANT SELECT, INSERT, UPDATE ON idempotent_responses TO farebox_gateway;

CREATE TABLE invocation_answers (
  invocation_id text NOT NULL,
  http_status smallint NOT NULL,
  body text NOT NULL,
  partition smallint,
  CONSTRAINT invocation_answers_pkey PRIMARY KEY (invocation_id)
) WITH (autovacuum_vacuum_scale_factor = 0.05);
GRANT SELECT, INSERT, UPDATE, DELETE ON invocation_answers TO farebox_gateway;

CREATE TABLE invocation_streams (
  invocation_id text NOT NULL,
  events bytea NOT NULL,
  is_whole boolean NOT NULL,
  partition smallint,
  CONSTRAINT invocation_streams_pkey PRIMARY KEY (invocation_id)
) WITH (autovacuum_vacuum_scale_factor = 0.05);
GRANT SELECT, INSERT, UPDATE, DELETE ON invocation_streams TO farebox_gateway;

CREATE TABLE invocations (
  id text NOT NULL,
  credential_id text NOT NULL,
  idempotency_key text NOT NULL,
  request_hash bytea NOT NULL,
  owner text NOT NULL,
  provider text NOT NULL,
  service_id text NOT NULL,
  status text NOT NULL,
  hold bigint NOT NULL,
  charged bigint NOT NULL DEFAULT 0,
  fee bigint NOT NULL DEFAULT 0,
  drawn_at timestamptz NOT NULL,
  finished_at timestamptz,
  latency_ms integer,
  attempts smallint NOT NULL DEFAULT 0,
  error_code text,
  promotional bigint NOT NULL DEFAULT 0,
  partition smallint,
  CONSTRAINT invocations_pkey PRIMARY KEY (id),
  CONSTRAINT invocations_credential_id_idempotency_key_key UNIQUE (credential_id, idempotency_key),
  CONSTRAINT invocations_check CHECK (charged >= 0 AND charged <= hold),
  CONSTRAINT invocations_check1 CHECK (fee >= 0 AND fee <= charged),
  CONSTRAINT invocations_hold_check CHECK (hold >= 0),
  CONSTRAINT invocations_status_check CHECK (status = ANY (ARRAY['PENDING'::text, 'PROCESSING'::text, 'SUCCEEDED'::text, 'FAILED_RETRYABLE'::text, 'FAILED_FINAL'::text])),
  CONSTRAINT promotional_is_a_part_of_the_charge CHECK (promotional >= 0 AND promotional <= charged) NOT VALID
) WITH (fillfactor = 50);
CREATE INDEX invocations_by_age ON invocations USING brin (drawn_at) WITH (pages_per_range='64', autosummarize='on');
CREATE INDEX invocations_by_owner ON invocations USING btree (owner, id);
CREATE INDEX invocations_by_provider ON invocations USING btree (provider, id);
CREATE TRIGGER invocations_are_recorded AFTER UPDATE OF status ON invocations FOR EACH ROW WHEN (COALESCE(current_setting('farebox.projecting'::text, true), ''::text) <> 'on'::text) EXECUTE FUNCTION record_change();
CREATE TRIGGER invocations_change_state AFTER UPDATE OF status ON invocations FOR EACH ROW WHEN (old.status IS DISTINCT FROM new.status AND NOT (old.status = 'PENDING'::text AND (new.status = ANY (ARRAY['SUCCEEDED'::text, 'FAILED_RETRYABLE'::text, 'FAILED_FINAL'::text])))) EXECUTE FUNCTION check_invocation_state();
GRANT SELECT, INSERT, UPDATE ON invocations TO farebox_gateway;

CREATE TABLE key_checks (
  id text NOT NULL,
  sealed text NOT NULL,
  made_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT key_checks_pkey PRIMARY KEY (id),
  CONSTRAINT key_checks_id_check CHECK (id = 'ENCRYPTION_KEY'::text)
);
GRANT SELECT, INSERT, UPDATE ON key_checks TO farebox_gateway;

CREATE TABLE ledger_log (
  partition smallint NOT NULL,
  seq bigint NOT NULL,
  writer text NOT NULL,
  held json STORAGE EXTERNAL,
  awaited json,
  ended json STORAGE EXTERNAL,
  credentials json STORAGE EXTERNAL,
  policies json STORAGE EXTERNAL,
  accounts json STORAGE EXTERNAL,
  changed json,
  hash bytea NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT ledger_log_pkey PRIMARY KEY (partition, seq),
  CONSTRAINT ledger_log_hash_check CHECK (length(hash) = 32),
  CONSTRAINT ledger_log_seq_check CHECK (seq > 0)
);
CREATE TRIGGER ledger_log_is_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON ledger_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
GRANT SELECT, INSERT ON ledger_log TO farebox_gateway;

CREATE TABLE ledger_marks (
  checkpoint bigint NOT NULL,
  partition smallint NOT NULL,
  seq bigint NOT NULL,
  hash bytea NOT NULL,
  drawn_from timestamptz NOT NULL,
  drawn_seq bigint NOT NULL,
  CONSTRAINT ledger_marks_pkey PRIMARY KEY (checkpoint, partition),
  CONSTRAINT ledger_marks_hash_check CHECK (length(hash) = 32)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON ledger_marks TO farebox_gateway;

CREATE TABLE ledger_origin (
  is_only boolean NOT NULL DEFAULT true,
  began_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT ledger_origin_pkey PRIMARY KEY (is_only),
  CONSTRAINT ledger_origin_is_only_check CHECK (is_only)
);
CREATE TRIGGER ledger_origin_is_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON ledger_origin FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
GRANT SELECT, INSERT ON ledger_origin TO farebox_gateway;

CREATE TABLE ledger_partitions (
  partition smallint NOT NULL,
  head bigint NOT NULL DEFAULT 0,
  hash bytea NOT NULL DEFAULT decode(repeat('00'::text, 32), 'hex'::text),
  CONSTRAINT ledger_partitions_pkey PRIMARY KEY (partition),
  CONSTRAINT ledger_partitions_hash_check CHECK (length(hash) = 32),
  CONSTRAINT ledger_partitions_partition_check CHECK (partition >= 0 AND partition <= 15)
) WITH (fillfactor = 10);
GRANT SELECT, INSERT, UPDATE ON ledger_partitions TO farebox_gateway;

CREATE TABLE ledger_projections (
  partition smallint NOT NULL,
  projected bigint NOT NULL DEFAULT 0,
  CONSTRAINT ledger_projections_pkey PRIMARY KEY (partition)
) WITH (fillfactor = 10);
GRANT SELECT, INSERT, UPDATE ON ledger_projections TO farebox_gateway;

CREATE TABLE ledger_states (
  checkpoint bigint NOT NULL,
  kind text NOT NULL,
  id text NOT NULL,
  state jsonb NOT NULL,
  is_rewritten boolean NOT NULL,
  CONSTRAINT ledger_states_pkey PRIMARY KEY (checkpoint, kind, id),
  CONSTRAINT ledger_states_kind_check CHECK (kind = ANY (ARRAY['account'::text, 'credential'::text, 'policy'::text]))
);
GRANT SELECT, INSERT, UPDATE, DELETE ON ledger_states TO farebox_gateway;

CREATE TABLE liability_parts (
  tree bigint NOT NULL,
  level integer NOT NULL,
  part integer NOT NULL,
  hashes bytea STORAGE EXTERNAL NOT NULL,
  sums bigint[] NOT NULL,
  slice integer,
  salt bytea,
  CONSTRAINT liability_parts_pkey PRIMARY KEY (tree, level, part)
);
CREATE INDEX liability_parts_by_salt ON liability_parts USING btree (tree, slice, salt) WHERE level = 0;
GRANT SELECT, INSERT, UPDATE, DELETE ON liability_parts TO farebox_gateway;

CREATE TABLE liability_trees (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  root bytea NOT NULL,
  secret bytea NOT NULL,
  wallets bigint NOT NULL,
  consumers bigint NOT NULL,
  providers bigint NOT NULL,
  platform bigint NOT NULL,
  locked bigint NOT NULL,
  entry_id bigint,
  slices integer NOT NULL,
  block_number bigint,
  vault_balance bigint,
  as_of timestamptz NOT NULL,
  made_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT liability_trees_pkey PRIMARY KEY (id),
  CONSTRAINT liability_trees_consumers_check CHECK (consumers >= 0),
  CONSTRAINT liability_trees_providers_check CHECK (providers >= 0),
  CONSTRAINT liability_trees_root_check CHECK (length(root) = 32),
  CONSTRAINT liability_trees_secret_check CHECK (length(secret) = 32)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON liability_trees TO farebox_gateway;

CREATE TABLE mail_counts (
  recipient bytea NOT NULL,
  day integer NOT NULL,
  mails integer NOT NULL,
  CONSTRAINT mail_counts_pkey PRIMARY KEY (recipient, day),
  CONSTRAINT mail_counts_mails_check CHECK (mails > 0),
  CONSTRAINT mail_counts_recipient_check CHECK (octet_length(recipient) = 32)
);
CREATE INDEX mail_counts_by_day ON mail_counts USING btree (day);
GRANT SELECT, INSERT, UPDATE, DELETE ON mail_counts TO farebox_gateway;

CREATE TABLE metered_calls (
  invocation_id text NOT NULL,
  input_price bigint NOT NULL,
  output_price bigint NOT NULL,
  max_output_tokens bigint NOT NULL,
  pre_auth_mode text NOT NULL,
  is_streamed boolean NOT NULL,
  input_tokens bigint,
  output_tokens bigint,
  cost bigint,
  reported_by text,
  processing_since timestamptz,
  processing_reason text,
  pending_result text,
  cache_read_price bigint,
  cache_write_price bigint,
  max_input_tokens bigint,
  cache_read_tokens bigint,
  cache_write_tokens bigint,
  stated_total bigint,
  fee_bps integer,
  partition smallint,
  CONSTRAINT metered_calls_pkey PRIMARY KEY (invocation_id),
  CONSTRAINT metered_calls_check CHECK ((input_tokens IS NULL) = (output_tokens IS NULL) AND (input_tokens IS NULL) = (cost IS NULL)),
  CONSTRAINT metered_calls_classes_check CHECK (cache_read_price >= 0 AND cache_write_price >= 0 AND max_input_tokens > 0 AND cache_read_tokens >= 0 AND cache_write_tokens >= 0 AND (cache_read_tokens + cache_write_tokens) <= input_tokens AND stated_total >= 0) NOT VALID,
  CONSTRAINT metered_calls_cost_check CHECK (cost >= 0),
  CONSTRAINT metered_calls_input_price_check CHECK (input_price >= 0),
  CONSTRAINT metered_calls_input_tokens_check CHECK (input_tokens >= 0),
  CONSTRAINT metered_calls_max_output_tokens_check CHECK (max_output_tokens >= 0) NOT VALID,
  CONSTRAINT metered_calls_output_price_check CHECK (output_price >= 0),
  CONSTRAINT metered_calls_output_tokens_check CHECK (output_tokens >= 0),
  CONSTRAINT metered_calls_pre_auth_mode_check CHECK (pre_auth_mode = ANY (ARRAY['explicit'::text, 'auto'::text]))
) WITH (fillfactor = 70);
CREATE INDEX metered_calls_processing ON metered_calls USING btree (processing_since) WHERE processing_since IS NOT NULL;
GRANT SELECT, INSERT, UPDATE ON metered_calls TO farebox_gateway;

CREATE TABLE oauth_clients (
  id text NOT NULL,
  name text NOT NULL,
  redirect_uris text[] NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  authorized_at timestamptz,
  CONSTRAINT oauth_clients_pkey PRIMARY KEY (id)
);
CREATE INDEX oauth_clients_pending ON oauth_clients USING btree (created_at) WHERE authorized_at IS NULL;
GRANT SELECT, INSERT, UPDATE, DELETE ON oauth_clients TO farebox_gateway;

CREATE TABLE oauth_grants (
  credential_id text NOT NULL,
  client_id text NOT NULL,
  owner text NOT NULL,
  redirect_uri text NOT NULL,
  resource text NOT NULL,
  code_challenge text NOT NULL,
  code_digest bytea NOT NULL,
  code_expires_at timestamptz NOT NULL,
  code_used_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT oauth_grants_pkey PRIMARY KEY (credential_id),
  CONSTRAINT oauth_grants_code_digest_key UNIQUE (code_digest),
  CONSTRAINT oauth_grants_credential_id_fkey FOREIGN KEY (credential_id) REFERENCES credentials(id),
  CONSTRAINT oauth_grants_owner_fkey FOREIGN KEY (owner) REFERENCES wallets(address)
);
CREATE INDEX oauth_grants_unredeemed ON oauth_grants USING btree (code_expires_at) WHERE code_used_at IS NULL;
GRANT SELECT, INSERT, UPDATE, DELETE ON oauth_grants TO farebox_gateway;

CREATE TABLE open_calls (
  invocation_id text NOT NULL,
  instance_id text NOT NULL,
  partition smallint,
  CONSTRAINT open_calls_pkey PRIMARY KEY (invocation_id)
);
CREATE TRIGGER open_calls_are_recorded AFTER INSERT OR DELETE ON open_calls FOR EACH ROW WHEN (COALESCE(current_setting('farebox.projecting'::text, true), ''::text) <> 'on'::text) EXECUTE FUNCTION record_change();
GRANT SELECT, INSERT, UPDATE, DELETE ON open_calls TO farebox_gateway;

CREATE TABLE owner_sums (
  checkpoint bigint NOT NULL,
  owner text NOT NULL,
  calls bigint NOT NULL,
  charged bigint NOT NULL,
  fees bigint NOT NULL,
  month_spent bigint,
  month_start timestamptz,
  day_spent bigint,
  day_start timestamptz,
  newest timestamptz NOT NULL,
  CONSTRAINT owner_sums_pkey PRIMARY KEY (checkpoint, owner)
) WITH (fillfactor = 70);
GRANT SELECT, INSERT, UPDATE, DELETE ON owner_sums TO farebox_gateway;

CREATE TABLE pending_results (
  invocation_id text NOT NULL,
  result text NOT NULL,
  partition smallint,
  CONSTRAINT pending_results_pkey PRIMARY KEY (invocation_id)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON pending_results TO farebox_gateway;

CREATE TABLE ping_windows (
  key text NOT NULL,
  rate_window bytea NOT NULL DEFAULT '\x'::bytea,
  used_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT ping_windows_pkey PRIMARY KEY (key)
);
CREATE INDEX ping_windows_by_age ON ping_windows USING btree (used_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON ping_windows TO farebox_gateway;

CREATE TABLE profiles (
  wallet text NOT NULL,
  notifications boolean NOT NULL DEFAULT true,
  email text,
  sends_day integer NOT NULL DEFAULT 0,
  sends integer NOT NULL DEFAULT 0,
  staged_email text,
  code_id text,
  code_digest bytea,
  code_attempts integer NOT NULL DEFAULT 0,
  code_expires_at timestamptz,
  sealed_code text,
  code_queued_at timestamptz,
  CONSTRAINT profiles_pkey PRIMARY KEY (wallet),
  CONSTRAINT profiles_code_id_key UNIQUE (code_id),
  CONSTRAINT profiles_wallet_fkey FOREIGN KEY (wallet) REFERENCES wallets(address),
  CONSTRAINT profiles_check CHECK (num_nulls(staged_email, code_id, code_digest, code_expires_at, code_queued_at) = ANY (ARRAY[0, 5])),
  CONSTRAINT profiles_check1 CHECK (staged_email IS NOT NULL OR code_attempts = 0 AND sealed_code IS NULL),
  CONSTRAINT profiles_code_attempts_check CHECK (code_attempts >= 0 AND code_attempts <= 5),
  CONSTRAINT profiles_code_digest_check CHECK (octet_length(code_digest) = 32),
  CONSTRAINT profiles_email_check CHECK (length(email) >= 3 AND length(email) <= 254),
  CONSTRAINT profiles_sends_check CHECK (sends >= 0 AND sends <= 5),
  CONSTRAINT profiles_staged_email_check CHECK (length(staged_email) >= 3 AND length(staged_email) <= 254)
);
CREATE INDEX profiles_by_mail_due ON profiles USING btree (code_queued_at) WHERE sealed_code IS NOT NULL;
GRANT SELECT, INSERT, UPDATE ON profiles TO farebox_gateway;

CREATE TABLE promotion_fundings (
  id text NOT NULL,
  wallet text NOT NULL,
  amount bigint NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  promotional bigint NOT NULL DEFAULT 0,
  CONSTRAINT promotion_fundings_pkey PRIMARY KEY (id),
  CONSTRAINT promotion_fundings_amount_check CHECK (amount > 0),
  CONSTRAINT promotion_fundings_wallet_check CHECK (wallet ~ '^0x[0-9a-f]{40}$'::text)
);
CREATE INDEX promotion_fundings_by_account ON promotion_fundings USING btree (('consumer:'::text || wallet));
GRANT SELECT, INSERT, UPDATE ON promotion_fundings TO farebox_gateway;

CREATE TABLE promotional_openings (
  account text NOT NULL,
  amount bigint NOT NULL,
  opened_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT promotional_openings_pkey PRIMARY KEY (account),
  CONSTRAINT promotional_openings_amount_check CHECK (amount > 0)
);
CREATE TRIGGER promotional_openings_are_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON promotional_openings FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
GRANT SELECT, INSERT ON promotional_openings TO farebox_gateway;

CREATE TABLE provider_secret_audit (
  id text NOT NULL,
  owner text NOT NULL,
  secret_id text NOT NULL,
  action text NOT NULL,
  actor text NOT NULL,
  detail jsonb NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT provider_secret_audit_pkey PRIMARY KEY (id)
);
CREATE INDEX provider_secret_audit_by_owner ON provider_secret_audit USING btree (owner, id);
CREATE TRIGGER provider_secret_audit_is_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON provider_secret_audit FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
GRANT SELECT, INSERT ON provider_secret_audit TO farebox_gateway;

CREATE TABLE provider_secrets (
  id text NOT NULL,
  owner text NOT NULL,
  name text NOT NULL,
  key_hash bytea NOT NULL,
  masked_key text NOT NULL,
  status text NOT NULL DEFAULT 'active'::text,
  rpm integer NOT NULL,
  credit_limit bigint,
  reset_interval text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz,
  captured bigint NOT NULL DEFAULT 0,
  interval_start timestamptz NOT NULL,
  rate_tat bigint NOT NULL DEFAULT 0,
  rate_window bytea NOT NULL DEFAULT '\x'::bytea,
  max_calls bigint,
  calls_used bigint NOT NULL DEFAULT 0,
  expires_at timestamptz,
  CONSTRAINT provider_secrets_pkey PRIMARY KEY (id),
  CONSTRAINT provider_secrets_key_hash_key UNIQUE (key_hash),
  CONSTRAINT provider_secrets_owner_fkey FOREIGN KEY (owner) REFERENCES wallets(address),
  CONSTRAINT provider_secrets_captured_check CHECK (captured >= 0),
  CONSTRAINT provider_secrets_credit_limit_check CHECK (credit_limit >= 0),
  CONSTRAINT provider_secrets_reset_interval_check CHECK (reset_interval = ANY (ARRAY['hourly'::text, 'daily'::text, 'weekly'::text, 'monthly'::text, 'never'::text])),
  CONSTRAINT provider_secrets_rpm_check CHECK (rpm >= 1 AND rpm <= 10000000),
  CONSTRAINT provider_secrets_status_check CHECK (status = ANY (ARRAY['active'::text, 'deleted'::text]))
) WITH (fillfactor = 50);
CREATE INDEX provider_secrets_live ON provider_secrets USING btree (owner, id) WHERE status = 'active'::text;
GRANT SELECT, INSERT, UPDATE ON provider_secrets TO farebox_gateway;

CREATE TABLE reconciliations (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  at timestamptz NOT NULL DEFAULT now(),
  consistent boolean NOT NULL,
  findings jsonb NOT NULL,
  vault_block bigint,
  vault_held bigint,
  vault_due bigint,
  owed bigint,
  is_broken boolean NOT NULL DEFAULT false,
  CONSTRAINT reconciliations_pkey PRIMARY KEY (id),
  CONSTRAINT comparisons_are_whole CHECK ((vault_block IS NULL) = (vault_held IS NULL) AND (vault_block IS NULL) = (vault_due IS NULL))
);
CREATE INDEX reconciliations_clean ON reconciliations USING btree (id) WHERE consistent AND vault_block IS NOT NULL;
GRANT SELECT, INSERT, UPDATE, DELETE ON reconciliations TO farebox_gateway;

CREATE TABLE revoked_sessions (
  jti text NOT NULL,
  expires_at timestamptz NOT NULL,
  CONSTRAINT revoked_sessions_pkey PRIMARY KEY (jti)
);
CREATE INDEX revoked_sessions_by_expiry ON revoked_sessions USING btree (expires_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON revoked_sessions TO farebox_gateway;

CREATE TABLE schema_migrations (
  name text NOT NULL,
  digest text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT schema_migrations_pkey PRIMARY KEY (name)
);
GRANT SELECT ON schema_migrations TO farebox_gateway;

CREATE TABLE seals (
  number bigint NOT NULL,
  after_entry bigint NOT NULL,
  last_entry bigint NOT NULL,
  entries integer NOT NULL,
  root bytea NOT NULL,
  previous bytea NOT NULL,
  hash bytea NOT NULL,
  sealed_at timestamptz NOT NULL,
  heads jsonb,
  CONSTRAINT seals_pkey PRIMARY KEY (number),
  CONSTRAINT seals_check CHECK (last_entry > after_entry),
  CONSTRAINT seals_entries_check CHECK (entries > 0),
  CONSTRAINT seals_hash_check CHECK (length(hash) = 32),
  CONSTRAINT seals_heads_check CHECK (jsonb_array_length(heads) = 16),
  CONSTRAINT seals_number_check CHECK (number > 0),
  CONSTRAINT seals_previous_check CHECK (length(previous) = 32),
  CONSTRAINT seals_root_check CHECK (length(root) = 32)
);
CREATE TRIGGER seals_are_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON seals FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
GRANT SELECT, INSERT ON seals TO farebox_gateway;

CREATE TABLE search_words (
  word text NOT NULL,
  CONSTRAINT search_words_pkey PRIMARY KEY (word)
);
CREATE INDEX search_words_by_part ON search_words USING gin (word gin_trgm_ops) WITH (gin_pending_list_limit='64');
GRANT SELECT, INSERT, UPDATE, DELETE ON search_words TO farebox_gateway;

CREATE TABLE service_calls (
  service_id text NOT NULL,
  day date NOT NULL,
  good bigint NOT NULL,
  bad bigint NOT NULL,
  latency_ms double precision NOT NULL,
  rated_good bigint NOT NULL DEFAULT 0,
  rated_bad bigint NOT NULL DEFAULT 0,
  rated_latency_ms double precision NOT NULL DEFAULT 0,
  rated_price bigint NOT NULL DEFAULT 0,
  rated_output_price bigint NOT NULL DEFAULT 0,
  rated_output_tokens double precision NOT NULL DEFAULT 0,
  CONSTRAINT service_calls_pkey PRIMARY KEY (service_id, day),
  CONSTRAINT service_calls_bad_check CHECK (bad >= 0),
  CONSTRAINT service_calls_good_check CHECK (good >= 0),
  CONSTRAINT service_calls_latency_ms_check CHECK (latency_ms >= 0::double precision),
  CONSTRAINT service_calls_rated_bad_check CHECK (rated_bad >= 0),
  CONSTRAINT service_calls_rated_good_check CHECK (rated_good >= 0),
  CONSTRAINT service_calls_rated_latency_ms_check CHECK (rated_latency_ms >= 0::double precision),
  CONSTRAINT service_calls_rated_output_tokens_check CHECK (rated_output_tokens >= 0::double precision)
) WITH (fillfactor = 70);
CREATE INDEX service_calls_by_day ON service_calls USING btree (day);
GRANT SELECT, INSERT, UPDATE, DELETE ON service_calls TO farebox_gateway;

CREATE TABLE service_ratings (
  service_id text NOT NULL,
  success_rate double precision NOT NULL,
  latency_ms double precision,
  is_rated boolean NOT NULL,
  reliability double precision NOT NULL,
  quality double precision NOT NULL,
  tokens_per_second double precision,
  CONSTRAINT service_ratings_pkey PRIMARY KEY (service_id),
  CONSTRAINT service_ratings_quality_check CHECK (quality >= 0::double precision AND quality <= 1::double precision),
  CONSTRAINT service_ratings_reliability_check CHECK (reliability >= 0::double precision AND reliability <= 1::double precision),
  CONSTRAINT service_ratings_success_rate_check CHECK (success_rate >= 0::double precision AND success_rate <= 1::double precision),
  CONSTRAINT service_ratings_tokens_per_second_check CHECK (tokens_per_second >= 0::double precision)
) WITH (fillfactor = 70);
GRANT SELECT, INSERT, UPDATE ON service_ratings TO farebox_gateway;

CREATE TABLE service_search (
  service_id text NOT NULL,
  version bigint NOT NULL,
  is_listed boolean NOT NULL,
  owner text NOT NULL,
  agent_tool_name text NOT NULL,
  service_kind text NOT NULL,
  llm_dialect text,
  tags text[] NOT NULL,
  typical_price bigint NOT NULL,
  names tsvector STORAGE MAIN NOT NULL,
  topic tsvector STORAGE MAIN NOT NULL,
  document tsvector NOT NULL,
  texts text NOT NULL,
  written_by xid8 NOT NULL,
  CONSTRAINT service_search_pkey PRIMARY KEY (service_id),
  CONSTRAINT service_search_service_id_fkey FOREIGN KEY (service_id) REFERENCES services(id) ON DELETE CASCADE
);
CREATE INDEX service_search_by_part ON service_search USING gin (texts gin_trgm_ops) WITH (gin_pending_list_limit='64') WHERE is_listed;
CREATE INDEX service_search_by_tag ON service_search USING gin (tags) WITH (gin_pending_list_limit='64') WHERE is_listed;
CREATE INDEX service_search_by_word ON service_search USING gin (document) WITH (gin_pending_list_limit='64') WHERE is_listed;
CREATE INDEX service_search_listed ON service_search USING btree (service_id) WHERE is_listed;
CREATE CONSTRAINT TRIGGER service_search_insert AFTER INSERT ON service_search DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (new.is_listed) EXECUTE FUNCTION bump_catalogue();
CREATE CONSTRAINT TRIGGER service_search_update AFTER UPDATE ON service_search DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (old.is_listed OR new.is_listed) EXECUTE FUNCTION bump_catalogue();
GRANT SELECT, INSERT, UPDATE ON service_search TO farebox_gateway;

CREATE TABLE service_standings (
  service_id text NOT NULL,
  is_up boolean,
  since timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT service_standings_pkey PRIMARY KEY (service_id)
);
GRANT SELECT, INSERT, UPDATE ON service_standings TO farebox_gateway;

CREATE TABLE service_targets (
  service_id text NOT NULL,
  url text NOT NULL,
  "position" smallint NOT NULL,
  weight double precision NOT NULL,
  is_healthy boolean NOT NULL DEFAULT false,
  streak integer NOT NULL DEFAULT 0,
  last_probed_at timestamptz,
  latency_ms integer,
  next_probe_at timestamptz NOT NULL DEFAULT now(),
  landmark_at timestamptz,
  health_path text,
  CONSTRAINT service_targets_pkey PRIMARY KEY (service_id, url),
  CONSTRAINT service_targets_service_id_fkey FOREIGN KEY (service_id) REFERENCES services(id),
  CONSTRAINT service_targets_weight_check CHECK (weight > 0::double precision)
) WITH (fillfactor = 70);
CREATE INDEX service_targets_by_due ON service_targets USING btree (next_probe_at);
CREATE CONSTRAINT TRIGGER service_targets_search AFTER INSERT OR DELETE ON service_targets DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION search_target();
CREATE CONSTRAINT TRIGGER service_targets_search_health AFTER UPDATE ON service_targets DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (old.is_healthy <> new.is_healthy) EXECUTE FUNCTION search_target();
GRANT SELECT, INSERT, UPDATE, DELETE ON service_targets TO farebox_gateway;

CREATE TABLE services (
  id text NOT NULL,
  version bigint NOT NULL DEFAULT 1,
  owner text NOT NULL,
  agent_tool_name text NOT NULL,
  service_name text NOT NULL,
  summary text NOT NULL,
  description text NOT NULL,
  tags text[] NOT NULL,
  service_kind text NOT NULL,
  price_model text NOT NULL,
  price bigint NOT NULL,
  method text NOT NULL,
  timeout_ms integer NOT NULL,
  request jsonb NOT NULL,
  response jsonb NOT NULL,
  health_check jsonb,
  upstream_headers text,
  provider_profile jsonb,
  payout_account jsonb,
  governance jsonb,
  is_active boolean NOT NULL DEFAULT true,
  suspended_at timestamptz,
  deleted_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  input_price bigint,
  output_price bigint,
  default_max_output_tokens integer,
  max_auto_hold bigint,
  hold_buffer_bps integer,
  llm_dialect text,
  upstream_model text,
  media_tokens integer,
  context_tokens integer,
  cache_read_price bigint,
  cache_write_price bigint,
  notice_pricing jsonb,
  notice_ends_at timestamptz,
  targets_verified boolean NOT NULL DEFAULT false,
  signature text NOT NULL DEFAULT 'ed25519'::text,
  model_family text,
  encoding text NOT NULL DEFAULT 'json'::text,
  content_type text,
  stream_idle_timeout_ms integer NOT NULL DEFAULT 60000,
  stream_max_ms integer NOT NULL DEFAULT 600000,
  output_limit_field text,
  input_modalities text[],
  suspension_reason text,
  CONSTRAINT services_pkey PRIMARY KEY (id),
  CONSTRAINT services_owner_fkey FOREIGN KEY (owner) REFERENCES wallets(address),
  CONSTRAINT deleted_is_not_active CHECK (deleted_at IS NULL OR NOT is_active),
  CONSTRAINT services_cache_kind_check CHECK (service_kind = 'llm'::text OR num_nonnulls(cache_read_price, cache_write_price) = 0) NOT VALID,
  CONSTRAINT services_cache_read_price_check CHECK (cache_read_price >= 0 AND cache_read_price <= '10000000000'::bigint),
  CONSTRAINT services_cache_write_price_check CHECK (cache_write_price >= 0 AND cache_write_price <= '10000000000'::bigint),
  CONSTRAINT services_context_tokens_check CHECK (context_tokens >= 1 AND context_tokens <= 10000000),
  CONSTRAINT services_default_max_output_tokens_check CHECK (default_max_output_tokens >= 1 AND default_max_output_tokens <= 10000000),
  CONSTRAINT services_encoding_check CHECK (encoding = ANY (ARRAY['json'::text, 'form'::text, 'multipart'::text, 'text'::text])),
  CONSTRAINT services_family_kind_check CHECK (service_kind = 'llm'::text OR model_family IS NULL) NOT VALID,
  CONSTRAINT services_hold_buffer_bps_check CHECK (hold_buffer_bps >= 10000 AND hold_buffer_bps <= 100000),
  CONSTRAINT services_input_modalities_check CHECK (input_modalities <@ ARRAY['text'::text, 'image'::text, 'audio'::text, 'video'::text, 'file'::text] AND cardinality(input_modalities) > 0),
  CONSTRAINT services_input_price_check CHECK (input_price >= 0 AND input_price <= '10000000000'::bigint),
  CONSTRAINT services_kind_check CHECK (service_kind = 'api'::text AND price_model = 'fixed'::text AND num_nonnulls(input_price, output_price, default_max_output_tokens, max_auto_hold, hold_buffer_bps, llm_dialect, upstream_model) = 0 OR service_kind = 'llm'::text AND price_model = 'token_metered'::text AND price = 0 AND method = 'POST'::text AND num_nulls(input_price, output_price, default_max_output_tokens, max_auto_hold, hold_buffer_bps, llm_dialect) = 0),
  CONSTRAINT services_llm_dialect_check CHECK (llm_dialect = ANY (ARRAY['openai'::text, 'anthropic'::text])),
  CONSTRAINT services_max_auto_hold_check CHECK (max_auto_hold >= 0),
  CONSTRAINT services_media_tokens_check CHECK (media_tokens >= 1 AND media_tokens <= 10000000),
  CONSTRAINT services_modalities_kind_check CHECK (service_kind = 'llm'::text OR input_modalities IS NULL) NOT VALID,
  CONSTRAINT services_model_family_check CHECK (model_family ~ '^[a-z0-9][a-z0-9._:/-]{0,99}$'::text),
  CONSTRAINT services_output_limit_field_check CHECK (output_limit_field = ANY (ARRAY['max_tokens'::text, 'max_completion_tokens'::text])),
  CONSTRAINT services_output_price_check CHECK (output_price >= 0 AND output_price <= '10000000000'::bigint),
  CONSTRAINT services_price_check CHECK (price >= 0 AND price <= '10000000000'::bigint),
  CONSTRAINT services_prompt_kind_check CHECK (service_kind = 'llm'::text OR num_nonnulls(media_tokens, context_tokens) = 0) NOT VALID,
  CONSTRAINT services_signature_check CHECK (signature = ANY (ARRAY['ed25519'::text, 'hmac-sha256'::text])),
  CONSTRAINT services_stream_idle_timeout_ms_check CHECK (stream_idle_timeout_ms >= 1 AND stream_idle_timeout_ms <= 300000),
  CONSTRAINT services_stream_max_ms_check CHECK (stream_max_ms >= 1 AND stream_max_ms <= 3600000),
  CONSTRAINT services_timeout_ms_check CHECK (timeout_ms >= 1 AND timeout_ms <= 120000),
  CONSTRAINT services_upstream_model_check CHECK (length(upstream_model) >= 1 AND length(upstream_model) <= 200)
);
CREATE INDEX services_by_owner ON services USING btree (owner, id);
CREATE INDEX services_callable ON services USING btree (id) WHERE is_active AND deleted_at IS NULL AND suspended_at IS NULL;
CREATE INDEX services_callable_by_name ON services USING btree (agent_tool_name COLLATE "C") WHERE is_active AND deleted_at IS NULL AND suspended_at IS NULL;
CREATE INDEX services_model_family ON services USING btree (model_family) WHERE model_family IS NOT NULL;
CREATE INDEX services_verified ON services USING btree (id) WHERE targets_verified;
CREATE TRIGGER services_bump_version BEFORE UPDATE ON services FOR EACH ROW EXECUTE FUNCTION bump_version();
CREATE CONSTRAINT TRIGGER services_search AFTER INSERT OR UPDATE ON services DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION search_service();
GRANT SELECT, INSERT, UPDATE ON services TO farebox_gateway;

CREATE TABLE settlements (
  finding_id bigint NOT NULL,
  reference text NOT NULL GENERATED ALWAYS AS ('fnd_'::text || finding_id::text) STORED,
  kind text NOT NULL,
  wallet text NOT NULL,
  account text NOT NULL GENERATED ALWAYS AS (
CASE kind
    WHEN 'deposit-reversed'::text THEN 'consumer:'::text
    ELSE 'provider:'::text
END || wallet) STORED,
  charged bigint NOT NULL,
  borne bigint NOT NULL,
  settled_at timestamptz NOT NULL DEFAULT now(),
  promotional bigint NOT NULL DEFAULT 0,
  CONSTRAINT settlements_pkey PRIMARY KEY (finding_id),
  CONSTRAINT settlements_reference_key UNIQUE (reference),
  CONSTRAINT settlements_finding_id_fkey FOREIGN KEY (finding_id) REFERENCES chain_findings(id),
  CONSTRAINT settlements_borne_check CHECK (borne >= 0),
  CONSTRAINT settlements_charged_check CHECK (charged >= 0),
  CONSTRAINT settlements_kind_check CHECK (kind = ANY (ARRAY['redemption-adopted'::text, 'deposit-reversed'::text])),
  CONSTRAINT settlements_wallet_check CHECK (wallet ~ '^0x[0-9a-f]{40}$'::text)
);
CREATE INDEX settlements_by_account ON settlements USING btree (account);
CREATE TRIGGER settlements_are_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON settlements FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
GRANT SELECT, INSERT ON settlements TO farebox_gateway;

CREATE TABLE signing_keys (
  id text NOT NULL,
  generation integer NOT NULL,
  public_key text NOT NULL,
  sealed_private_key text NOT NULL,
  signs_from timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT signing_keys_pkey PRIMARY KEY (id),
  CONSTRAINT signing_keys_generation_key UNIQUE (generation),
  CONSTRAINT signing_keys_generation_check CHECK (generation > 0),
  CONSTRAINT signing_keys_id_check CHECK (id ~ '^[A-Za-z0-9_-]{43}$'::text),
  CONSTRAINT signing_keys_public_key_check CHECK (public_key ~ '^[A-Za-z0-9_-]{43}$'::text)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON signing_keys TO farebox_gateway;

CREATE TABLE signing_secrets (
  id text NOT NULL,
  owner text NOT NULL,
  sealed text NOT NULL,
  signs_from timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT signing_secrets_pkey PRIMARY KEY (id),
  CONSTRAINT signing_secrets_owner_fkey FOREIGN KEY (owner) REFERENCES wallets(address)
);
CREATE INDEX signing_secrets_by_owner ON signing_secrets USING btree (owner, signs_from);
GRANT SELECT, INSERT, UPDATE, DELETE ON signing_secrets TO farebox_gateway;

CREATE TABLE spending_policies (
  owner text NOT NULL,
  monthly_limit bigint,
  allow_unlimited boolean NOT NULL DEFAULT false,
  daily_limit bigint,
  per_call_limit bigint,
  month_start timestamptz NOT NULL DEFAULT date_trunc('month'::text, now(), 'UTC'::text),
  month_drawn bigint NOT NULL DEFAULT 0,
  day_start timestamptz NOT NULL DEFAULT date_trunc('day'::text, now(), 'UTC'::text),
  day_drawn bigint NOT NULL DEFAULT 0,
  suspended_at timestamptz,
  CONSTRAINT spending_policies_pkey PRIMARY KEY (owner),
  CONSTRAINT spending_policies_owner_fkey FOREIGN KEY (owner) REFERENCES wallets(address),
  CONSTRAINT spending_policies_daily_limit_check CHECK (daily_limit >= 0),
  CONSTRAINT spending_policies_day_drawn_check CHECK (day_drawn >= 0),
  CONSTRAINT spending_policies_month_drawn_check CHECK (month_drawn >= 0),
  CONSTRAINT spending_policies_monthly_limit_check CHECK (monthly_limit >= 0),
  CONSTRAINT spending_policies_per_call_limit_check CHECK (per_call_limit >= 0)
) WITH (fillfactor = 50);
CREATE TRIGGER spending_policies_are_recorded AFTER INSERT OR DELETE OR UPDATE ON spending_policies FOR EACH ROW WHEN (COALESCE(current_setting('farebox.projecting'::text, true), ''::text) <> 'on'::text) EXECUTE FUNCTION record_change();
GRANT SELECT, INSERT, UPDATE ON spending_policies TO farebox_gateway;

CREATE TABLE support_tasks (
  id text NOT NULL,
  topic_id text NOT NULL,
  category text NOT NULL,
  report jsonb NOT NULL,
  status text NOT NULL DEFAULT 'open'::text,
  note text,
  closed_by text,
  closed_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT support_tasks_pkey PRIMARY KEY (id),
  CONSTRAINT support_tasks_topic_id_key UNIQUE (topic_id),
  CONSTRAINT support_tasks_topic_id_fkey FOREIGN KEY (topic_id) REFERENCES forum_topics(id),
  CONSTRAINT closed_tasks_say_by_whom CHECK ((status = 'closed'::text) = (closed_at IS NOT NULL AND closed_by IS NOT NULL AND note IS NOT NULL)),
  CONSTRAINT support_tasks_category_check CHECK (category = ANY (ARRAY['bug'::text, 'billing'::text, 'account'::text, 'abuse'::text])),
  CONSTRAINT support_tasks_status_check CHECK (status = ANY (ARRAY['open'::text, 'closed'::text]))
);
CREATE INDEX support_tasks_by_status ON support_tasks USING btree (status, id);
GRANT SELECT, INSERT, UPDATE ON support_tasks TO farebox_gateway;

CREATE TABLE target_calls (
  provider text NOT NULL,
  hour timestamptz NOT NULL,
  service_id text NOT NULL,
  url text NOT NULL,
  calls bigint NOT NULL,
  succeeded bigint NOT NULL,
  provider_faults bigint NOT NULL,
  caller_faults bigint NOT NULL,
  other_faults bigint NOT NULL,
  earned bigint NOT NULL,
  latencies bigint[] NOT NULL,
  CONSTRAINT target_calls_pkey PRIMARY KEY (provider, hour, service_id, url),
  CONSTRAINT target_calls_caller_faults_check CHECK (caller_faults >= 0),
  CONSTRAINT target_calls_calls_check CHECK (calls > 0),
  CONSTRAINT target_calls_earned_check CHECK (earned >= 0),
  CONSTRAINT target_calls_other_faults_check CHECK (other_faults >= 0),
  CONSTRAINT target_calls_provider_faults_check CHECK (provider_faults >= 0),
  CONSTRAINT target_calls_succeeded_check CHECK (succeeded >= 0)
);
CREATE INDEX target_calls_by_age ON target_calls USING btree (hour);
GRANT SELECT, INSERT, UPDATE, DELETE ON target_calls TO farebox_gateway;

CREATE TABLE tool_names (
  name text NOT NULL,
  service_id text NOT NULL,
  left_at timestamptz,
  CONSTRAINT tool_names_pkey PRIMARY KEY (name),
  CONSTRAINT tool_names_service_id_fkey FOREIGN KEY (service_id) REFERENCES services(id) DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT tool_names_name_check CHECK (name ~ '^[a-z0-9_-]{1,64}$'::text)
);
CREATE INDEX tool_names_left ON tool_names USING btree (service_id) WHERE left_at IS NOT NULL;
GRANT SELECT, INSERT, UPDATE, DELETE ON tool_names TO farebox_gateway;

CREATE TABLE vault_binding (
  is_only boolean NOT NULL DEFAULT true,
  chain_id bigint NOT NULL,
  vault text NOT NULL,
  token text NOT NULL,
  token_decimals smallint NOT NULL,
  bound_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT vault_binding_pkey PRIMARY KEY (is_only),
  CONSTRAINT vault_binding_is_only_check CHECK (is_only),
  CONSTRAINT vault_binding_token_check CHECK (token ~ '^0x[0-9a-f]{40}$'::text),
  CONSTRAINT vault_binding_token_decimals_check CHECK (token_decimals = 6),
  CONSTRAINT vault_binding_vault_check CHECK (vault ~ '^0x[0-9a-f]{40}$'::text)
);
GRANT SELECT, INSERT, UPDATE ON vault_binding TO farebox_gateway;

CREATE TABLE vault_cursors (
  chain_id bigint NOT NULL,
  vault text NOT NULL,
  block_number bigint NOT NULL,
  block_hash text,
  holder text NOT NULL DEFAULT ''::text,
  lease_until timestamptz NOT NULL DEFAULT now(),
  followed_at timestamptz,
  deposit_base bigint,
  agreed_block bigint,
  agreed_count bigint,
  reread_block bigint,
  block_time bigint,
  CONSTRAINT vault_cursors_pkey PRIMARY KEY (chain_id, vault),
  CONSTRAINT vault_cursors_block_time_check CHECK (block_time >= 0)
);
GRANT SELECT, INSERT, UPDATE ON vault_cursors TO farebox_gateway;

CREATE TABLE vault_deposits (
  chain_id bigint NOT NULL,
  tx_hash text NOT NULL,
  log_index integer NOT NULL,
  wallet text NOT NULL,
  amount bigint NOT NULL,
  block_number bigint NOT NULL,
  block_hash text NOT NULL,
  confirmed_at timestamptz NOT NULL DEFAULT now(),
  credited_at timestamptz,
  vault text,
  gone_at timestamptz,
  reversed_by bigint,
  authorization_nonce text,
  number bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  turn integer NOT NULL DEFAULT 0,
  reference text NOT NULL GENERATED ALWAYS AS (((((chain_id::text || ':'::text) || tx_hash) || ':'::text) || log_index::text) ||
CASE
    WHEN turn > 0 THEN ':'::text || turn::text
    ELSE ''::text
END) STORED,
  CONSTRAINT vault_deposits_pkey PRIMARY KEY (chain_id, tx_hash, log_index, turn),
  CONSTRAINT vault_deposits_reversed_by_fkey FOREIGN KEY (reversed_by) REFERENCES chain_findings(id),
  CONSTRAINT vault_deposits_amount_check CHECK (amount > 0),
  CONSTRAINT vault_deposits_tx_hash_check CHECK (tx_hash ~ '^0x[0-9a-f]{64}$'::text),
  CONSTRAINT vault_deposits_wallet_check CHECK (wallet ~ '^0x[0-9a-f]{40}$'::text)
);
CREATE UNIQUE INDEX vault_deposits_authorizations ON vault_deposits USING btree (chain_id, wallet, authorization_nonce) WHERE authorization_nonce IS NOT NULL AND reversed_by IS NULL AND gone_at IS NULL;
CREATE INDEX vault_deposits_by_account ON vault_deposits USING btree (('consumer:'::text || wallet)) WHERE credited_at IS NOT NULL;
CREATE INDEX vault_deposits_by_block ON vault_deposits USING btree (chain_id, vault, block_number);
CREATE INDEX vault_deposits_by_reference ON vault_deposits USING btree (reference);
CREATE INDEX vault_deposits_gone ON vault_deposits USING btree (chain_id) WHERE gone_at IS NOT NULL AND reversed_by IS NULL;
CREATE INDEX vault_deposits_reversed ON vault_deposits USING btree (tx_hash) WHERE reversed_by IS NOT NULL;
CREATE INDEX vault_deposits_to_credit ON vault_deposits USING btree (chain_id, block_number) WHERE credited_at IS NULL;
GRANT SELECT, INSERT, UPDATE, DELETE ON vault_deposits TO farebox_gateway;

CREATE TABLE vault_redemptions (
  chain_id bigint NOT NULL,
  vault text NOT NULL,
  nonce text NOT NULL,
  tx_hash text NOT NULL,
  log_index integer NOT NULL,
  recipient text NOT NULL,
  amount bigint NOT NULL,
  block_number bigint NOT NULL,
  block_hash text NOT NULL,
  seen_at timestamptz NOT NULL DEFAULT now(),
  gone_at timestamptz,
  adopted_by bigint,
  CONSTRAINT vault_redemptions_pkey PRIMARY KEY (chain_id, vault, nonce),
  CONSTRAINT vault_redemptions_adopted_by_fkey FOREIGN KEY (adopted_by) REFERENCES chain_findings(id),
  CONSTRAINT vault_redemptions_amount_check CHECK (amount > 0),
  CONSTRAINT vault_redemptions_nonce_check CHECK (nonce ~ '^0x[0-9a-f]{64}$'::text),
  CONSTRAINT vault_redemptions_recipient_check CHECK (recipient ~ '^0x[0-9a-f]{40}$'::text),
  CONSTRAINT vault_redemptions_tx_hash_check CHECK (tx_hash ~ '^0x[0-9a-f]{64}$'::text)
);
CREATE INDEX vault_redemptions_by_block ON vault_redemptions USING btree (chain_id, vault, block_number);
CREATE TRIGGER vault_redemptions_stay BEFORE DELETE OR TRUNCATE ON vault_redemptions FOR EACH STATEMENT EXECUTE FUNCTION refuse_removal();
GRANT SELECT, INSERT, UPDATE ON vault_redemptions TO farebox_gateway;

CREATE TABLE vault_surpluses (
  chain_id bigint NOT NULL,
  vault text NOT NULL,
  block_number bigint NOT NULL,
  seen bigint NOT NULL,
  counted bigint NOT NULL,
  newest_deposit bigint NOT NULL,
  CONSTRAINT vault_surpluses_pkey PRIMARY KEY (chain_id, vault),
  CONSTRAINT vault_surpluses_counted_check CHECK (counted >= 0),
  CONSTRAINT vault_surpluses_seen_check CHECK (seen >= 0)
);
GRANT SELECT, INSERT, UPDATE ON vault_surpluses TO farebox_gateway;

CREATE TABLE voucher_redemptions (
  id text NOT NULL,
  voucher_id text NOT NULL,
  wallet text NOT NULL,
  amount bigint NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  promotional bigint NOT NULL DEFAULT 0,
  CONSTRAINT voucher_redemptions_pkey PRIMARY KEY (id),
  CONSTRAINT voucher_redemptions_voucher_id_wallet_key UNIQUE (voucher_id, wallet),
  CONSTRAINT voucher_redemptions_voucher_id_fkey FOREIGN KEY (voucher_id) REFERENCES vouchers(id),
  CONSTRAINT voucher_redemptions_wallet_fkey FOREIGN KEY (wallet) REFERENCES wallets(address),
  CONSTRAINT voucher_redemptions_amount_check CHECK (amount > 0)
);
CREATE INDEX voucher_redemptions_by_account ON voucher_redemptions USING btree (('consumer:'::text || wallet));
GRANT SELECT, INSERT, UPDATE ON voucher_redemptions TO farebox_gateway;

CREATE TABLE vouchers (
  id text NOT NULL,
  batch_id text NOT NULL,
  code_digest bytea NOT NULL,
  amount bigint NOT NULL,
  redemptions_max integer NOT NULL,
  redeemed integer NOT NULL DEFAULT 0,
  expires_at timestamptz NOT NULL,
  created_by text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT vouchers_pkey PRIMARY KEY (id),
  CONSTRAINT vouchers_code_digest_key UNIQUE (code_digest),
  CONSTRAINT vouchers_created_by_fkey FOREIGN KEY (created_by) REFERENCES wallets(address),
  CONSTRAINT no_voucher_pays_more_often_than_promised CHECK (redeemed >= 0 AND redeemed <= redemptions_max),
  CONSTRAINT vouchers_amount_check CHECK (amount > 0),
  CONSTRAINT vouchers_code_digest_check CHECK (length(code_digest) = 32),
  CONSTRAINT vouchers_redemptions_max_check CHECK (redemptions_max > 0)
);
CREATE INDEX vouchers_open ON vouchers USING btree (expires_at) WHERE redeemed < redemptions_max;
GRANT SELECT, INSERT, UPDATE ON vouchers TO farebox_gateway;

CREATE TABLE wallets (
  address text NOT NULL,
  username text NOT NULL,
  is_provider boolean NOT NULL DEFAULT false,
  suspended_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  suspension_reason text,
  CONSTRAINT wallets_pkey PRIMARY KEY (address),
  CONSTRAINT wallets_address_check CHECK (address ~ '^0x[0-9a-f]{40}$'::text)
);
CREATE INDEX wallets_suspended ON wallets USING btree (address) WHERE suspended_at IS NOT NULL;
CREATE CONSTRAINT TRIGGER wallets_catalogue AFTER INSERT OR UPDATE OF suspended_at ON wallets DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (new.suspended_at IS NOT NULL) EXECUTE FUNCTION bump_catalogue();
CREATE CONSTRAINT TRIGGER wallets_catalogue_resumed AFTER UPDATE OF suspended_at ON wallets DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (old.suspended_at IS NOT NULL AND new.suspended_at IS NULL) EXECUTE FUNCTION bump_catalogue();
CREATE TRIGGER wallets_suspend_spending AFTER UPDATE OF suspended_at ON wallets FOR EACH ROW WHEN (old.suspended_at IS DISTINCT FROM new.suspended_at) EXECUTE FUNCTION suspend_spending();
GRANT SELECT, INSERT, UPDATE ON wallets TO farebox_gateway;

CREATE TABLE webhook_deliveries (
  webhook_id text NOT NULL,
  id text NOT NULL,
  type text NOT NULL,
  body text NOT NULL,
  once_key text,
  status text NOT NULL DEFAULT 'pending'::text,
  attempts integer NOT NULL DEFAULT 0,
  failures integer NOT NULL DEFAULT 0,
  response_status smallint,
  error text,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_attempt_at timestamptz,
  next_attempt_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (webhook_id, id),
  CONSTRAINT webhook_deliveries_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhooks(id),
  CONSTRAINT webhook_deliveries_attempts_check CHECK (attempts >= 0),
  CONSTRAINT webhook_deliveries_failures_check CHECK (failures >= 0),
  CONSTRAINT webhook_deliveries_status_check CHECK (status = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text]))
) WITH (fillfactor = 70);
CREATE INDEX webhook_deliveries_by_age ON webhook_deliveries USING btree (created_at);
CREATE INDEX webhook_deliveries_by_due ON webhook_deliveries USING btree (webhook_id, next_attempt_at) WHERE status = 'pending'::text;
CREATE INDEX webhook_deliveries_by_type ON webhook_deliveries USING btree (webhook_id, type, created_at);
CREATE UNIQUE INDEX webhook_deliveries_once ON webhook_deliveries USING btree (webhook_id, type, once_key) WHERE once_key IS NOT NULL;
CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries USING btree (webhook_id, type) WHERE status = 'pending'::text;
GRANT SELECT, INSERT, UPDATE, DELETE ON webhook_deliveries TO farebox_gateway;

CREATE TABLE webhook_suppressions (
  webhook_id text NOT NULL,
  type text NOT NULL,
  minute timestamptz NOT NULL,
  count bigint NOT NULL,
  CONSTRAINT webhook_suppressions_pkey PRIMARY KEY (webhook_id, type, minute),
  CONSTRAINT webhook_suppressions_count_check CHECK (count > 0)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON webhook_suppressions TO farebox_gateway;

CREATE TABLE webhook_wakeups (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  webhook_id text NOT NULL,
  CONSTRAINT webhook_wakeups_pkey PRIMARY KEY (id)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON webhook_wakeups TO farebox_gateway;

CREATE TABLE webhooks (
  id text NOT NULL,
  owner text NOT NULL,
  url text NOT NULL,
  origin text NOT NULL,
  events text[] NOT NULL,
  status text NOT NULL DEFAULT 'active'::text,
  disabled_reason text,
  secret text,
  previous_secret text,
  previous_until timestamptz,
  is_prompt boolean NOT NULL DEFAULT false,
  failing_since timestamptz,
  failures integer NOT NULL DEFAULT 0,
  last_success_at timestamptz,
  due_at timestamptz NOT NULL DEFAULT 'infinity'::timestamp with time zone,
  paused_until timestamptz NOT NULL DEFAULT '-infinity'::timestamp with time zone,
  claimed_until timestamptz NOT NULL DEFAULT '-infinity'::timestamp with time zone,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT webhooks_pkey PRIMARY KEY (id),
  CONSTRAINT webhooks_owner_fkey FOREIGN KEY (owner) REFERENCES wallets(address),
  CONSTRAINT deleted_webhooks_have_no_secret CHECK ((status = 'deleted'::text) = (secret IS NULL)),
  CONSTRAINT disabled_webhooks_have_a_reason CHECK ((status = 'disabled'::text) = (disabled_reason IS NOT NULL)),
  CONSTRAINT failing_webhooks_have_failures CHECK ((failing_since IS NULL) = (failures = 0)),
  CONSTRAINT previous_secrets_end CHECK ((previous_secret IS NULL) = (previous_until IS NULL)),
  CONSTRAINT webhooks_disabled_reason_check CHECK (disabled_reason = ANY (ARRAY['owner'::text, 'gone'::text, 'failing'::text])),
  CONSTRAINT webhooks_events_check CHECK (cardinality(events) >= 1 AND cardinality(events) <= 20) NOT VALID,
  CONSTRAINT webhooks_failures_check CHECK (failures >= 0),
  CONSTRAINT webhooks_status_check CHECK (status = ANY (ARRAY['active'::text, 'disabled'::text, 'deleted'::text]))
) WITH (fillfactor = 50);
CREATE INDEX webhooks_by_due ON webhooks USING btree (is_prompt, due_at) WHERE status = 'active'::text AND due_at < 'infinity'::timestamp with time zone;
CREATE INDEX webhooks_by_owner ON webhooks USING btree (owner, id) WHERE status <> 'deleted'::text;
CREATE INDEX webhooks_deleted ON webhooks USING btree (updated_at) WHERE status = 'deleted'::text;
CREATE TRIGGER webhooks_are_watched AFTER INSERT OR UPDATE OF events ON webhooks FOR EACH ROW EXECUTE FUNCTION watch_subscribed();
GRANT SELECT, INSERT, UPDATE, DELETE ON webhooks TO farebox_gateway;

CREATE TABLE withdrawals (
  id text NOT NULL,
  wallet text NOT NULL,
  amount bigint NOT NULL,
  status text NOT NULL,
  nonce text NOT NULL,
  deadline bigint,
  signature text,
  issued_block bigint,
  tx_hash text,
  redeemed_in text,
  redeemed_block bigint,
  review_reason text,
  opened_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  chain_id bigint,
  vault text,
  signer text,
  promotional bigint NOT NULL DEFAULT 0,
  is_automatic boolean NOT NULL DEFAULT false,
  source text NOT NULL DEFAULT 'earnings'::text,
  opened_by text,
  review_causes text[] NOT NULL DEFAULT '{}'::text[],
  CONSTRAINT withdrawals_pkey PRIMARY KEY (id),
  CONSTRAINT withdrawals_nonce_key UNIQUE (nonce),
  CONSTRAINT approved_withdrawals_have_a_ticket CHECK ((status <> ALL (ARRAY['APPROVED_AUTO'::text, 'APPROVED_MANUAL'::text, 'COMPLETED'::text, 'CANCELLED'::text])) OR deadline IS NOT NULL),
  CONSTRAINT completed_withdrawals_were_redeemed CHECK ((status = 'COMPLETED'::text) = (redeemed_in IS NOT NULL)),
  CONSTRAINT only_redeemed_withdrawals_bind_a_transaction CHECK (tx_hash IS NULL OR redeemed_in IS NOT NULL),
  CONSTRAINT redemptions_have_a_height CHECK ((redeemed_in IS NULL) = (redeemed_block IS NULL)),
  CONSTRAINT tickets_are_whole CHECK ((deadline IS NULL) = (signature IS NULL) AND (deadline IS NULL) = (issued_block IS NULL)),
  CONSTRAINT tickets_name_their_vault CHECK ((deadline IS NULL) = (vault IS NULL) AND (chain_id IS NULL) = (vault IS NULL)),
  CONSTRAINT withdrawals_amount_check CHECK (amount > 0),
  CONSTRAINT withdrawals_check CHECK (promotional >= 0 AND promotional <= amount),
  CONSTRAINT withdrawals_signer_check CHECK (signer ~ '^0x[0-9a-f]{40}$'::text),
  CONSTRAINT withdrawals_source_check CHECK (source = ANY (ARRAY['earnings'::text, 'fees'::text])),
  CONSTRAINT withdrawals_status_check CHECK (status = ANY (ARRAY['PENDING_REVIEW'::text, 'APPROVED_AUTO'::text, 'APPROVED_MANUAL'::text, 'COMPLETED'::text, 'CANCELLED'::text, 'REJECTED'::text])),
  CONSTRAINT withdrawals_tx_hash_check CHECK (tx_hash ~ '^0x[0-9a-f]{64}$'::text),
  CONSTRAINT withdrawals_vault_check CHECK (vault ~ '^0x[0-9a-f]{40}$'::text),
  CONSTRAINT withdrawals_wallet_check CHECK (wallet ~ '^0x[0-9a-f]{40}$'::text)
);
CREATE INDEX withdrawals_automatic_of_a_day ON withdrawals USING btree (opened_at) INCLUDE (amount) WHERE is_automatic;
CREATE INDEX withdrawals_by_redemption ON withdrawals USING btree (redeemed_block) WHERE redeemed_block IS NOT NULL;
CREATE UNIQUE INDEX withdrawals_by_tx_hash ON withdrawals USING btree (tx_hash) WHERE tx_hash IS NOT NULL;
CREATE INDEX withdrawals_by_wallet ON withdrawals USING btree (wallet, id);
CREATE INDEX withdrawals_of_a_day ON withdrawals USING btree (wallet, opened_at);
CREATE INDEX withdrawals_of_fees ON withdrawals USING btree (id) WHERE source = 'fees'::text;
CREATE INDEX withdrawals_paid_by_account ON withdrawals USING btree (('provider:'::text || wallet)) WHERE status = 'COMPLETED'::text;
CREATE INDEX withdrawals_promotional_by_account ON withdrawals USING btree (('provider:'::text || wallet)) WHERE promotional > 0;
CREATE INDEX withdrawals_to_review ON withdrawals USING btree (id) WHERE status = 'PENDING_REVIEW'::text;
CREATE INDEX withdrawals_with_open_ticket ON withdrawals USING btree (deadline) WHERE status = ANY (ARRAY['APPROVED_AUTO'::text, 'APPROVED_MANUAL'::text]);
GRANT SELECT, INSERT, UPDATE ON withdrawals TO farebox_gateway;

CREATE TABLE x402_payers (
  wallet text NOT NULL,
  credential_id text NOT NULL,
  token_digest bytea NOT NULL,
  CONSTRAINT x402_payers_pkey PRIMARY KEY (wallet),
  CONSTRAINT x402_payers_credential_id_fkey FOREIGN KEY (credential_id) REFERENCES credentials(id),
  CONSTRAINT x402_payers_wallet_fkey FOREIGN KEY (wallet) REFERENCES wallets(address)
);
GRANT SELECT, INSERT, UPDATE ON x402_payers TO farebox_gateway;

CREATE TABLE x402_payments (
  payer text NOT NULL,
  nonce text NOT NULL,
  signature text NOT NULL,
  amount bigint NOT NULL,
  request_hash bytea,
  transactions text[] NOT NULL DEFAULT '{}'::text[],
  sent_at timestamptz,
  settled_in text,
  credential_id text,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT x402_payments_pkey PRIMARY KEY (payer, nonce),
  CONSTRAINT x402_payments_credential_id_fkey FOREIGN KEY (credential_id) REFERENCES credentials(id),
  CONSTRAINT x402_payments_amount_check CHECK (amount > 0),
  CONSTRAINT x402_payments_nonce_check CHECK (nonce ~ '^0x[0-9a-f]{64}$'::text),
  CONSTRAINT x402_payments_payer_check CHECK (payer ~ '^0x[0-9a-f]{40}$'::text)
);
GRANT SELECT, INSERT, UPDATE ON x402_payments TO farebox_gateway;

CREATE TABLE x402_senders (
  address text NOT NULL,
  holder text NOT NULL,
  lease_until timestamptz NOT NULL,
  CONSTRAINT x402_senders_pkey PRIMARY KEY (address)
);
GRANT SELECT, INSERT, UPDATE ON x402_senders TO farebox_gateway;

CREATE TABLE x402_sign_ins (
  nonce text NOT NULL,
  expires_at timestamptz NOT NULL,
  CONSTRAINT x402_sign_ins_pkey PRIMARY KEY (nonce)
);
CREATE INDEX x402_sign_ins_by_expiry ON x402_sign_ins USING btree (expires_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON x402_sign_ins TO farebox_gateway;

CREATE VIEW invocation_fees AS
 SELECT s.owner,
    s.fees AS fee
   FROM book_checkpoints b
     JOIN owner_sums s ON s.checkpoint = b.id
  WHERE b.is_live
UNION ALL
 SELECT u.owner,
    u.fee
   FROM unsummed_calls u
  WHERE u.fee > 0 AND ((( SELECT accounts.posted
           FROM accounts
          WHERE accounts.id = 'fees'::text))::numeric + (( SELECT COALESCE(sum(withdrawals.amount), 0::numeric) AS "coalesce"
           FROM withdrawals
          WHERE withdrawals.source = 'fees'::text AND withdrawals.status = 'COMPLETED'::text))) <> (( SELECT book_checkpoints.fee_sum
           FROM book_checkpoints
          WHERE book_checkpoints.is_live))::numeric;
GRANT SELECT ON invocation_fees TO farebox_gateway;

CREATE VIEW invocation_reservations AS
 SELECT 'consumer:'::text || i.owner AS account,
    i.hold AS amount,
    i.id AS reference
   FROM open_calls o
     JOIN invocations i ON i.id = o.invocation_id;
GRANT SELECT ON invocation_reservations TO farebox_gateway;

CREATE VIEW open_reservations AS
 SELECT invocation_reservations.account,
    invocation_reservations.amount,
    invocation_reservations.reference
   FROM invocation_reservations
UNION ALL
 SELECT withdrawal_reservations.account,
    withdrawal_reservations.amount,
    withdrawal_reservations.reference
   FROM withdrawal_reservations;
GRANT SELECT ON open_reservations TO farebox_gateway;

CREATE VIEW provider_earnings AS
 SELECT e.provider,
    e.service_id,
    e.day,
    e.calls,
    e.earned
   FROM book_checkpoints b
     JOIN earned_days e ON e.checkpoint = b.id
  WHERE b.is_live
UNION ALL
 SELECT u.provider,
    u.service_id,
    (u.finished_at AT TIME ZONE 'UTC'::text)::date AS day,
    1::bigint AS calls,
    u.charged - u.fee AS earned
   FROM unsummed_calls u
  WHERE u.status = 'SUCCEEDED'::text;
GRANT SELECT ON provider_earnings TO farebox_gateway;

CREATE VIEW recorded_movements AS
 SELECT 'deposit'::text AS kind,
    vault_deposits.reference,
    'consumer:'::text || vault_deposits.wallet AS credit,
    'vault'::text AS debit,
    vault_deposits.amount,
    vault_deposits.xmin AS version
   FROM vault_deposits
  WHERE vault_deposits.credited_at IS NOT NULL
UNION ALL
 SELECT 'promotion-funding'::text AS kind,
    promotion_fundings.id AS reference,
    'promotions'::text AS credit,
    'consumer:'::text || promotion_fundings.wallet AS debit,
    promotion_fundings.amount,
    promotion_fundings.xmin AS version
   FROM promotion_fundings
UNION ALL
 SELECT 'voucher'::text AS kind,
    voucher_redemptions.id AS reference,
    'consumer:'::text || voucher_redemptions.wallet AS credit,
    'promotions'::text AS debit,
    voucher_redemptions.amount,
    voucher_redemptions.xmin AS version
   FROM voucher_redemptions
UNION ALL
 SELECT 'withdrawal-paid'::text AS kind,
    withdrawals.id AS reference,
    'vault'::text AS credit,
    'provider:'::text || withdrawals.wallet AS debit,
    withdrawals.amount,
    withdrawals.xmin AS version
   FROM withdrawals
  WHERE withdrawals.status = 'COMPLETED'::text AND withdrawals.source = 'earnings'::text
UNION ALL
 SELECT 'withdrawal-paid'::text AS kind,
    withdrawals.id AS reference,
    'vault'::text AS credit,
    'fees'::text AS debit,
    withdrawals.amount,
    withdrawals.xmin AS version
   FROM withdrawals
  WHERE withdrawals.status = 'COMPLETED'::text AND withdrawals.source = 'fees'::text
UNION ALL
 SELECT settlements.kind,
    settlements.reference,
    'vault'::text AS credit,
    settlements.account AS debit,
    settlements.charged AS amount,
    settlements.xmin AS version
   FROM settlements
  WHERE settlements.charged > 0
UNION ALL
 SELECT 'loss'::text AS kind,
    settlements.reference,
    'vault'::text AS credit,
    'losses'::text AS debit,
    settlements.borne AS amount,
    settlements.xmin AS version
   FROM settlements
  WHERE settlements.borne > 0;
GRANT SELECT ON recorded_movements TO farebox_gateway;

CREATE VIEW recorded_promotions AS
 SELECT promotional_openings.account,
    promotional_openings.amount,
    promotional_openings.xmin AS version
   FROM promotional_openings
UNION ALL
 SELECT 'consumer:'::text || voucher_redemptions.wallet AS account,
    voucher_redemptions.promotional AS amount,
    voucher_redemptions.xmin AS version
   FROM voucher_redemptions
UNION ALL
 SELECT 'consumer:'::text || promotion_fundings.wallet AS account,
    - promotion_fundings.promotional AS amount,
    promotion_fundings.xmin AS version
   FROM promotion_fundings
UNION ALL
 SELECT 'provider:'::text || withdrawals.wallet AS account,
    - withdrawals.promotional AS amount,
    withdrawals.xmin AS version
   FROM withdrawals
  WHERE withdrawals.promotional > 0 AND (withdrawals.status <> ALL (ARRAY['CANCELLED'::text, 'REJECTED'::text]))
UNION ALL
 SELECT settlements.account,
    - settlements.promotional AS amount,
    settlements.xmin AS version
   FROM settlements;
GRANT SELECT ON recorded_promotions TO farebox_gateway;

CREATE VIEW tickets_out AS
 SELECT id,
    wallet,
    amount
   FROM withdrawals
  WHERE (status = ANY (ARRAY['APPROVED_AUTO'::text, 'APPROVED_MANUAL'::text])) AND source = 'earnings'::text;
GRANT SELECT ON tickets_out TO farebox_gateway;

CREATE VIEW unsummed_calls AS
 SELECT i.id,
    i.owner,
    i.provider,
    i.service_id,
    i.status,
    i.charged,
    i.fee,
    i.finished_at
   FROM book_checkpoints b
     JOIN invocations i ON i.id >= b.first_call AND i.drawn_at >= b.drawn_before
  WHERE b.is_live
UNION ALL
 SELECT i.id,
    i.owner,
    i.provider,
    i.service_id,
    i.status,
    i.charged,
    i.fee,
    i.finished_at
   FROM book_checkpoints b
     JOIN carried_calls k ON k.checkpoint = b.id
     JOIN invocations i ON i.id = k.invocation_id
  WHERE b.is_live AND k.owner = i.owner AND k.provider = i.provider AND i.drawn_at < b.drawn_before;
GRANT SELECT ON unsummed_calls TO farebox_gateway;

CREATE VIEW voucher_obligations AS
 SELECT id,
    amount * (redemptions_max - redeemed) AS amount
   FROM vouchers
  WHERE redeemed < redemptions_max AND expires_at > clock_timestamp();
GRANT SELECT ON voucher_obligations TO farebox_gateway;

CREATE VIEW withdrawal_reservations AS
 SELECT
        CASE source
            WHEN 'fees'::text THEN 'fees'::text
            ELSE 'provider:'::text || wallet
        END AS account,
    amount,
    id AS reference
   FROM withdrawals
  WHERE status = ANY (ARRAY['PENDING_REVIEW'::text, 'APPROVED_AUTO'::text, 'APPROVED_MANUAL'::text]);
GRANT SELECT ON withdrawal_reservations TO farebox_gateway;

CREATE OR REPLACE FUNCTION announce_events(ids text[], owners text[], types text[], datas text[], once_keys text[], per_minutes integer[], left_out integer[], waiting_max integer)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  told_at timestamptz := clock_timestamp();
begin
  perform 1 from webhooks
  where owner = any(owners) and status = 'active' and events && types limit 1;
  if not found then return; end if;

  with
    asked as (
      select w.id as webhook_id, e.id, e.type, e.data, e.once_key, e.per_minute, e.left_out,
             row_number() over (partition by w.id, e.type order by e.position) as place
      from unnest(ids, owners, types, datas, once_keys, per_minutes, left_out) with ordinality
             as e (id, owner, type, data, once_key, per_minute, left_out, position)
      join webhooks w on w.owner = e.owner
      where w.status = 'active' and e.type = any(w.events)),
    room as (
      select t.webhook_id, t.type, least(
          t.per_minute - (select count(*) from (
            select 1 from webhook_deliveries d
            where d.webhook_id = t.webhook_id and d.type = t.type and d.created_at > told_at - interval '1 minute'
            limit waiting_max) as recent),
          waiting_max - (select count(*) from (
            select 1 from webhook_deliveries d
            where d.webhook_id = t.webhook_id and d.type = t.type and d.status = 'pending'
            limit waiting_max) as waiting)) as places
      from (select webhook_id, type, max(per_minute) as per_minute from asked group by webhook_id, type) as t),
    queued as (
      insert into webhook_deliveries (webhook_id, id, type, body, once_key, created_at, next_attempt_at)
      select asked.webhook_id, asked.id, asked.type,
             format('{"type":"%s","timestamp":"%s","data":%s}', asked.type,
                    to_char(told_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), asked.data),
             asked.once_key, told_at, told_at
      from asked join room using (webhook_id, type)
      where asked.place <= room.places
      -- By key: two transactions that tell the same must not wait for each other.
      order by asked.webhook_id, asked.type, asked.once_key
      on conflict do nothing
      returning webhook_id),
    woken as (
      insert into webhook_wakeups (webhook_id) select distinct webhook_id from queued)
  insert into webhook_suppressions (webhook_id, type, minute, count)
  select asked.webhook_id, asked.type, date_trunc('minute', told_at),
         sum(asked.left_out + (asked.place > room.places)::integer)
  from asked join room using (webhook_id, type)
  group by asked.webhook_id, asked.type
  having sum(asked.left_out + (asked.place > room.places)::integer) > 0
  order by asked.webhook_id, asked.type
  on conflict (webhook_id, type, minute) do update
    set count = webhook_suppressions.count + excluded.count;
end $function$;

CREATE OR REPLACE FUNCTION bump_catalogue()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update catalogue set version = version + 1, changed_by = pg_current_xact_id()
  where changed_by <> pg_current_xact_id();
  return null;
end $function$;

CREATE OR REPLACE FUNCTION bump_version()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.version := old.version + 1;
  new.updated_at := now();
  return new;
end $function$;

CREATE OR REPLACE FUNCTION check_invocation_state()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if (old.status, new.status) not in (
    ('PENDING', 'PROCESSING'), ('PENDING', 'SUCCEEDED'), ('PENDING', 'FAILED_RETRYABLE'), ('PENDING', 'FAILED_FINAL'),
    ('PROCESSING', 'SUCCEEDED'), ('PROCESSING', 'FAILED_FINAL'))
  then
    raise exception 'invocation % is %, and may not become %', old.id, old.status, new.status
      using errcode = 'check_violation';
  end if;
  if new.status = 'PROCESSING' and not exists (select from open_calls o where o.invocation_id = new.id) then
    raise exception 'invocation % may not become PROCESSING: it has no row in open_calls', new.id
      using errcode = 'check_violation';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION endpoints_of(id text)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  select coalesce(string_agg(distinct part, ' '), '')
  from service_targets t,
    lateral regexp_match(t.url, '^[a-z]+://(?:[^/?#@]*@)?([^/?#:]+|\[[^\]]*\])(?::[0-9]+)?([^?#]*)') as found (parts),
    lateral (
      select parts[1] as part
      union all
      select segment from regexp_split_to_table(parts[2], '/') as segment
      where segment ~ '^([a-z]+([-_.][a-z]+)*|v[0-9]{1,3})$' and length(segment) <= 32) as named
  where t.service_id = id
$function$;

CREATE OR REPLACE FUNCTION entry_text(e entries)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  select concat_ws(E'\n', e.id, e.kind, e.account, e.amount,
    to_char(e.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), e.reference)
$function$;

CREATE OR REPLACE FUNCTION expect_counts(written bigint[], decided bigint[], what text[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  if written is distinct from decided then
    for i in 1 .. cardinality(what) loop
      if written[i] is distinct from decided[i] then
        raise exception '%: % rows written, % decided', what[i], written[i], decided[i];
      end if;
    end loop;
    raise exception 'what was decided does not fit what was written';
  end if;
end $function$;

CREATE OR REPLACE FUNCTION expect_rows(written bigint, expected bigint, what text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  if written <> expected then
    raise exception '%: % rows written, % decided', what, written, expected;
  end if;
end $function$;

CREATE OR REPLACE FUNCTION find_token_holders(digests bytea[])
 RETURNS TABLE(digest bytea, id text, owner text, name text, rpm integer, allowed_services text[], status text, max_cost_per_call bigint, is_expired boolean, is_suspended boolean, lasts_ms double precision)
 LANGUAGE plpgsql
 STABLE
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_indexscan TO 'off'
 SET enable_indexonlyscan TO 'off'
AS $function$
begin
  return query
    select asked.digest, c.id, c.owner, c.name, c.rpm, c.allowed_services, c.status, c.max_cost_per_call,
      coalesce(c.expires_at <= now(), false), w.suspended_at is not null,
      1000 * extract(epoch from
        least(c.expires_at, case when c.token_hash <> asked.digest then c.previous_expires_at end) - now())::float8
    from unnest((select digests)) as asked (digest)
    join credentials c on c.token_hash = asked.digest
      or (c.previous_token_hash = asked.digest and c.previous_expires_at > now())
    join wallets w on w.address = c.owner;
end $function$;

CREATE OR REPLACE FUNCTION fold_text(given text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select regexp_replace(
    regexp_replace(lower(normalize(given, nfkd) collate "und-x-icu"), '[\u0300-\u036f]', '', 'g'),
    '[\u0001-\u002f\u003a-\u0060\u007b-\u00bf\u2000-\u206f\u3000-\u303f]+', ' ', 'g')
$function$;

CREATE OR REPLACE FUNCTION ledger_catch_up()
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare
  behind smallint[];
begin
  select array_agg(p.partition order by p.partition) into behind
  from ledger_partitions p join ledger_projections j on j.partition = p.partition where p.head > j.projected;
  if behind is null then return 0; end if;
  perform set_config('synchronous_commit', 'off', true);
  return ledger_project(behind);
end $function$;

CREATE OR REPLACE FUNCTION ledger_hash(previous bytea, partition smallint, seq bigint, writer text, held text, awaited text, ended text, credentials text, policies text, accounts text, changed text)
 RETURNS bytea
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select sha256(previous || convert_to(partition::text || E'\n' || seq::text || E'\n' || writer || E'\n'
    || coalesce(held, '') || E'\n' || coalesce(awaited, '') || E'\n' || coalesce(ended, '') || E'\n'
    || coalesce(credentials, '') || E'\n' || coalesce(policies, '') || E'\n' || coalesce(accounts, '') || E'\n'
    || coalesce(changed, ''), 'UTF8'))
$function$;

CREATE OR REPLACE FUNCTION ledger_lock(owners text[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  wanted smallint[] := array(select distinct ledger_partition_of(owner) from unnest(owners) as owner order by 1);
begin
  perform 1 from unnest(wanted) as w (partition) join ledger_partitions p on p.partition = w.partition
  order by p.partition for update of p;
  perform ledger_project(wanted);
end $function$;

CREATE OR REPLACE FUNCTION ledger_partition_of(owner text)
 RETURNS smallint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select (get_byte(sha256(owner::bytea), 0) & 15)::smallint
$function$;

CREATE OR REPLACE FUNCTION ledger_project(wanted smallint[])
 RETURNS integer
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'on'
 SET jit TO 'off'
 SET enable_indexscan TO 'off'
 SET enable_indexonlyscan TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
declare
  -- Set here and not of the function: for that, an owner of the schema would have to be a superuser.
  said constant text := coalesce(current_setting('farebox.projecting', true), '');
  rows_max constant bigint := 32;
  ranges ledger_range[];
  total integer := 0;
begin
  perform set_config('farebox.projecting', 'on', true);
  perform 1 from unnest(wanted) as w (partition) join ledger_projections j on j.partition = w.partition
  order by j.partition for update of j;
  loop
    select array_agg(row(j.partition, j.projected, least(p.head, j.projected + rows_max))::ledger_range) into ranges
    from unnest(wanted) as w (partition) join ledger_projections j on j.partition = w.partition
    join ledger_partitions p on p.partition = w.partition
    where p.head > j.projected;
    exit when ranges is null;
    perform ledger_project_calls(ranges);
    perform ledger_project_awaited(ranges);
    perform ledger_project_state(ranges);
    update ledger_projections j set projected = b.upto from unnest(ranges) b where j.partition = b.partition;
    total := total + (select sum(upto - after)::integer from unnest(ranges));
  end loop;
  perform set_config('farebox.projecting', said, true);
  return total;
end $function$;

CREATE OR REPLACE FUNCTION ledger_project_awaited(ranges ledger_range[])
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_indexscan TO 'off'
 SET enable_indexonlyscan TO 'off'
AS $function$
declare
  awaited ledger_awaited[];
begin
  select array_agg(w) into awaited
  from unnest(ranges) b join ledger_log l on l.partition = b.partition and l.seq > b.after and l.seq <= b.upto
  cross join lateral json_populate_recordset(null::ledger_awaited, l.awaited) w where l.awaited is not null;
  if awaited is null then return; end if;
  update invocations i
  set status = 'PROCESSING', latency_ms = w.latency_ms, attempts = w.attempts, error_code = w.error_code
  from unnest(awaited) w
  where i.id = w.id and (i.partition = ledger_partition_of(w.owner) or i.partition is null) and i.status = 'PENDING';
  with told as materialized (
    select w.id, w.owner, w.reason, w.at, i.status = 'PROCESSING' as is_processing, r.result
    from unnest(awaited) w
    join invocations i on i.id = w.id and (i.partition = ledger_partition_of(w.owner) or i.partition is null)
    left join pending_results r
      on r.invocation_id = w.id and (r.partition = ledger_partition_of(w.owner) or r.partition is null))
  update metered_calls m
  set processing_reason = t.reason, processing_since = case when t.is_processing then t.at end,
    pending_result = case when t.is_processing then t.result end
  from told t
  where m.invocation_id = t.id and (m.partition = ledger_partition_of(t.owner) or m.partition is null);
  delete from pending_results r using unnest(awaited) w
  where r.invocation_id = w.id and (r.partition = ledger_partition_of(w.owner) or r.partition is null);
end $function$;

CREATE OR REPLACE FUNCTION ledger_project_calls(ranges ledger_range[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  earned ledger_earned[];
  ended_later ledger_ended[];
  ended ledger_ended[];
begin
  with
  held as materialized (
    select b.partition, h.* from unnest(ranges) b
    join ledger_log l on l.partition = b.partition and l.seq > b.after and l.seq <= b.upto
    cross join lateral json_populate_recordset(null::ledger_held, l.held) h where l.held is not null),
  ended as materialized (
    select e.* from unnest(ranges) b
    join ledger_log l on l.partition = b.partition and l.seq > b.after and l.seq <= b.upto
    cross join lateral json_populate_recordset(null::ledger_ended, l.ended) e where l.ended is not null),
  ended_later as materialized (
    select e.* from ended e left join held h on h.id = e.id where h.id is null),
  of_held as (
    insert into invocations
      (id, credential_id, idempotency_key, request_hash, owner, provider, service_id, hold, drawn_at, status, charged,
       fee, promotional, finished_at, latency_ms, attempts, error_code, partition)
    select h.id, h.credential, h.key, decode(h.hash, 'hex'), h.owner, h.provider, h.service, h.hold, h.at,
      coalesce(e.status, 'PENDING'), coalesce(e.charge, 0), coalesce(e.fee, 0), coalesce(e.promotional, 0), e.at,
      e.latency_ms, coalesce(e.attempts, 0), e.error_code, h.partition
    from held h left join ended e on e.id = h.id),
  of_open as (
    insert into open_calls (invocation_id, instance_id, partition)
    select h.id, h.instance, h.partition from held h left join ended e on e.id = h.id where e.id is null),
  of_metered as (
    insert into metered_calls
      (invocation_id, input_price, output_price, max_output_tokens, pre_auth_mode, is_streamed, cache_read_price,
       cache_write_price, max_input_tokens, fee_bps, input_tokens, output_tokens, cost, reported_by,
       cache_read_tokens, cache_write_tokens, stated_total, partition)
    select h.id, h.input_price, h.output_price, h.max_output_tokens, h.pre_auth_mode, h.is_streamed,
      h.cache_read_price, h.cache_write_price, h.max_input_tokens, h.fee_bps, e.input_tokens, e.output_tokens, e.cost,
      e.reported_by, e.cache_read_tokens, e.cache_write_tokens, e.stated_total, h.partition
    from held h left join ended e on e.id = h.id where h.input_price is not null),
  of_free as (
    insert into free_answers (invocation_id, partition)
    select e.id, ledger_partition_of(e.owner) from ended e where e.hold = 0)
  select array_agg(row(id, amount, promotional)::ledger_earned order by id), (select array_agg(e) from ended_later e),
    (select array_agg(e) from ended e)
  into earned, ended_later, ended
  from (
    select 'provider:' || e.provider as id, sum(e.charge - e.fee)::bigint as amount,
      sum(least(e.promotional, e.charge - e.fee))::bigint as promotional
    from ended e where e.status = 'SUCCEEDED' group by e.provider
    union all
    select 'fees', sum(e.fee)::bigint, 0 from ended e where e.fee > 0 having sum(e.fee) > 0) sums;

  perform ledger_project_ended(ended_later);
  perform ledger_project_earned(earned);
  insert into entries (kind, reference, account, amount)
  select 'capture', e.id, s.account, s.amount
  from unnest(ended) e cross join lateral (
    values ('consumer:' || e.owner, -e.charge), ('provider:' || e.provider, e.charge - e.fee), ('fees', e.fee)
  ) as s (account, amount) where s.amount <> 0;
end $function$;

CREATE OR REPLACE FUNCTION ledger_project_earned(earned ledger_earned[])
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_indexscan TO 'off'
 SET enable_indexonlyscan TO 'off'
AS $function$
declare
  ids constant text[] := array(select id from unnest(earned) order by id);
begin
  if earned is null then return; end if;
  insert into accounts (id) select missing from unnest(ids) as missing
  where not exists (select from accounts a where a.id = missing) order by 1 on conflict do nothing;
  perform 1 from accounts a where a.id = any(ids) order by a.id for update;
  update accounts a set posted = a.posted + n.amount, promotional = a.promotional + n.promotional
  from unnest(earned) n where a.id = n.id;
end $function$;

CREATE OR REPLACE FUNCTION ledger_project_ended(ended ledger_ended[])
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_indexscan TO 'off'
 SET enable_indexonlyscan TO 'off'
AS $function$
begin
  if ended is null then return; end if;
  update invocations i
  set status = e.status, charged = e.charge, fee = e.fee, promotional = e.promotional, finished_at = e.at,
    latency_ms = e.latency_ms, attempts = e.attempts, error_code = e.error_code
  from unnest(ended) e where i.id = e.id and (i.partition = ledger_partition_of(e.owner) or i.partition is null);
  delete from open_calls o using unnest(ended) e
  where o.invocation_id = e.id and (o.partition = ledger_partition_of(e.owner) or o.partition is null);
  update metered_calls m
  set input_tokens = e.input_tokens, output_tokens = e.output_tokens, cost = e.cost, reported_by = e.reported_by,
    cache_read_tokens = e.cache_read_tokens, cache_write_tokens = e.cache_write_tokens,
    stated_total = e.stated_total, processing_since = null, pending_result = null
  from unnest(ended) e
  where e.is_metered and m.invocation_id = e.id
    and (m.partition = ledger_partition_of(e.owner) or m.partition is null);
end $function$;

CREATE OR REPLACE FUNCTION ledger_project_state(ranges ledger_range[])
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_indexscan TO 'off'
 SET enable_indexonlyscan TO 'off'
AS $function$
begin
  update credentials c
  set calls_used = n.calls_used, spent = n.spent, held = n.held, interval_start = n.interval_start,
    rate_window = decode(n.rate_window, 'base64')
  from (
    select distinct on (s.id) s.* from unnest(ranges) b
    join ledger_log l on l.partition = b.partition and l.seq > b.after and l.seq <= b.upto
    cross join lateral json_populate_recordset(null::ledger_credential, l.credentials) s
    where l.credentials is not null order by s.id, l.seq desc) n
  where c.id = n.id;
  update spending_policies p
  set month_start = n.month_start, month_drawn = n.month_drawn, day_start = n.day_start, day_drawn = n.day_drawn
  from (
    select distinct on (s.owner) s.* from unnest(ranges) b
    join ledger_log l on l.partition = b.partition and l.seq > b.after and l.seq <= b.upto
    cross join lateral json_populate_recordset(null::ledger_policy, l.policies) s
    where l.policies is not null order by s.owner, l.seq desc) n
  where p.owner = n.owner;
  update accounts a set posted = n.posted, reserved = n.reserved, promotional = n.promotional
  from (
    select distinct on (s.owner) s.* from unnest(ranges) b
    join ledger_log l on l.partition = b.partition and l.seq > b.after and l.seq <= b.upto
    cross join lateral json_populate_recordset(null::ledger_account, l.accounts) s
    where l.accounts is not null order by s.owner, l.seq desc) n
  where a.id = 'consumer:' || n.owner;
end $function$;

CREATE OR REPLACE FUNCTION ledger_record(owner text, change json)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  own constant smallint := ledger_partition_of(owner);
  writer constant text := 'transaction ' || pg_current_xact_id()::text;
  next_seq bigint;
  next_hash bytea;
begin
  perform ledger_lock(array[owner]);
  update ledger_partitions p
  set head = p.head + 1,
    hash = ledger_hash(p.hash, own, p.head + 1, writer, null, null, null, null, null, null, change::text)
  where p.partition = own returning p.head, p.hash into next_seq, next_hash;
  insert into ledger_log (partition, seq, writer, changed, hash) values (own, next_seq, writer, change, next_hash);
  update ledger_projections j set projected = next_seq where j.partition = own;
end $function$;

CREATE OR REPLACE FUNCTION liability_node(hashes bytea, sums bigint[], OUT hash bytea, OUT sum bigint)
 RETURNS record
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION liability_slice(wallet text, slices integer)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select hashtext(wallet) & (slices - 1)
$function$;

CREATE OR REPLACE FUNCTION liability_text(wallet text, salt bytea, balance bigint)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select concat_ws(E'\n', wallet, '0x' || encode(salt, 'hex'), balance)
$function$;

CREATE OR REPLACE FUNCTION merkle_root(leaves bytea)
 RETURNS bytea
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION record_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
declare
  counters constant text[] := array[
    'posted', 'reserved', 'promotional', 'calls_used', 'spent', 'held', 'interval_start', 'rate_window', 'month_start',
    'month_drawn', 'day_start', 'day_drawn'];
  written constant json := row_to_json(coalesce(new, old));
  owner text := written ->> 'owner';
  own smallint;
  after bigint;
begin
  if tg_table_name = 'accounts' then
    owner := substring(written ->> 'id' from '^consumer:(.*)$');
  elsif tg_table_name = 'open_calls' then
    select i.owner into owner from invocations i where i.id = written ->> 'invocation_id';
  end if;
  if owner is null then return null; end if;
  if current_setting('application_name') = 'farebox-batches' then
    raise exception 'a gateway of an earlier version is running beside newer ones: stop it';
  end if;
  -- What is not projected yet would overwrite it.
  if tg_op = 'UPDATE' and to_jsonb(old) <> to_jsonb(new) and exists (
    select from unnest(counters) as counter where to_jsonb(old) -> counter is distinct from to_jsonb(new) -> counter
  ) then
    own := ledger_partition_of(owner);
    perform 1 from ledger_partitions p where p.partition = own for update;
    select j.projected into after from ledger_projections j where j.partition = own;
    if exists (
      select from ledger_log l where l.partition = own and l.seq > after
        and strpos(concat(l.credentials, l.policies, l.accounts), to_json(owner)::text) > 0
    ) then
      raise exception 'calls of % are not projected yet: nothing was written', owner
        using hint = format('Begin the transaction with: select ledger_lock(array[%L])', owner);
    end if;
  end if;
  perform ledger_record(owner, json_build_object('table', tg_table_name, 'owner', owner, 'row', written));
  return null;
end $function$;

CREATE OR REPLACE FUNCTION refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception '% is append-only', tg_table_name;
end $function$;

CREATE OR REPLACE FUNCTION refuse_removal()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'rows of % are never removed', tg_table_name;
end $function$;

CREATE OR REPLACE FUNCTION roles_of(profile jsonb)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select coalesce(string_agg(role #>> '{}', ' '), '')
  from jsonb_path_query(jsonb_build_array(profile -> 'role', profile -> 'roles'), 'lax $[*][*]') as role
  where jsonb_typeof(role) = 'string'
$function$;

CREATE OR REPLACE FUNCTION search_service()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform write_search(new.id);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION search_target()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform write_search(coalesce(new.service_id, old.service_id));
  return null;
end $function$;

CREATE OR REPLACE FUNCTION search_term(word text, is_prefix boolean)
 RETURNS tsquery
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select case
    when ts_lexize('english_stem', word) = array[word] or ts_lexize('english_stem', word) = '{}'
      then to_tsquery('simple', quote_literal(word) || case when is_prefix then ':*' else '' end)
    else to_tsquery('simple', quote_literal(word) || case when is_prefix then ':*' else '' end)
      || to_tsquery('english', quote_literal(word))
  end
$function$;

CREATE OR REPLACE FUNCTION settled_entry_id(wait_ms integer)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
declare
  given bigint;
  writers text[];
  give_up timestamptz := clock_timestamp() + make_interval(secs => wait_ms / 1000.0);
begin
  given := coalesce(pg_sequence_last_value(pg_get_serial_sequence('entries', 'id')::regclass), 0);
  select coalesce(array_agg(virtualtransaction), '{}') into writers from pg_locks
  where locktype = 'relation' and relation = 'entries'::regclass and granted
    and database = (select oid from pg_database where datname = current_database())
    and mode = 'RowExclusiveLock';
  loop
    exit when not exists (
      select from pg_locks where locktype = 'relation' and relation = 'entries'::regclass
        and mode = 'RowExclusiveLock' and virtualtransaction = any(writers));
    if clock_timestamp() > give_up then return null; end if;
    perform pg_sleep(0.005);
  end loop;
  return given;
end $function$;

CREATE OR REPLACE FUNCTION summarise_ages()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO '$user', 'public'
AS $function$
begin
  perform brin_summarize_new_values('entries_by_age'), brin_summarize_new_values('invocations_by_age');
end
$function$;

CREATE OR REPLACE FUNCTION suspend_spending()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform ledger_lock(array[new.address]);
  insert into spending_policies (owner, suspended_at) values (new.address, new.suspended_at)
  on conflict (owner) do update set suspended_at = excluded.suspended_at;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION watch_subscribed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  added text[] := array(select unnest(new.events) except select unnest(old.events));
begin
  if not added && '{balance.low,budget.reached,failure_rate.high}'::text[] then return null; end if;
  insert into alert_settings as s
    (owner, budget_percents, watches_balance, failure_percent, failure_calls_min, balance_seen)
  values (
    new.owner,
    case when 'budget.reached' = any(added) then '{80,100}' else '{}' end::smallint[],
    'balance.low' = any(added),
    case when 'failure_rate.high' = any(added) then 50 end,
    case when 'failure_rate.high' = any(added) then 20 end,
    coalesce((select a.posted from accounts a where a.id = 'consumer:' || new.owner), 0))
  on conflict (owner) do update
  set budget_percents = case when s.budget_percents = '{}' then excluded.budget_percents else s.budget_percents end,
    budgets_since = case when s.budget_percents = '{}' then excluded.budgets_since else s.budgets_since end,
    watches_balance = s.watches_balance or excluded.watches_balance,
    balance_seen = case when s.watches_balance then s.balance_seen else excluded.balance_seen end,
    balance_since = case when s.watches_balance then s.balance_since else excluded.balance_since end,
    failure_percent = coalesce(s.failure_percent, excluded.failure_percent),
    failure_calls_min = coalesce(s.failure_calls_min, excluded.failure_calls_min);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION words_of(given text)
 RETURNS tsvector
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select to_tsvector('simple', fold_text(given)) || to_tsvector('english', fold_text(given))
$function$;

CREATE OR REPLACE FUNCTION write_search(id text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  s services;
  naming text;
  about text;
  beyond text;
begin
  perform from service_search where service_id = id and written_by <> pg_current_xact_id() for update;
  if not found and exists (select from service_search where service_id = id) then
    return; -- Written by this transaction already, at its end like now.
  end if;
  select * into s from services where services.id = write_search.id;
  -- Words within names count as well: `openWeather` is found by `weather`.
  naming := concat_ws(' ', s.service_name, regexp_replace(s.service_name, '([a-z0-9])([A-Z])', '\1 \2', 'g'),
                      s.agent_tool_name);
  about := array_to_string(s.tags, ' ');
  -- What a model is called by those who look for one, whatever its provider calls it.
  beyond := concat_ws(' ', endpoints_of(id), roles_of(s.provider_profile),
                      case when s.service_kind = 'llm' then 'llm language model chat' end, s.llm_dialect, s.upstream_model,
                      s.model_family);
  insert into service_search as kept (service_id, version, is_listed, owner, agent_tool_name, service_kind, llm_dialect,
    tags, typical_price, names, topic, document, texts, written_by)
  values (id, s.version,
    s.is_active and s.deleted_at is null and s.suspended_at is null
      and exists (select from service_targets t where t.service_id = id and t.is_healthy),
    s.owner, s.agent_tool_name, s.service_kind, s.llm_dialect,
    array(select distinct lower(tag collate "und-x-icu") from unnest(s.tags) as tag),
    case s.service_kind when 'api' then s.price
      else (1000 * greatest(s.input_price, s.cache_read_price, s.cache_write_price) + 500 * s.output_price + 999999)
        / 1000000 end,
    strip(words_of(naming)), strip(to_tsvector('english', fold_text(concat_ws(' ', about, s.summary)))),
    strip(words_of(concat_ws(' ', naming, about, s.summary, s.description, beyond))),
    lower(concat_ws(E'\n', s.service_name, s.agent_tool_name, s.summary, s.description, array_to_string(s.tags, E'\n'),
                    beyond) collate "und-x-icu"),
    pg_current_xact_id())
  on conflict (service_id) do update set version = excluded.version, is_listed = excluded.is_listed,
    owner = excluded.owner, agent_tool_name = excluded.agent_tool_name, service_kind = excluded.service_kind,
    llm_dialect = excluded.llm_dialect, tags = excluded.tags, typical_price = excluded.typical_price,
    names = excluded.names, topic = excluded.topic, document = excluded.document, texts = excluded.texts, written_by = excluded.written_by;
  -- In one order: of two that add the same words, the second waits for the first and not for each other.
  insert into search_words (word)
  select distinct word from regexp_split_to_table(fold_text(concat_ws(' ', naming, about, s.summary)), ' ') as word
  where length(word) between 4 and 32 and word !~ '[0-9]' order by word
  on conflict do nothing;
end $function$;
