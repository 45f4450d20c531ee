import { formatUsdc, usdc } from '@farebox/money'
import { type GatewayHealth, gatewayHealth } from '@farebox/wire/admin'
import type { App } from '../../app.ts'
import { contract } from '../../http/openapi/contract.ts'
import type { Deps, Figure } from '../../ports.ts'
import type { JobStates } from '../../runtime/jobs.ts'
import { adminGuard } from '../auth/require-admin.ts'
import { measureOpenTasks } from '../forum/measure-open-tasks.ts'
import { measurePartitions } from '../ledger/measure-partitions.ts'
import { readPlatformFunds } from '../ledger/read-platform-funds.ts'
import { measureReviews } from '../withdrawals/measure-reviews.ts'

/** The dependencies of {@link gatewayHealthRoutes}. */
export type HealthDeps = Deps & {
  /** Reads all values of some metrics of this gateway. */
  readonly figures: (names: readonly string[]) => Promise<readonly Figure[]>
  /** States of the periodic jobs of this gateway. */
  readonly jobStates: JobStates
}

const FAULTS = 'farebox_chain_endpoint_faults_total'
const BLOCK = 'farebox_chain_endpoint_block'
const BEHIND = 'farebox_follower_blocks_behind'
const QUEUE = 'farebox_queue_jobs'
const NAMES = [FAULTS, BLOCK, BEHIND, QUEUE] as const

/** Registers `GET /admin/health`, below `/api/v1`. */
export function gatewayHealthRoutes(app: App, deps: HealthDeps): void {
  app.get(
    '/admin/health',
    {
      ...contract({
        id: 'readGatewayHealth',
        summary: 'Read the health of this gateway',
        description:
          'Jobs, queue, chain endpoints, ledger partitions, platform fees, and what waits for admins. Jobs and endpoints cover the responding gateway since it started; everything else covers all gateways.',
        tag: 'Admin',
        access: 'admin',
        answer: gatewayHealth,
      }),
      onRequest: adminGuard(deps),
    },
    () => readHealth(deps),
  )
}

async function readHealth(deps: HealthDeps): Promise<GatewayHealth> {
  const { db, clock, config, figures: read } = deps
  const [figures, partitions, funds, reviews, tasks] = await Promise.all([
    read(NAMES),
    measurePartitions(db),
    readPlatformFunds(db),
    measureReviews(db),
    measureOpenTasks(db),
  ])
  const now = clock.now()
  const payable = funds.fees - funds.locked - funds.losses
  return {
    status: 'success',
    asOf: new Date(now).toISOString(),
    withdrawalsToReview: waiting(reviews, now),
    openSupportTasks: waiting(tasks, now),
    fees: {
      accruedUsdc: formatUsdc(funds.fees),
      lockedUsdc: formatUsdc(funds.locked),
      lossesUsdc: formatUsdc(funds.losses),
      payableUsdc: formatUsdc(usdc(payable > 0n ? payable : 0n)),
    },
    jobs: jobsOf(deps.jobStates),
    queue: {
      ready: valueIn(figures, QUEUE, { state: 'ready' }) ?? 0,
      scheduled: valueIn(figures, QUEUE, { state: 'scheduled' }) ?? 0,
      running: valueIn(figures, QUEUE, { state: 'running' }) ?? 0,
      givenUp: valueIn(figures, QUEUE, { state: 'given_up' }) ?? 0,
    },
    blocksBehind: valueIn(figures, BEHIND, {}),
    endpoints: [config.CHAIN_RPC_URL, ...config.RPC_URLS].flatMap(url =>
      url === undefined ? [] : [endpointOf(figures, new URL(url).host)],
    ),
    partitions: partitions.map(({ partition, head, projected }) => ({
      partition,
      rows: Number(head),
      behind: Number(head - projected),
    })),
  }
}

const waiting = ({ count, oldestSeconds }: { count: number; oldestSeconds: number }, now: number) => ({
  count,
  since: count === 0 ? null : new Date(now - oldestSeconds * 1_000).toISOString(),
})

function valueIn(
  figures: readonly Figure[],
  name: (typeof NAMES)[number],
  labels: Readonly<Record<string, string>>,
): number | null {
  const isMeant = (figure: Figure) =>
    figure.name === name &&
    Object.entries(labels).every(([label, value]) => String(figure.labels[label]) === value)
  return figures.find(isMeant)?.value ?? null
}

function jobsOf(states: JobStates): GatewayHealth['jobs'] {
  const timeOf = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString())
  return [...states]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, state]) => ({
      name,
      intervalSeconds: state.intervalMs / 1_000,
      runs: state.runs,
      failures: state.failures,
      lastStartedAt: timeOf(state.lastStartedAt),
      lastRunMs: state.lastRunMs === null ? null : Math.round(state.lastRunMs),
      lastOutcome: state.lastOutcome,
      lastDoneAt: timeOf(state.lastDoneAt),
      nextRunAt: timeOf(state.nextRunAt),
    }))
}

function endpointOf(figures: readonly Figure[], host: string): GatewayHealth['endpoints'][number] {
  const fault = (kind: string) => valueIn(figures, FAULTS, { host, fault: kind }) ?? 0
  return {
    host,
    block: valueIn(figures, BLOCK, { host }),
    failed: fault('failed'),
    differed: fault('differs'),
    wasBehind: fault('behind'),
  }
}
