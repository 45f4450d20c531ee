import type { Address, Hex } from 'viem'
import { connectChain } from './adapters/chain.ts'
import { systemClock } from './adapters/clock.ts'
import { freePort } from './adapters/free-port.ts'
import { createIds } from './adapters/ids.ts'
import { jobs as queue, startJobQueue } from './adapters/job-queue.ts'
import { createMessageSigner } from './adapters/message-signer.ts'
import { migrate } from './adapters/migrate.ts'
import { connectPostgres } from './adapters/postgres.ts'
import { createSecretBox } from './adapters/secret-box.ts'
import { createUpstream } from './adapters/upstream.ts'
import { type App, buildApp, type OnAnswer } from './app.ts'
import { type Config, ConfigError } from './config.ts'
import { adminRoutes } from './domains/admin/routes.ts'
import { purgeExpired } from './domains/auth/purge-expired.ts'
import { authRoutes } from './domains/auth/routes.ts'
import { type AgentGuard, createAgentGuard } from './domains/credentials/require-agent.ts'
import { credentialRoutes } from './domains/credentials/routes.ts'
import { depositJobs } from './domains/deposits/jobs.ts'
import { depositRoutes } from './domains/deposits/routes.ts'
import { mcpRoutes } from './domains/doors/mcp-routes.ts'
import { doorRoutes } from './domains/doors/routes.ts'
import { healthJobs } from './domains/health/jobs.ts'
import { probeService } from './domains/health/probe-service.ts'
import { providerHealthRoutes } from './domains/health/provider-routes.ts'
import { healthRoutes } from './domains/health/routes.ts'
import { createInvocations, invocationJobs } from './domains/invocation/create-invocations.ts'
import type { InvocationDeps } from './domains/invocation/invoke-service.ts'
import { providerInvocationRoutes } from './domains/invocation/provider-routes.ts'
import { giveUpLease, keepLease } from './domains/invocation/recover-calls.ts'
import { invocationRoutes } from './domains/invocation/routes.ts'
import { proofRoutes } from './domains/ledger/proof-routes.ts'
import { reconcile } from './domains/ledger/reconcile.ts'
import { ledgerRoutes } from './domains/ledger/routes.ts'
import { createProviderGuard, type ProviderGuard } from './domains/secrets/require-provider.ts'
import { secretRoutes } from './domains/secrets/routes.ts'
import { createServiceDirectory } from './domains/services/find-callable.ts'
import { providerServiceRoutes } from './domains/services/provider-routes.ts'
import { serviceRoutes } from './domains/services/routes.ts'
import { keyRingJobs, openKeyRing } from './domains/signing/open-key-ring.ts'
import { signingRoutes } from './domains/signing/routes.ts'
import { completeByEvents } from './domains/withdrawals/complete-by-event.ts'
import { withdrawalJobs } from './domains/withdrawals/jobs.ts'
import { withdrawalRoutes } from './domains/withdrawals/routes.ts'
import { chainRoute } from './http/chain-route.ts'
import { healthChecks } from './http/health-checks.ts'
import { type Job, startJobs } from './jobs.ts'
import type { Clock, Deps, Log, QueueTask } from './ports.ts'

const PURGE_INTERVAL_MS = 60_000
/** Longest wait for the settlement of calls that the end of a drain has cut, in ms. */
const SETTLE_AFTER_CUT_MS = 2_000
/** Connections of the batches: one for each lane, and one to spare while another is being replaced. */
const BATCH_CONNECTIONS = 3
/** A batch takes milliseconds; past this, callers are told to come back rather than kept. */
const BATCH_STATEMENT_TIMEOUT_MS = 3_000

/** A gateway that listens. */
export type Gateway = {
  readonly url: string
  readonly deps: Deps
  /** Stops accepting, lets running calls end (bounded), settles, gives everything back. */
  stop(): Promise<void>
}

/**
 * Puts a gateway together and has it listen: adapters, schema, lease, routes, jobs. Starts no database and no
 * chain; development mode does that before (dev/start-development.ts).
 *
 * @param options.extraRoutes routes of development mode
 * @param options.clock       another clock, for tests
 * @param options.onAnswer    sees every answer, for tests
 * @throws ConfigError when a setting that is needed now is missing
 */
export async function startGateway(options: {
  config: Config
  log: Log
  version: string
  clock?: Clock
  onAnswer?: OnAnswer
  extraRoutes?: (app: App, deps: Deps) => void
}): Promise<Gateway> {
  const { config, log } = options
  const { connections, port, keyRing, databaseUrl, ...deps } = await connect(options)
  const agents = createAgentGuard(deps)
  const providers = createProviderGuard(deps)
  const invocations = createInvocations({ ...deps, directory: createServiceDirectory(deps) })
  await keepLease(deps)

  const app = await buildApp(
    deps,
    async root => {
      healthChecks(root, deps, options.version)
      signingRoutes(root, keyRing)
      options.extraRoutes?.(root, deps)
      mcpRoutes(root, { ...invocations, agents }, options.version)
      await root.register(async api => registerApi(api as App, { ...invocations, agents, providers }), {
        prefix: '/api/v1',
      })
      await root.register(async v1 => doorRoutes(v1 as App, { ...invocations, agents }), { prefix: '/v1' })
    },
    options.onAnswer,
  )
  await app.listen({ host: config.HOST, port })
  const jobs = startJobs(log, [...gatewayJobs(invocations), ...keyRingJobs(keyRing)])
  const jobQueue = await startJobQueue({ connectionString: databaseUrl, log, tasks: queueTasks(invocations) })

  return {
    url: deps.listenUrl,
    deps,
    async stop() {
      const drainedBy = deps.clock.now() + config.DRAIN_SECONDS * 1_000
      await drain(app, config.DRAIN_SECONDS)
      // Streams whose callers have left are read on to their bill; what is still open after the drain is cut, and
      // waits for its provider's report.
      await invocations.underWay.over(Math.max(0, drainedBy - deps.clock.now()))
      await Promise.all([jobs.stop(), jobQueue.stop()])
      await deps.upstream.close()
      await invocations.underWay.over(SETTLE_AFTER_CUT_MS)
      await invocations.calls.idle()
      await giveUpLease(deps)
      await Promise.all(connections.map(connection => connection.close()))
    },
  }
}

/** Adapters for every port, the schema brought up to date. */
async function connect(options: { config: Config; log: Log; clock?: Clock }) {
  const { config, log } = options
  const clock = options.clock ?? systemClock
  const needed = demand(config)
  await migrate(needed.DATABASE_URL)

  const connection = { connectionString: needed.DATABASE_URL, log }
  const db = connectPostgres({ ...connection, connectionsMax: config.DATABASE_CONNECTIONS })
  const batchDb = connectPostgres({
    ...connection,
    connectionsMax: BATCH_CONNECTIONS,
    byKeyOnly: true,
    statementTimeoutMs: BATCH_STATEMENT_TIMEOUT_MS,
  })
  const chain = await connectChain({
    rpcUrl: needed.CHAIN_RPC_URL,
    // Paths and queries of RPC URLs are where providers put their customers' keys.
    publicRpcUrl: config.CHAIN_PUBLIC_RPC_URL ?? new URL(needed.CHAIN_RPC_URL).origin,
    vault: needed.VAULT_ADDRESS as Address,
    requiredConfirmations: config.REQUIRED_CONFIRMATIONS,
    ticketSignerKey: needed.TICKET_SIGNER_KEY as Hex,
    log,
  })
  const secretBox = createSecretBox(needed.ENCRYPTION_KEY)
  const keyRing = await openKeyRing({ db, secretBox, clock, config })
  const sign = createMessageSigner(keyRing.current, () => clock.now())
  const upstream = createUpstream(config, { sign })
  const ids = createIds(() => clock.now())
  const port = config.PORT === 0 ? await freePort(config.HOST) : config.PORT
  const listenUrl = `http://${reachableHost(config.HOST)}:${port}`
  return {
    ...{ config, db, batchDb, chain, clock, ids, log, listenUrl, port },
    instanceId: ids.next('gw'),
    ...{ upstream, secretBox, keyRing, jobs: queue },
    databaseUrl: needed.DATABASE_URL,
    publicUrl: (config.PUBLIC_URL ?? listenUrl).replace(/\/$/, ''),
    connections: [db, batchDb],
  }
}

/** How this machine reaches an address listened on: a wildcard is no address to call. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

/** Settings that must be known by now, whoever gave them. */
function demand(config: Config) {
  const { DATABASE_URL, CHAIN_RPC_URL, VAULT_ADDRESS, TICKET_SIGNER_KEY, ENCRYPTION_KEY, JWT_SECRET } = config
  const needed = { DATABASE_URL, CHAIN_RPC_URL, VAULT_ADDRESS, TICKET_SIGNER_KEY, ENCRYPTION_KEY, JWT_SECRET }
  const missing = Object.entries(needed).flatMap(([name, value]) => (value === undefined ? [name] : []))
  if (missing.length > 0) throw new ConfigError(`Configuration: missing: ${missing.join(', ')}`)
  return needed as { [Name in keyof typeof needed]: string }
}

function registerApi(
  api: App,
  deps: InvocationDeps & { agents: AgentGuard; providers: ProviderGuard },
): void {
  authRoutes(api, deps)
  ledgerRoutes(api, deps)
  proofRoutes(api, deps)
  credentialRoutes(api, deps)
  secretRoutes(api, deps)
  chainRoute(api, deps)
  depositRoutes(api, deps)
  serviceRoutes(api, { ...deps, onRegistered: serviceId => probeService(deps, serviceId) })
  providerServiceRoutes(api, deps)
  healthRoutes(api, deps)
  providerHealthRoutes(api, deps)
  invocationRoutes(api, deps)
  providerInvocationRoutes(api, deps)
  withdrawalRoutes(api, deps)
  adminRoutes(api, deps)
}

function gatewayJobs(deps: InvocationDeps): Job[] {
  const { config } = deps
  return [
    ...invocationJobs(deps),
    ...depositJobs(deps, { onWithdrawn: events => completeByEvents(deps, events) }),
    ...withdrawalJobs(deps),
    ...healthJobs(deps),
    { name: 'purge-auth', everyMs: PURGE_INTERVAL_MS, run: () => purgeExpired(deps) },
    { name: 'reconcile', everyMs: config.RECONCILE_INTERVAL_SECONDS * 1_000, run: () => reconcile(deps) },
  ]
}

/** What does the work that was queued, by name. */
function queueTasks(_deps: InvocationDeps): QueueTask[] {
  return []
}

/** Stops accepting at once and waits for the running calls, but not for longer than `seconds`. */
async function drain(app: App, seconds: number): Promise<void> {
  const closed = app.close()
  const late = setTimeout(() => app.server.closeAllConnections(), seconds * 1_000)
  try {
    await closed
  } finally {
    clearTimeout(late)
  }
}
