import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { usdc } from '@farebox/money'
import { freePort } from '../../apps/gateway/src/adapters/free-port.ts'
import { migrate } from '../../apps/gateway/src/adapters/migrate.ts'
import { startEmbeddedPostgres } from '../../apps/gateway/src/dev/postgres/embedded-postgres.ts'
import { startTestChain } from '../../apps/gateway/test/kit/chain/test-chain.ts'
import {
  gatewayEnvironment,
  productionSettings,
  type RunningGateway,
  runGateway,
  type Settings,
} from './gateway-process.ts'
import { inDatabase } from './in-database.ts'
import { type SeededOwners, seedOwners } from './seeded-owners.ts'

const RECONCILE = join(import.meta.dirname, '../../apps/gateway/src/bin/reconcile.ts')
/** As on Base. */
const BLOCK_SECONDS = 2
/** Connections of four gateways, and of the lab itself. */
const CONNECTIONS_MAX = 200
/** Balance of the vault, in micro-USDC: more than all owners of all databases have. */
const VAULT_HOLDS = usdc(10n ** 16n)
const RECONCILE_LIMIT_MS = 300_000

/** A gateway in production mode, with its database. */
export type SiteGateway = RunningGateway &
  Pick<Place, 'databaseUrl' | 'owners' | 'reconcile'> & {
    /** Process id of the postmaster. */
    readonly postmaster: number
    readonly metricsToken: string
  }

/** A migrated database for one or more gateways. */
export type Place = {
  readonly databaseUrl: string
  readonly owners: SeededOwners
  /** Starts a gateway on it; all gateways of a place have the same secrets. */
  start(options?: { settings?: Settings; nodeFlags?: readonly string[] }): Promise<SiteGateway>
  /** Checks the books as `npm run reconcile` does; returns the invariants that are broken. */
  reconcile(): Promise<string[]>
}

/** One PostgreSQL with fsync on, and one chain with the vault. */
export type Site = {
  /** Folder of the databases. */
  readonly directory: string
  readonly postmaster: number
  url(database: string): string
  /**
   * Creates a database, migrated, with `owners` beside the hot owner.
   *
   * @param options.fill writes further rows, before any gateway has seen the database
   */
  prepare(options: { owners: number; fill?: (databaseUrl: string) => Promise<void> }): Promise<Place>
  stop(): Promise<void>
}

/** Starts a PostgreSQL and a chain in a folder of their own, which `stop` removes. */
export async function openSite(): Promise<Site> {
  await using started = new AsyncDisposableStack()
  const directory = await mkdtemp(join(tmpdir(), 'farebox-lab-'))
  started.defer(() => rm(directory, { recursive: true, force: true }))
  // Run by root, the database runs as another user, who must be able to enter.
  await chmod(directory, 0o755)
  const postgres = await startEmbeddedPostgres({
    directory: join(directory, 'cluster'),
    elsewhere: join(tmpdir(), `farebox-lab-cluster-${randomUUID()}`),
    connectionsMax: CONNECTIONS_MAX,
  })
  started.defer(() => rm(postgres.directory, { recursive: true, force: true }))
  started.defer(() => postgres.stop())
  const chain = await startTestChain({ blockSeconds: BLOCK_SECONDS })
  started.defer(() => chain.stop())
  await chain.fund(chain.contracts.vault, VAULT_HOLDS)

  let databases = 0
  const prepare: Site['prepare'] = async ({ owners: count, fill }) => {
    databases += 1
    const name = `lab_${databases}`
    await postgres.ensureDatabase(name)
    const databaseUrl = postgres.url(name)
    await migrate(databaseUrl)
    const owners = await seedOwners(databaseUrl, count)
    await fill?.(databaseUrl)
    // Not before: triggers of a session keep the plans that they made for small tables.
    await inDatabase(databaseUrl, client => client.query('analyze'))
    const metricsToken = randomUUID()
    const settings = {
      ...productionSettings({ databaseUrl, rpcUrl: chain.rpcUrl, chain }),
      METRICS_TOKEN: metricsToken,
      STOP_PAUSE_SECONDS: '0',
    }
    const reconcile = () => reconcileOnce(settings)
    const place = { databaseUrl, owners, reconcile, metricsToken, postmaster: postgres.pid }
    return {
      ...place,
      async start({ settings: more = {}, nodeFlags = [] } = {}) {
        const port = { PORT: String(await freePort()) }
        return { ...(await runGateway({ settings: { ...settings, ...port, ...more }, nodeFlags })), ...place }
      },
    }
  }
  const undo = started.move()
  return {
    directory: postgres.directory,
    postmaster: postgres.pid,
    url: postgres.url,
    prepare,
    stop: () => undo.disposeAsync(),
  }
}

async function reconcileOnce(settings: Settings): Promise<string[]> {
  const options = { env: gatewayEnvironment(settings), timeout: RECONCILE_LIMIT_MS }
  const args = [...process.execArgv, RECONCILE]
  const { code, stdout, stderr } = await promisify(execFile)(process.execPath, args, options).then(
    printed => ({ code: 0, ...printed }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  )
  const broken = stdout.split('\n').filter(line => line.startsWith('BROKEN') || line.includes('not compared'))
  return code === 0 || broken.length > 0 ? broken : [`reconcile ended with ${code}: ${stdout}${stderr}`]
}
