import { formatUsdc, usdc } from '@farebox/money'
import { type GatewayHealth, gatewayHealth } from '@farebox/wire/admin'
import type { App } from '../../app.ts'
import { contract } from '../../http/openapi/contract.ts'
import type { Deps, Figure } from '../../ports.ts'
import { adminGuard } from '../auth/require-admin.ts'
import { measurePartitions } from '../ledger/measure-partitions.ts'
import { readPlatformFunds } from '../ledger/read-platform-funds.ts'

/** The dependencies of {@link gatewayHealthRoutes}. */
export type HealthDeps = Deps & {
  /** Reads all values of some metrics of this gateway. */
  readonly figures: (names: readonly string[]) => Promise<readonly Figure[]>
}

const FAULTS = 'farebox_chain_endpoint_faults_total'
const BLOCK = 'farebox_chain_endpoint_block'
const BEHIND = 'farebox_follower_blocks_behind'
const QUEUE = 'farebox_queue_jobs'
const RUNS = 'farebox_job_runs_total'
const DONE = 'farebox_job_done_timestamp_seconds'
const NAMES = [FAULTS, BLOCK, BEHIND, QUEUE, RUNS, DONE] as const

/** Registers `GET /admin/health`, below `/api/v1`. */
export function gatewayHealthRoutes(app: App, deps: HealthDeps): void {
  app.get(
    '/admin/health',
    {
      ...contract({
        id: 'readGatewayHealth',
        summary: 'Read the health of this gateway',
        description:
          'Jobs, queue, chain endpoints, ledger partitions and platform fees. Jobs and endpoints cover the responding gateway since it started; everything else covers all gateways.',
        tag: 'Admin',
        access: 'admin',
        answer: gatewayHealth,
      }),
      onRequest: adminGuard(deps),
    },
    () => readHealth(deps),
  )
}

async function readHealth({ db, clock, config, figures: read }: HealthDeps): Promise<GatewayHealth> {
  const [figures, partitions, funds] = await Promise.all([
    read(NAMES),
    measurePartitions(db),
    readPlatformFunds(db),
  ])
  const payable = funds.fees - funds.locked - funds.losses
  return {
    status: 'success',
    asOf: new Date(clock.now()).toISOString(),
    fees: {
      accruedUsdc: formatUsdc(funds.fees),
      lockedUsdc: formatUsdc(funds.locked),
      lossesUsdc: formatUsdc(funds.losses),
      payableUsdc: formatUsdc(usdc(payable > 0n ? payable : 0n)),
    },
    jobs: jobsOf(figures),
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

function jobsOf(figures: readonly Figure[]): GatewayHealth['jobs'] {
  const names = figures.filter(({ name }) => name === DONE).map(({ labels }) => String(labels.name))
  return names.toSorted().map(name => {
    const doneAt = valueIn(figures, DONE, { name }) ?? 0
    return {
      name,
      runs: valueIn(figures, RUNS, { name, outcome: 'done' }) ?? 0,
      failures: valueIn(figures, RUNS, { name, outcome: 'failed' }) ?? 0,
      lastDoneAt: doneAt === 0 ? null : new Date(doneAt * 1_000).toISOString(),
    }
  })
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
