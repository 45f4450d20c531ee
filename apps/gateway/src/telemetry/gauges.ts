import { CHAIN_FINDING_KINDS } from '@farebox/wire/admin'
import { measureArchiveAge } from '../adapters/archive-age.ts'
import type { Reading, Sample } from '../adapters/metrics.ts'
import { measureTables } from '../adapters/table-sizes.ts'
import { measureCursor } from '../domains/deposits/measure-cursor.ts'
import { measureHolds } from '../domains/invocation/recovery/measure-holds.ts'
import { countChainFindings } from '../domains/ledger/database/chain-findings.ts'
import { measureChecks } from '../domains/ledger/reconcile/measure-checks.ts'
import { measureProbesDue } from '../domains/services/targets/measure-probes-due.ts'
import { measurePending } from '../domains/webhooks/measure-pending.ts'
import { measureReviews } from '../domains/withdrawals/measure-reviews.ts'
import type { Deps, Mailer, Metrics } from '../ports.ts'

/** TTL of values read from the database or the chain, in ms. */
const READ_EVERY_MS = 2_000

/** TTL of table sizes, in ms: they are estimates of the last vacuum. */
const SIZES_EVERY_MS = 60_000

/** Statistics of a connection pool. */
export type PoolState = { readonly inUse: number; readonly idle: number; readonly waiting: number }

/** Connection pools, by metric label. */
type PoolName = 'main' | 'batch' | 'public'

/** Number of queued jobs by state. */
export type QueueState = { readonly [State in 'ready' | 'scheduled' | 'running' | 'given_up']: number }

/** Sources of the values of this process. */
type Sources = {
  readonly pools: Readonly<Record<PoolName, () => PoolState>>
  readonly openBreakers: () => number
  readonly callsInFlight: () => number
  readonly callsWaiting: () => number
  readonly queue: () => Promise<QueueState>
}

/** A source of values that is read at scrapes. */
export function gatewaySamples(deps: Pick<Deps, 'db' | 'chain' | 'metrics'>, sources: Sources): Sample[] {
  return [
    processSample(sources),
    holdSample(deps),
    ledgerSample(deps),
    chainFindingSample(deps),
    followerSample(deps),
    countSample('probes', 'farebox_probes_due', () => measureProbesDue(deps.db)),
    countSample('webhooks', 'farebox_webhook_deliveries_pending', () => measurePending(deps.db)),
    reviewSample(deps),
    tableSample(deps),
    archiveSample(deps),
    queueSample(sources),
  ]
}

function processSample({ pools, openBreakers, callsInFlight, callsWaiting }: Sources): Sample {
  return {
    name: 'process',
    goodForMs: 0,
    gauges: [
      'farebox_breakers_open',
      'farebox_calls_under_way',
      'farebox_calls_waiting',
      'farebox_database_connections',
      'farebox_database_waiting',
    ],
    read: () => [
      { gauge: 'farebox_breakers_open', labels: {}, value: openBreakers() },
      { gauge: 'farebox_calls_under_way', labels: {}, value: callsInFlight() },
      { gauge: 'farebox_calls_waiting', labels: {}, value: callsWaiting() },
      ...readPool('main', pools.main()),
      ...readPool('batch', pools.batch()),
      ...readPool('public', pools.public()),
    ],
  }
}

function holdSample({ db }: Pick<Deps, 'db'>): Sample {
  return {
    name: 'holds',
    goodForMs: READ_EVERY_MS,
    gauges: ['farebox_holds_open', 'farebox_holds_open_micro_usdc'],
    async read() {
      const { count, amount } = await measureHolds(db)
      return [
        { gauge: 'farebox_holds_open', labels: {}, value: Number(count) },
        { gauge: 'farebox_holds_open_micro_usdc', labels: {}, value: Number(amount) },
      ]
    },
  }
}

function ledgerSample({ db }: Pick<Deps, 'db'>): Sample {
  return {
    name: 'ledger',
    goodForMs: READ_EVERY_MS,
    gauges: [
      'farebox_ledger_consistent_age_seconds',
      'farebox_ledger_findings',
      'farebox_owed_micro_usdc',
      'farebox_vault_micro_usdc',
      'farebox_vault_due_micro_usdc',
    ],
    async read() {
      const checks = await measureChecks(db)
      const readings = {
        farebox_ledger_consistent_age_seconds: checks.consistentAgeSeconds,
        farebox_ledger_findings: checks.findings,
        farebox_owed_micro_usdc: checks.owed,
        farebox_vault_micro_usdc: checks.vaultHeld,
        farebox_vault_due_micro_usdc: checks.vaultDue,
      } as const
      return Object.entries(readings).flatMap(([gauge, value]): Reading[] =>
        value === null ? [] : [{ gauge: gauge as keyof typeof readings, labels: {}, value: Number(value) }],
      )
    },
  }
}

function chainFindingSample({ db }: Pick<Deps, 'db'>): Sample {
  return {
    name: 'chain-findings',
    goodForMs: READ_EVERY_MS,
    gauges: ['farebox_chain_findings'],
    async read() {
      const counts = await countChainFindings(db)
      return CHAIN_FINDING_KINDS.map(kind => ({
        gauge: 'farebox_chain_findings',
        labels: { kind },
        value: counts[kind],
      }))
    },
  }
}

function countSample(
  name: string,
  gauge: 'farebox_probes_due' | 'farebox_webhook_deliveries_pending',
  count: () => Promise<number>,
): Sample {
  return {
    name,
    goodForMs: READ_EVERY_MS,
    gauges: [gauge],
    read: async () => [{ gauge, labels: {}, value: await count() }],
  }
}

function reviewSample({ db }: Pick<Deps, 'db'>): Sample {
  return {
    name: 'withdrawals',
    goodForMs: READ_EVERY_MS,
    gauges: ['farebox_withdrawals_in_review', 'farebox_withdrawals_review_seconds'],
    async read() {
      const { count, oldestSeconds } = await measureReviews(db)
      return [
        { gauge: 'farebox_withdrawals_in_review', labels: {}, value: count },
        { gauge: 'farebox_withdrawals_review_seconds', labels: {}, value: oldestSeconds },
      ]
    },
  }
}

function archiveSample({ db }: Pick<Deps, 'db'>): Sample {
  return {
    name: 'archive',
    goodForMs: READ_EVERY_MS,
    gauges: ['farebox_archive_age_seconds'],
    async read() {
      const age = await measureArchiveAge(db)
      return age === null ? [] : [{ gauge: 'farebox_archive_age_seconds', labels: {}, value: age }]
    },
  }
}

function queueSample({ queue }: Sources): Sample {
  return {
    name: 'queue',
    goodForMs: READ_EVERY_MS,
    gauges: ['farebox_queue_jobs'],
    async read() {
      const states = await queue()
      return (['ready', 'scheduled', 'running', 'given_up'] as const).map(state => ({
        gauge: 'farebox_queue_jobs',
        labels: { state },
        value: states[state],
      }))
    },
  }
}

/** Sizes of the tables that grow. */
function tableSample({ db }: Pick<Deps, 'db'>): Sample {
  return {
    name: 'tables',
    goodForMs: SIZES_EVERY_MS,
    gauges: ['farebox_table_bytes', 'farebox_table_rows', 'farebox_table_dead_rows'],
    async read() {
      const sizes = await measureTables(db)
      return sizes.flatMap(({ table, bytes, rows, deadRows }): Reading[] => [
        { gauge: 'farebox_table_bytes', labels: { table }, value: bytes },
        { gauge: 'farebox_table_rows', labels: { table }, value: rows },
        { gauge: 'farebox_table_dead_rows', labels: { table }, value: deadRows },
      ])
    },
  }
}

function readPool(pool: PoolName, { inUse, idle, waiting }: PoolState): Reading[] {
  return [
    { gauge: 'farebox_database_connections', labels: { pool, state: 'in_use' }, value: inUse },
    { gauge: 'farebox_database_connections', labels: { pool, state: 'idle' }, value: idle },
    { gauge: 'farebox_database_waiting', labels: { pool }, value: waiting },
  ]
}

/** Position of the follower, and for how long it has been there. Reads the chain last: it may be unreachable. */
function followerSample(deps: Pick<Deps, 'db' | 'chain' | 'metrics'>): Sample {
  let seen: { height: bigint; since: number } | null = null
  return {
    name: 'follower',
    goodForMs: READ_EVERY_MS,
    gauges: ['farebox_follower_blocks_behind', 'farebox_follower_still_seconds'],
    async read() {
      const height = await measureCursor(deps)
      if (height === null) return []
      const now = deps.metrics.time()
      if (seen?.height !== height) seen = { height, since: now }
      const still = { gauge: 'farebox_follower_still_seconds', labels: {}, value: now - seen.since } as const
      const head = await deps.chain.head().catch(() => null)
      // An unreachable chain shows as a cursor that stands still.
      if (head === null) return [still]
      const behind = Math.max(0, Number(head.number - height))
      return [still, { gauge: 'farebox_follower_blocks_behind', labels: {}, value: behind }]
    },
  }
}

/** Returns a mailer that counts the results of its mails. */
export function countMails(mailer: Mailer, metrics: Metrics): Mailer {
  const countMail = (outcome: 'sent' | 'refused' | 'failed') =>
    metrics.count('farebox_mails_total', { outcome })
  return {
    async send(mail, signal) {
      try {
        const isTaken = await mailer.send(mail, signal)
        countMail(isTaken ? 'sent' : 'refused')
        return isTaken
      } catch (error) {
        countMail('failed')
        throw error
      }
    },
  }
}
