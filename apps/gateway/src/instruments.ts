import { CHAIN_FINDING_KINDS } from '@farebox/wire/admin'

/**
 * Everything that is measured, with its unit in its name and every label with the values it may have: adapters/metrics.ts
 * makes it, docs/observability.md lists it, and a test holds the two together. No label names a service, a wallet or a
 * credential, so the number of series does not grow with the market.
 */

/** Labels whose values are names in our code rather than a list here. All are bounded by what is registered at start. */
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

/** What is said of one instrument. `buckets` are upper bounds in the unit of its name. */
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
/** Why a request to somebody else came to nothing. */
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
/** Why a provider's answer was none, as `detail.reason` of UPSTREAM_ERROR has it (wire.md, 1). */
const FAILURES = [
  ...REQUEST_FAILURES,
  'invalid_json',
  'usage_missing',
  'stream_cut',
  'no_healthy_target',
] as const

/** Tables that grow with what happens, and those that every call changes. */
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
/** Tables of which what is old is deleted; `jobs` are those of the queue that were given up. */
const PRUNED_TABLES = [
  'health_probes',
  'invocation_answers',
  'invocation_streams',
  'jobs',
  'liability_trees',
  'ping_windows',
  'reconciliations',
  'webhook_deliveries',
] as const

/** By the name that Prometheus sees. */
export const instruments = {
  farebox_calls_total: {
    type: 'counter',
    help: 'Paid calls that this gateway has answered, by how they ended. `refused`: before anything was held.',
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
    help: 'Paid calls refused before anything was held, by the code of the refusal.',
    labels: { code: CODES },
  },
  farebox_call_overhead_seconds: {
    type: 'histogram',
    help: 'What the gateway adds to a paid call: from request read to answer ready, less the time of the provider.',
    labels: { kind: KINDS },
    buckets: OWN_SECONDS,
  },
  farebox_provider_seconds: {
    type: 'histogram',
    help: 'Time of providers in paid calls: from the first attempt to the last byte of the answer.',
    labels: { kind: KINDS },
    buckets: REQUEST_SECONDS,
  },
  farebox_stream_first_event_seconds: {
    type: 'histogram',
    help: 'Streamed calls: from the first attempt at the provider to the first event that was passed on.',
    labels: NONE,
    buckets: REQUEST_SECONDS,
  },
  farebox_upstream_failures_total: {
    type: 'counter',
    help: 'Attempts at providers that gave no usable answer, by reason.',
    labels: { reason: FAILURES },
  },
  farebox_failovers_total: {
    type: 'counter',
    help: 'Attempts at another target of the same service, after one that failed.',
    labels: NONE,
  },
  farebox_calls_under_way: {
    type: 'gauge',
    help: 'Paid calls that this gateway carries now.',
    labels: NONE,
  },
  farebox_streams_open: {
    type: 'gauge',
    help: 'Streams that this gateway passes on now, those whose callers have left included.',
    labels: NONE,
  },
  farebox_breakers_open: {
    type: 'gauge',
    help: 'Owners whose calls this gateway keeps away from a target at which they fail: one for each owner and target.',
    labels: NONE,
  },
  farebox_settlements_total: {
    type: 'counter',
    help: 'Changes of state of paid calls that this gateway has committed: by its calls, by late reports, by recovery.',
    labels: {
      from: ['pending', 'processing'],
      status: ['succeeded', 'failed_retryable', 'failed_final', 'processing'],
    },
  },
  farebox_charged_micro_usdc_total: {
    type: 'counter',
    help: 'What consumers were charged by this gateway, in millionths of a USDC, fees included.',
    labels: NONE,
  },
  farebox_fees_micro_usdc_total: {
    type: 'counter',
    help: 'Platform fees out of what was charged, in millionths of a USDC.',
    labels: NONE,
  },
  farebox_holds_open: {
    type: 'gauge',
    help: 'Calls that hold money, of all gateways on this database. Each of them tells the same: take the maximum.',
    labels: NONE,
  },
  farebox_holds_open_micro_usdc: {
    type: 'gauge',
    help: 'What these calls hold, in millionths of a USDC, of all gateways on this database.',
    labels: NONE,
  },
  farebox_calls_waiting: {
    type: 'gauge',
    help: 'Paid calls that wait for the batch that holds their money.',
    labels: NONE,
  },
  farebox_hold_wait_seconds: {
    type: 'histogram',
    help: 'Time that paid calls have waited for that batch to begin.',
    labels: NONE,
    buckets: OWN_SECONDS,
  },
  farebox_calls_shed_total: {
    type: 'counter',
    help: 'Paid calls turned away before anything was held: too long a `wait` ahead, no `room`, or `late` when their turn came.',
    labels: { reason: ['wait', 'room', 'late'] },
  },
  farebox_batch_items: {
    type: 'histogram',
    help: 'Holds and settlements in one batch.',
    labels: NONE,
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 768],
  },
  farebox_batch_seconds: {
    type: 'histogram',
    help: 'Time of one batch, from its start to its COMMIT.',
    labels: { how: ['appended', 'locked'] },
    buckets: OWN_SECONDS,
  },
  farebox_ledger_batches_total: {
    type: 'counter',
    help: 'Batches appended to the log: `appended` in one statement, or `locked` in a transaction that first read what others had appended.',
    labels: { how: ['appended', 'locked'] },
  },
  farebox_ledger_conflicts_total: {
    type: 'counter',
    help: 'Batches that somebody else was faster than in one of their partitions. They were decided again.',
    labels: NONE,
  },
  farebox_ledger_consistent_age_seconds: {
    type: 'gauge',
    help: 'Age of the newest check of the books, by any gateway, that found nothing and compared the vault. Past three RECONCILE_INTERVAL_SECONDS no ticket is issued.',
    labels: NONE,
  },
  farebox_ledger_findings: {
    type: 'gauge',
    help: 'Rows that break an invariant of the books, by the newest check of any gateway.',
    labels: NONE,
  },
  farebox_chain_findings: {
    type: 'gauge',
    help: 'Open disagreements between the chain and the books, of all gateways on this database; no ticket is issued meanwhile.',
    labels: { kind: CHAIN_FINDING_KINDS },
  },
  farebox_owed_micro_usdc: {
    type: 'gauge',
    help: 'What wallets are owed, in millionths of a USDC, by the newest check of any gateway.',
    labels: NONE,
  },
  farebox_vault_micro_usdc: {
    type: 'gauge',
    help: 'What the vault held at the block that this check compared, in millionths of a USDC; absent when the chain was not compared.',
    labels: NONE,
  },
  farebox_vault_due_micro_usdc: {
    type: 'gauge',
    help: 'What the books say that the vault held at that block. More in the vault was sent there by plain transfers; less is a finding.',
    labels: NONE,
  },
  farebox_follower_blocks_behind: {
    type: 'gauge',
    help: 'Blocks between the head of the chain and what the vault follower has read; the confirmations count.',
    labels: NONE,
  },
  farebox_follower_still_seconds: {
    type: 'gauge',
    help: 'How long the cursor of the vault follower has not moved, as far as scrapes of this gateway have seen.',
    labels: NONE,
  },
  farebox_chain_endpoint_faults_total: {
    type: 'counter',
    help: 'Answers of a chain endpoint that did not count: it `failed`, `differs` from the others, or is `behind` them.',
    labels: { host: ENDPOINTS, fault: ['failed', 'differs', 'behind'] },
  },
  farebox_chain_endpoint_block: {
    type: 'gauge',
    help: 'Height that a chain endpoint said last; only where there are several.',
    labels: { host: ENDPOINTS },
  },
  farebox_ticket_signer_matches: {
    type: 'gauge',
    help: 'Whether the vault pays tickets of the key of this gateway; absent without a key.',
    labels: NONE,
  },
  farebox_probes_total: {
    type: 'counter',
    help: 'Health probes by this gateway, by what they found.',
    labels: { outcome: ['healthy', ...REQUEST_FAILURES] },
  },
  farebox_probes_due: {
    type: 'gauge',
    help: 'Targets whose probe is due, of all gateways on this database; counted up to 10,000.',
    labels: NONE,
  },
  farebox_queue_jobs: {
    type: 'gauge',
    help: 'Jobs in the queue of this database: ready, waiting for their time, under way, given up; the first 10,000 are looked at.',
    labels: { state: ['ready', 'scheduled', 'running', 'given_up'] },
  },
  farebox_queue_attempts_total: {
    type: 'counter',
    help: 'Attempts at queued jobs by this gateway; `given_up` ones were the last.',
    labels: { task: TASKS, outcome: ['done', 'failed', 'given_up'] },
  },
  farebox_queue_attempt_seconds: {
    type: 'histogram',
    help: 'Time of one attempt at a queued job.',
    labels: { task: TASKS },
    buckets: WORK_SECONDS,
  },
  farebox_webhook_deliveries_pending: {
    type: 'gauge',
    help: 'Webhook deliveries that are not over, of all gateways on this database; counted up to 10,000.',
    labels: NONE,
  },
  farebox_webhook_attempts_total: {
    type: 'counter',
    help: 'Attempts at webhook deliveries by this gateway.',
    labels: { outcome: ['delivered', 'failed', 'given_up'] },
  },
  farebox_mails_total: {
    type: 'counter',
    help: 'Mails handed to the mail server: taken, refused for good, or not taken now.',
    labels: { outcome: ['sent', 'refused', 'failed'] },
  },
  farebox_job_runs_total: {
    type: 'counter',
    help: 'Runs of the jobs that repeat.',
    labels: { name: JOBS, outcome: ENDS },
  },
  farebox_job_run_seconds: {
    type: 'histogram',
    help: 'Time of one run of a job that repeats.',
    labels: { name: JOBS },
    buckets: WORK_SECONDS,
  },
  farebox_job_done_timestamp_seconds: {
    type: 'gauge',
    help: 'When the last run of a job that did not fail ended, in Unix seconds.',
    labels: { name: JOBS },
  },
  farebox_http_requests_total: {
    type: 'counter',
    help: 'Answered HTTP requests.',
    labels: { operation: OPERATIONS, status: ['1xx', '2xx', '3xx', '4xx', '5xx'] },
  },
  farebox_http_request_seconds: {
    type: 'histogram',
    help: 'Time from the head of a request to the last byte of its answer, streams included.',
    labels: { operation: OPERATIONS },
    buckets: REQUEST_SECONDS,
  },
  farebox_rate_limited_total: {
    type: 'counter',
    help: 'Requests answered 429.',
    labels: { operation: OPERATIONS },
  },
  farebox_database_connections: {
    type: 'gauge',
    help: 'Database connections of this gateway.',
    labels: { pool: ['main', 'batch', 'public'], state: ['in_use', 'idle'] },
  },
  farebox_database_waiting: {
    type: 'gauge',
    help: 'Statements and transactions that wait for a database connection.',
    labels: { pool: ['main', 'batch', 'public'] },
  },
  farebox_table_bytes: {
    type: 'gauge',
    help: 'Size of a table with its indexes, as the database estimated it at its last vacuum or analyze.',
    labels: { table: WATCHED_TABLES },
  },
  farebox_table_rows: {
    type: 'gauge',
    help: 'Rows of a table, by the same estimate.',
    labels: { table: WATCHED_TABLES },
  },
  farebox_table_dead_rows: {
    type: 'gauge',
    help: 'Deleted and replaced versions of rows that the next vacuum of a table takes away, as the database counts them.',
    labels: { table: WATCHED_TABLES },
  },
  farebox_pruned_rows_total: {
    type: 'counter',
    help: 'Rows that this gateway has deleted because they are kept no longer. `jobs`: queued ones that were given up.',
    labels: { table: PRUNED_TABLES },
  },
  farebox_sample_up: {
    type: 'gauge',
    help: 'Whether what is read at a scrape could be read in time; when 0, its gauges are left out.',
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

/** The labels of an instrument, each with the values it may have. */
export type LabelsOf<Name extends keyof Table> = {
  readonly [Label in keyof Table[Name]['labels']]: ValueOf<Table[Name]['labels'][Label]>
}

/** Why an attempt at a provider failed. */
export type UpstreamTrouble = (typeof FAILURES)[number]
