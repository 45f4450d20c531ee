// long: one table, from which the documents and the types are made

import { CHAIN_FINDING_KINDS } from '@farebox/wire/admin'

/**
 * All metrics, with the unit in the name and every label with its possible values: adapters/metrics.ts creates them,
 * docs/observability.md lists them, and a test compares the two. No label names a service, a wallet or a credential, so
 * the number of series does not grow with the market.
 */

/**
 * Labels whose values are names in our code rather than a list here. All are bounded by what is registered at start.
 */
const OPERATIONS = 'operations'
const JOBS = 'jobs'
const TASKS = 'tasks'
const CODES = 'codes'
const SAMPLES = 'samples'
const ENDPOINTS = 'endpoints'

type Registered =
  | typeof OPERATIONS
  | typeof JOBS
  | typeof TASKS
  | typeof CODES
  | typeof SAMPLES
  | typeof ENDPOINTS

type Labels = Readonly<Record<string, readonly string[] | Registered>>

/** Description of one instrument. `buckets` are upper bounds in the unit of its name. */
export type Instrument =
  | { readonly type: 'counter' | 'gauge'; readonly help: string; readonly labels: Labels }
  | {
      readonly type: 'histogram'
      readonly help: string
      readonly labels: Labels
      readonly buckets: readonly number[]
    }

const NONE = {} as const
const KINDS = ['fixed', 'metered'] as const
const ENDS = ['done', 'failed'] as const
const REQUEST_SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120]
const OWN_SECONDS = [0.0005, 0.001, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.015, 0.025, 0.05, 0.1, 0.25, 1, 5]
const WORK_SECONDS = [0.001, 0.005, 0.025, 0.1, 0.25, 1, 2.5, 10, 30, 120]
/** Why a request to another server failed. */
const REQUEST_FAILURES = [
  'status',
  'timeout',
  'connect',
  'reset',
  'redirect',
  'blocked_address',
  'too_large',
  'encoding',
  'stopping',
] as const
/** Why a provider's answer was unusable, as `detail.reason` of UPSTREAM_ERROR. */
const FAILURES = [
  ...REQUEST_FAILURES,
  'invalid_json',
  'usage_missing',
  'stream_cut',
  'no_healthy_target',
] as const

/** Tables that grow, and those that every call changes. */
export const WATCHED_TABLES = [
  'accounts',
  'credentials',
  'entries',
  'health_probes',
  'invocation_answers',
  'invocation_streams',
  'invocations',
  'liability_parts',
  'metered_calls',
  'open_calls',
  'reconciliations',
  'seals',
  'spending_policies',
  'webhook_deliveries',
] as const
/** Tables with retention; `jobs`: queued jobs that were given up. */
const PRUNED_TABLES = [
  'alerts',
  'call_refusals',
  'health_probes',
  'invocation_answers',
  'invocation_streams',
  'jobs',
  'liability_trees',
  'ping_windows',
  'reconciliations',
  'target_calls',
  'webhook_deliveries',
] as const

/** By Prometheus name. */
export const instruments = {
  farebox_calls_total: {
    type: 'counter',
    help: 'Paid calls, by outcome. `refused`: before money was held.',
    labels: {
      kind: [...KINDS, 'unknown'],
      outcome: [
        'succeeded',
        'failed_retryable',
        'failed_final',
        'processing',
        'refused',
        'replayed',
        'in_progress',
        'interrupted',
        'error',
      ],
    },
  },
  farebox_call_refusals_total: {
    type: 'counter',
    help: 'Paid calls refused before money was held, by error code.',
    labels: { code: CODES },
  },
  farebox_call_overhead_seconds: {
    type: 'histogram',
    help: "Time that the gateway adds to a paid call: request read to answer ready, less the provider's time.",
    labels: { kind: KINDS },
    buckets: OWN_SECONDS,
  },
  farebox_provider_seconds: {
    type: 'histogram',
    help: 'Time of providers in paid calls: first attempt to last byte.',
    labels: { kind: KINDS },
    buckets: REQUEST_SECONDS,
  },
  farebox_stream_first_event_seconds: {
    type: 'histogram',
    help: 'Streamed calls: first attempt to first event passed on.',
    labels: NONE,
    buckets: REQUEST_SECONDS,
  },
  farebox_upstream_failures_total: {
    type: 'counter',
    help: 'Failed attempts at providers, by reason.',
    labels: { reason: FAILURES },
  },
  farebox_failovers_total: {
    type: 'counter',
    help: 'Retries at another target of the same service.',
    labels: NONE,
  },
  farebox_calls_under_way: {
    type: 'gauge',
    help: 'Paid calls in flight.',
    labels: NONE,
  },
  farebox_streams_open: {
    type: 'gauge',
    help: 'Open streams, including those whose callers have left.',
    labels: NONE,
  },
  farebox_breakers_open: {
    type: 'gauge',
    help: 'Open circuit breakers, one per owner and target.',
    labels: NONE,
  },
  farebox_settlements_total: {
    type: 'counter',
    help: 'State changes of paid calls, including late reports and recovery.',
    labels: {
      from: ['pending', 'processing'],
      status: ['succeeded', 'failed_retryable', 'failed_final', 'processing'],
    },
  },
  farebox_charged_micro_usdc_total: {
    type: 'counter',
    help: 'Charges, fees included.',
    labels: NONE,
  },
  farebox_fees_micro_usdc_total: {
    type: 'counter',
    help: 'Platform fees in these charges.',
    labels: NONE,
  },
  farebox_holds_open: {
    type: 'gauge',
    help: 'Calls that hold money.',
    labels: NONE,
  },
  farebox_holds_open_micro_usdc: {
    type: 'gauge',
    help: 'Money held by these calls.',
    labels: NONE,
  },
  farebox_calls_waiting: {
    type: 'gauge',
    help: 'Paid calls in the admission queue.',
    labels: NONE,
  },
  farebox_hold_wait_seconds: {
    type: 'histogram',
    help: 'Time of paid calls in the admission queue.',
    labels: NONE,
    buckets: OWN_SECONDS,
  },
  farebox_calls_shed_total: {
    type: 'counter',
    help: 'Paid calls shed before money was held: expected `wait` too long, no `room`, or too `late`.',
    labels: { reason: ['wait', 'room', 'late'] },
  },
  farebox_batch_items: {
    type: 'histogram',
    help: 'Holds and settlements per batch.',
    labels: NONE,
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 768],
  },
  farebox_batch_seconds: {
    type: 'histogram',
    help: 'Duration of a batch, COMMIT included.',
    labels: { how: ['appended', 'locked'] },
    buckets: OWN_SECONDS,
  },
  farebox_ledger_batches_total: {
    type: 'counter',
    help: 'Batches: `appended` in one statement, or `locked` after reading the rows of other gateways.',
    labels: { how: ['appended', 'locked'] },
  },
  farebox_ledger_conflicts_total: {
    type: 'counter',
    help: 'Batches decided again because another writer appended first.',
    labels: NONE,
  },
  farebox_ledger_consistent_age_seconds: {
    type: 'gauge',
    help: 'Age of the newest clean check of books and vault. Above three RECONCILE_INTERVAL_SECONDS no ticket is issued.',
    labels: NONE,
  },
  farebox_ledger_findings: {
    type: 'gauge',
    help: 'Rows that break a ledger invariant, in the newest check.',
    labels: NONE,
  },
  farebox_chain_findings: {
    type: 'gauge',
    help: 'Open disagreements between chain and books; they stop tickets.',
    labels: { kind: CHAIN_FINDING_KINDS },
  },
  farebox_owed_micro_usdc: {
    type: 'gauge',
    help: 'Liabilities to wallets, in the newest check.',
    labels: NONE,
  },
  farebox_vault_micro_usdc: {
    type: 'gauge',
    help: 'Balance of the vault at the checked block; absent if not compared.',
    labels: NONE,
  },
  farebox_vault_due_micro_usdc: {
    type: 'gauge',
    help: 'The same by the books. A smaller real balance is a finding; a larger one comes from plain transfers.',
    labels: NONE,
  },
  farebox_follower_blocks_behind: {
    type: 'gauge',
    help: 'Blocks between the chain head and the vault follower, confirmations included.',
    labels: NONE,
  },
  farebox_follower_still_seconds: {
    type: 'gauge',
    help: 'Time since the vault follower last moved, as seen by scrapes.',
    labels: NONE,
  },
  farebox_chain_endpoint_faults_total: {
    type: 'counter',
    help: 'Rejected answers of a chain endpoint: `failed`, `differs` from the others, or `behind` them.',
    labels: { host: ENDPOINTS, fault: ['failed', 'differs', 'behind'] },
  },
  farebox_chain_endpoint_block: {
    type: 'gauge',
    help: 'Last height reported by a chain endpoint.',
    labels: { host: ENDPOINTS },
  },
  farebox_x402_payments_affordable: {
    type: 'gauge',
    help: 'Number of x402 payments that the gas of X402_SETTLER_KEY covers at the current price; absent without a key.',
    labels: NONE,
  },
  farebox_ticket_signer_matches: {
    type: 'gauge',
    help: "1 if the vault pays this gateway's tickets, else 0; absent without a key.",
    labels: NONE,
  },
  farebox_withdrawals_in_review: {
    type: 'gauge',
    help: 'Withdrawals that wait for an admin, up to 10,000.',
    labels: NONE,
  },
  farebox_withdrawals_review_seconds: {
    type: 'gauge',
    help: 'Time that the oldest of these has waited.',
    labels: NONE,
  },
  farebox_ticket_signer_available: {
    type: 'gauge',
    help: '1 if the signer of tickets signs, 0 if an external one does not; absent without one.',
    labels: NONE,
  },
  farebox_probes_total: {
    type: 'counter',
    help: 'Health probes, by result.',
    labels: { outcome: ['healthy', ...REQUEST_FAILURES] },
  },
  farebox_probes_due: {
    type: 'gauge',
    help: 'Targets whose probe is due, up to 10,000.',
    labels: NONE,
  },
  farebox_queue_jobs: {
    type: 'gauge',
    help: 'Queued jobs, by state, of the first 10,000.',
    labels: { state: ['ready', 'scheduled', 'running', 'given_up'] },
  },
  farebox_queue_attempts_total: {
    type: 'counter',
    help: 'Attempts at queued jobs; `given_up`: the last one.',
    labels: { task: TASKS, outcome: ['done', 'failed', 'given_up'] },
  },
  farebox_queue_attempt_seconds: {
    type: 'histogram',
    help: 'Duration of an attempt at a queued job.',
    labels: { task: TASKS },
    buckets: WORK_SECONDS,
  },
  farebox_webhook_deliveries_pending: {
    type: 'gauge',
    help: 'Pending webhook deliveries, up to 10,000.',
    labels: NONE,
  },
  farebox_webhook_attempts_total: {
    type: 'counter',
    help: 'Attempts at webhook deliveries.',
    labels: { outcome: ['delivered', 'failed', 'given_up'] },
  },
  farebox_mails_total: {
    type: 'counter',
    help: 'Mails handed to the mail server: accepted, rejected for good, or failed for now.',
    labels: { outcome: ['sent', 'refused', 'failed'] },
  },
  farebox_job_runs_total: {
    type: 'counter',
    help: 'Runs of periodic jobs.',
    labels: { name: JOBS, outcome: ENDS },
  },
  farebox_job_run_seconds: {
    type: 'histogram',
    help: 'Duration of a run of a periodic job.',
    labels: { name: JOBS },
    buckets: WORK_SECONDS,
  },
  farebox_job_done_timestamp_seconds: {
    type: 'gauge',
    help: 'End of the last successful run of a job, in Unix seconds; 0 before it.',
    labels: { name: JOBS },
  },
  farebox_http_requests_total: {
    type: 'counter',
    help: 'Answered HTTP requests.',
    labels: { operation: OPERATIONS, status: ['1xx', '2xx', '3xx', '4xx', '5xx'] },
  },
  farebox_http_request_seconds: {
    type: 'histogram',
    help: 'Time from request head to last byte of the answer, streams included.',
    labels: { operation: OPERATIONS },
    buckets: REQUEST_SECONDS,
  },
  farebox_rate_limited_total: {
    type: 'counter',
    help: 'Requests answered 429.',
    labels: { operation: OPERATIONS },
  },
  farebox_clock_ahead_seconds: {
    type: 'gauge',
    help: "Lead of this machine's clock over the database's; negative if behind. Zero within a round trip.",
    labels: NONE,
  },
  farebox_certificate_expires_seconds: {
    type: 'gauge',
    help: 'Time until the certificate of a server expires, negative after it; of several, the first. Absent without TLS.',
    labels: { server: ['database', 'chain', 'ticket_signer', 'public'] },
  },
  farebox_database_connections: {
    type: 'gauge',
    help: 'Database connections.',
    labels: { pool: ['main', 'batch', 'public'], state: ['in_use', 'idle'] },
  },
  farebox_database_waiting: {
    type: 'gauge',
    help: 'Statements and transactions waiting for a database connection.',
    labels: { pool: ['main', 'batch', 'public'] },
  },
  farebox_table_bytes: {
    type: 'gauge',
    help: 'Size with indexes, estimated at the last vacuum or analyze.',
    labels: { table: WATCHED_TABLES },
  },
  farebox_table_rows: {
    type: 'gauge',
    help: 'Rows of a table, by the same estimate.',
    labels: { table: WATCHED_TABLES },
  },
  farebox_table_dead_rows: {
    type: 'gauge',
    help: 'Dead rows, which the next vacuum removes.',
    labels: { table: WATCHED_TABLES },
  },
  farebox_archive_age_seconds: {
    type: 'gauge',
    help: 'Time since the database last archived a segment of its log; absent without archiving.',
    labels: NONE,
  },
  farebox_pruned_rows_total: {
    type: 'counter',
    help: 'Rows deleted at the end of their retention; `jobs`: queued jobs given up.',
    labels: { table: PRUNED_TABLES },
  },
  farebox_sample_up: {
    type: 'gauge',
    help: '1 if these gauges could be read in time; when 0, they are absent.',
    labels: { sample: SAMPLES },
  },
} as const satisfies Record<string, Instrument>

type Table = typeof instruments
type NamesOf<Type extends string> = {
  [Name in keyof Table]: Table[Name] extends { type: Type } ? Name : never
}[keyof Table]

export type CounterName = NamesOf<'counter'>
export type GaugeName = NamesOf<'gauge'>
export type HistogramName = NamesOf<'histogram'>

type ValueOf<Values> = Values extends readonly (infer Value extends string)[] ? Value : string

/** Labels of an instrument, each with its possible values. */
export type LabelsOf<Name extends keyof Table> = {
  readonly [Label in keyof Table[Name]['labels']]: ValueOf<Table[Name]['labels'][Label]>
}

/** Why an attempt at a provider failed. */
export type UpstreamTrouble = (typeof FAILURES)[number]
