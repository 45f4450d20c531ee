import type { Usdc } from '@farebox/money'
import { connectChain } from './adapters/chain/chain.ts'
import { createClientRates, pruneClientRates } from './adapters/client-rates.ts'
import { systemClock } from './adapters/clock.ts'
import { createDatabaseClock } from './adapters/database-clock.ts'
import { freePort } from './adapters/free-port.ts'
import { createIds } from './adapters/ids.ts'
import { countJobs, jobs as queue, startJobQueue } from './adapters/job-queue.ts'
import { createMailer } from './adapters/mailer.ts'
import { createMessageSigner } from './adapters/message-signer.ts'
import { createMetrics, METRICS_TYPE } from './adapters/metrics.ts'
import { connectPostgres } from './adapters/postgres.ts'
import { checkSchema, prepareSchema } from './adapters/prepare-schema.ts'
import { createSecretBox } from './adapters/secret-box.ts'
import { createTracer } from './adapters/tracing.ts'
import { createUpstream } from './adapters/upstream/upstream.ts'
import { type App, buildApp, type OnAnswer } from './app.ts'
import { type Config, ConfigError } from './config.ts'
import { moderationRoutes } from './domains/admin/moderation-routes.ts'
import { adminRoutes } from './domains/admin/routes.ts'
import { supportRoutes } from './domains/admin/support-routes.ts'
import { adminVoucherRoutes } from './domains/admin/voucher-routes.ts'
import { purgeExpired } from './domains/auth/purge-expired.ts'
import { authRoutes } from './domains/auth/routes.ts'
import { authoringRoutes } from './domains/authoring/routes.ts'
import { mcpRoutes } from './domains/compat/mcp-routes.ts'
import { compatRoutes } from './domains/compat/routes.ts'
import { type AgentGuard, createAgentGuard } from './domains/credentials/require-agent.ts'
import { credentialRoutes } from './domains/credentials/routes.ts'
import { bindVault } from './domains/deposits/bind-vault.ts'
import { giveUpVault, type WithdrawnEvent } from './domains/deposits/follow-vault.ts'
import { depositJobs } from './domains/deposits/jobs.ts'
import { depositRoutes } from './domains/deposits/routes.ts'
import { feedbackRoutes } from './domains/feedback/routes.ts'
import { forumRoutes } from './domains/forum/routes.ts'
import { healthJobs } from './domains/health/jobs.ts'
import { marketHealthRoutes } from './domains/health/market-routes.ts'
import { probeService } from './domains/health/probe-service.ts'
import { createSuspectProber } from './domains/health/probe-suspects.ts'
import { providerHealthRoutes } from './domains/health/provider-routes.ts'
import { healthRoutes } from './domains/health/routes.ts'
import { createInvocations, invocationJobs } from './domains/invocation/create-invocations.ts'
import type { InvocationDeps } from './domains/invocation/invoke-service.ts'
import { providerInvocationRoutes } from './domains/invocation/provider-routes.ts'
import { flushTally } from './domains/invocation/records/flush-tally.ts'
import { giveUpLease, keepLease } from './domains/invocation/recovery/recover-calls.ts'
import { invocationRoutes } from './domains/invocation/routes.ts'
import { confirmDatabase } from './domains/ledger/database/confirm-database.ts'
import { noticeDatabase } from './domains/ledger/database/database-watch.ts'
import { proofJobs } from './domains/ledger/jobs.ts'
import { proofRoutes } from './domains/ledger/proof/proof-routes.ts'
import { readsCurrent } from './domains/ledger/read-current.ts'
import { pruneChecks } from './domains/ledger/reconcile/prune-checks.ts'
import { reconcileRecent } from './domains/ledger/reconcile/reconcile-recent.ts'
import { ledgerRoutes } from './domains/ledger/routes.ts'
import { profileJobs, profileTasks } from './domains/profiles/jobs.ts'
import { profileRoutes } from './domains/profiles/routes.ts'
import { createProviderGuard, type ProviderGuard } from './domains/secrets/require-provider.ts'
import { secretRoutes } from './domains/secrets/routes.ts'
import { createDiscovery, type Discovery } from './domains/services/discovery/create-discovery.ts'
import { discoveryJobs } from './domains/services/discovery/discovery-jobs.ts'
import { discoveryRoutes, registryRoute } from './domains/services/discovery/discovery-routes.ts'
import { marketRoutes } from './domains/services/discovery/market-routes.ts'
import { createServiceDirectory } from './domains/services/find-callable.ts'
import { findSignedServices } from './domains/services/find-signed-services.ts'
import { providerServiceRoutes } from './domains/services/provider-routes.ts'
import { findUnknownServices } from './domains/services/resolve-service-id.ts'
import { serviceRoutes } from './domains/services/routes.ts'
import { findSigningSecret } from './domains/signing/find-signing-secret.ts'
import { keyRingJobs, openKeyRing } from './domains/signing/open-key-ring.ts'
import { pruneSigningSecrets } from './domains/signing/prune-signing-secrets.ts'
import { refuseLoops } from './domains/signing/refuse-loops.ts'
import { signingRoutes } from './domains/signing/routes.ts'
import { signingSecretRoutes } from './domains/signing/secret-routes.ts'
import { voucherRoutes } from './domains/vouchers/routes.ts'
import { webhookJobs } from './domains/webhooks/jobs.ts'
import { webhookRoutes } from './domains/webhooks/routes.ts'
import { completeByEvents } from './domains/withdrawals/complete-by-event.ts'
import { withdrawalJobs } from './domains/withdrawals/jobs.ts'
import { raiseReorganised } from './domains/withdrawals/raise-reorganised.ts'
import { withdrawalRoutes } from './domains/withdrawals/routes.ts'
import { chainRoute } from './http/chain-route.ts'
import { consoleRoutes } from './http/console.ts'
import { healthChecks } from './http/health-checks.ts'
import { metricsRoute } from './http/metrics-route.ts'
import { type Operations, operationsOf } from './http/openapi/operations.ts'
import { referenceRoutes } from './http/openapi/reference.ts'
import { createDeparture } from './http/shutdown.ts'
import type { Clock, Deps, Log, Mailer, Metrics, QueueTask } from './ports.ts'
import { checkEncryptionKey } from './runtime/check-encryption-key.ts'
import { type Job, startJobs } from './runtime/jobs.ts'
import { pruneGivenUp } from './sql/prune-given-up.ts'
import { countMails, gatewaySamples } from './telemetry/gauges.ts'

/** How often the time of the database is read, in ms. */
const CLOCK_INTERVAL_MS = 5_000
const PURGE_INTERVAL_MS = 60_000
const PRUNE_INTERVAL_MS = 600_000
/** How often a gateway looks whether the books are to be checked again: also by whom, and whether the chain was there. */
const RECONCILE_LOOK_MS = 5_000
/** Most of the time that checking the books may take: while they are in doubt, each check reads all of them. */
const RECONCILE_SHARE_MAX = 0.25
/** Connections that wait to be accepted; the system may allow fewer. */
const CONNECTIONS_WAITING_MAX = 4_096
/** Longest wait for the settlement of calls that the end of a drain has cut, in ms. */
const SETTLE_AFTER_CUT_MS = 2_000
/** Connections of the batches: one for each lane, and one to spare while another is being replaced. */
const BATCH_CONNECTIONS = 3
/**
 * Longest time of one statement of a public read, and of its wait for a connection: who asks without an account gets no
 * more of the database than this.
 */
const PUBLIC_STATEMENT_TIMEOUT_MS = 1_000
const PUBLIC_CONNECT_TIMEOUT_MS = 2_000
/** A batch takes milliseconds; past this, callers are told to come back rather than kept. */
const BATCH_STATEMENT_TIMEOUT_MS = 3_000
/** Longest time of an attempt to renew the lease: this share of it, and no less than this, in ms. */
const LEASE_ATTEMPTS_PER_LEASE = 6
const LEASE_TIMEOUT_MS_MIN = 1_000

/** Brings promotions money that an admin lacks, micro-USDC. */
export type OnPromotionsShort = (deps: Deps, missing: Usdc) => Promise<void>

/** A gateway that listens. */
export type Gateway = {
  readonly url: string
  readonly deps: Deps
  /** What it offers, as its routes say of themselves. */
  readonly operations: Operations
  /** Says that it is not ready, goes on for a pause, then lets running calls end (bounded), settles, gives everything back. */
  stop(): Promise<void>
}

/**
 * Puts a gateway together and has it listen: adapters, schema, lease, routes, jobs. Starts no database and no
 * chain; development mode does that before (dev/start-development.ts).
 *
 * @param options.consoleDirectory where the built console is, for tests
 * @param options.extraRoutes routes of development mode
 * @param options.onPromotionsShort development mode: pays for vouchers that an admin has no money for
 * @param options.clock       another clock than the database's, for tests
 * @param options.machineClock another clock of the machine, for tests
 * @param options.onAnswer    sees every answer, for tests
 * @throws ConfigError when a setting that is needed now is missing
 */
export async function startGateway(options: {
  config: Config
  log: Log
  version: string
  clock?: Clock
  machineClock?: Clock
  onAnswer?: OnAnswer
  consoleDirectory?: string
  extraRoutes?: (app: App, deps: Deps) => void
  onPromotionsShort?: OnPromotionsShort
}): Promise<Gateway> {
  const { config, log } = options
  const { connections, port, keyRing, databaseUrl, followClock, ...deps } = await connect(options)
  const raw = { ...deps, db: deps.rawDb }
  const agents = createAgentGuard(raw)
  const providers = createProviderGuard(raw)
  const directory = createServiceDirectory(raw)
  const invocations = createInvocations({ ...deps, directory, onSuspect: createSuspectProber(deps) })
  const discovery = createDiscovery(forPublicReads(deps))
  const [db, batchDb, , publicDb] = connections
  const samples = gatewaySamples(raw, {
    pools: { main: db.state, batch: batchDb.state, public: publicDb.state },
    openBreakers: invocations.breakers.countOpen,
    callsInFlight: invocations.inFlight.count,
    callsWaiting: invocations.calls.waiting,
    queue: () => countJobs(deps.rawDb),
  })
  for (const sample of samples) deps.metrics.sample(sample)
  await noticeDatabase(deps, { head: await deps.chain.head(), isStart: true })
  await keepLease(invocations)

  const departure = createDeparture()
  const app = await buildApp(
    deps,
    async root => {
      const findSecret = (keyId: string) => findSigningSecret(deps, keyId)
      root.addHook('onRequest', refuseLoops({ ring: keyRing, publicUrl: deps.publicUrl, findSecret }))
      healthChecks(root, { ...deps, departure, checkSchema: () => checkSchema(deps.db) }, options.version)
      metricsRoute(root, config, { contentType: METRICS_TYPE, scrape: deps.metrics.scrape })
      referenceRoutes(root, deps, options.version)
      signingRoutes(root, keyRing)
      options.extraRoutes?.(root, deps)
      mcpRoutes(root, { ...invocations, agents, discovery }, options.version)
      registryRoute(root, { ...forPublicReads(deps), discovery })
      const onShort = options.onPromotionsShort
      const medianOverhead = () => deps.metrics.median('farebox_call_overhead_seconds')
      const parts = {
        ...invocations,
        agents,
        providers,
        discovery,
        medianOverhead,
        ...(onShort && { onShort }),
      }
      await root.register(async api => registerApi(api as App, parts), { prefix: '/api/v1' })
      await root.register(async v1 => compatRoutes(v1 as App, { ...invocations, agents }), { prefix: '/v1' })
      await consoleRoutes(root, deps, options)
    },
    options.onAnswer,
    departure,
  )
  try {
    await app.listen({ host: config.HOST, port, backlog: CONNECTIONS_WAITING_MAX })
  } catch (error) {
    await app.close()
    await Promise.all([deps.upstream.close(), deps.tracer?.close(), ...connections.map(its => its.close())])
    throw error
  }
  const jobs = startJobs(deps, [
    { name: 'follow-clock', everyMs: CLOCK_INTERVAL_MS, run: followClock },
    ...gatewayJobs({ ...invocations, db: deps.rawDb }),
    ...keyRingJobs(keyRing),
  ])
  const jobQueue = await startJobQueue({
    connectionString: databaseUrl,
    log,
    metrics: deps.metrics,
    tasks: queueTasks(invocations),
  })

  return {
    url: deps.listenUrl,
    deps,
    operations: operationsOf(app),
    async stop() {
      const drainedBy = deps.clock.elapsed() + config.DRAIN_SECONDS * 1_000
      departure.begin()
      await deps.clock.pause(Math.min(config.STOP_PAUSE_SECONDS, config.DRAIN_SECONDS) * 1_000)
      await drain(app, Math.max(0, drainedBy - deps.clock.elapsed()))
      // Streams whose callers have left are read on to their bill; what is still open after the drain is cut, and
      // waits for its provider's report.
      await invocations.inFlight.over(Math.max(0, drainedBy - deps.clock.elapsed()))
      await Promise.all([jobs.stop(), jobQueue.stop()])
      await deps.upstream.close()
      await invocations.inFlight.over(SETTLE_AFTER_CUT_MS)
      await invocations.calls.idle()
      await invocations.projector.idle()
      await flushTally(invocations).catch((error: unknown) => {
        log.warn({ err: error }, 'what the last calls say of their providers is lost')
      })
      await Promise.all([giveUpLease(deps), giveUpVault(deps)])
      await deps.tracer?.close()
      await Promise.all(connections.map(connection => connection.close()))
    },
  }
}

/** What public reads are given: the database by connections of their own, and everything else. */
function forPublicReads<Given extends Pick<Deps, 'db' | 'publicDb'>>(deps: Given): Given {
  return { ...deps, db: deps.publicDb }
}

/** Adapters for every port, the schema brought up to date or found so. */
async function connect(options: {
  config: Config
  log: Log
  version: string
  clock?: Clock
  machineClock?: Clock
}) {
  const { config, log } = options
  const databaseClock = createDatabaseClock(options.machineClock ?? systemClock)
  const clock = options.clock ?? databaseClock
  const needed = demand(config)
  await prepareSchema({ ...config, DATABASE_URL: needed.DATABASE_URL }, log)

  let losses = 0
  const onLost = () => {
    losses += 1
  }
  const connection = { connectionString: needed.DATABASE_URL, log, onLost }
  const db = connectPostgres({ ...connection, connectionsMax: config.DATABASE_CONNECTIONS })
  const batchDb = connectPostgres({
    ...connection,
    connectionsMax: BATCH_CONNECTIONS,
    name: 'farebox-ledger',
    byKeyOnly: true,
    statementTimeoutMs: BATCH_STATEMENT_TIMEOUT_MS,
  })
  const leaseTimeoutMs = Math.max(
    LEASE_TIMEOUT_MS_MIN,
    (config.LEASE_SECONDS * 1_000) / LEASE_ATTEMPTS_PER_LEASE,
  )
  const leaseDb = connectPostgres({
    ...connection,
    connectionsMax: 1,
    statementTimeoutMs: leaseTimeoutMs,
    connectTimeoutMs: leaseTimeoutMs,
  })
  // Losses are not counted here: a crowd that waits for these connections is no database out of reach.
  const publicDb = connectPostgres({
    connectionString: needed.DATABASE_URL,
    log,
    connectionsMax: config.PUBLIC_DATABASE_CONNECTIONS,
    name: 'farebox-public',
    statementTimeoutMs: PUBLIC_STATEMENT_TIMEOUT_MS,
    connectTimeoutMs: PUBLIC_CONNECT_TIMEOUT_MS,
  })
  await databaseClock.follow(leaseDb)
  const metrics = createMetrics(log)
  const chain = await connectChain({
    rpcUrl: needed.CHAIN_RPC_URL,
    // Paths and queries of RPC URLs are where providers put their customers' keys.
    publicRpcUrl: config.CHAIN_PUBLIC_RPC_URL ?? new URL(needed.CHAIN_RPC_URL).origin,
    vault: needed.VAULT_ADDRESS,
    requiredConfirmations: config.REQUIRED_CONFIRMATIONS,
    moreRpcUrls: config.RPC_URLS,
    ticketSignerKey: config.TICKET_SIGNER_KEY,
    log,
    metrics,
  })
  if (config.TICKET_SIGNER_KEY === undefined)
    log.warn({}, 'TICKET_SIGNER_KEY is not set: no ticket is signed, and withdrawals wait for review')
  const secretBox = createSecretBox(needed.ENCRYPTION_KEY)
  await checkEncryptionKey(db, secretBox)
  await bindVault(db, chain.facts, config)
  const keyRing = await openKeyRing({ db, secretBox, clock, config })
  const sign = createMessageSigner(keyRing.current, () => clock.now())
  const upstream = createUpstream(config, { sign })
  const ids = createIds(() => clock.now())
  const instanceId = ids.next('gw')
  const port = config.PORT === 0 ? await freePort(config.HOST) : config.PORT
  const listenUrl = `http://${reachableHost(config.HOST)}:${port}`
  return {
    config,
    db: readsCurrent(db),
    rawDb: db,
    batchDb,
    leaseDb,
    publicDb,
    clientRates: createClientRates(publicDb),
    databaseLosses: () => losses,
    chain,
    clock,
    ids,
    log,
    listenUrl,
    port,
    instanceId,
    metrics,
    tracer: tracerOf({ ...options, instanceId }),
    upstream,
    secretBox,
    keyRing,
    jobs: queue,
    mailer: mailerOf(config, log, metrics),
    databaseUrl: needed.DATABASE_URL,
    followClock: () => databaseClock.follow(leaseDb),
    publicUrl: (config.PUBLIC_URL ?? listenUrl).replace(/\/$/, ''),
    connections: [db, batchDb, leaseDb, publicDb] as const,
  }
}

function tracerOf(options: { config: Config; log: Log; version: string; instanceId: string }) {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SERVICE_NAME: serviceName } = options.config
  if (endpoint === undefined) return null
  return createTracer({ ...options, endpoint, serviceName, ratio: options.config.OTEL_TRACES_SAMPLER_ARG })
}

function mailerOf({ SMTP_URL: url, MAIL_FROM: from }: Config, log: Log, metrics: Metrics): Mailer | null {
  if (url !== undefined) return countMails(createMailer({ url, from }), metrics)
  log.warn({}, 'SMTP_URL is not set: no mail goes out, and no email can be verified')
  return null
}

/** How this machine reaches an address listened on: a wildcard is no address to call. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

/** Settings that must be known by now, whoever gave them. */
function demand(config: Config) {
  const { DATABASE_URL, CHAIN_RPC_URL, VAULT_ADDRESS, ENCRYPTION_KEY, JWT_SECRET } = config
  const needed = { DATABASE_URL, CHAIN_RPC_URL, VAULT_ADDRESS, ENCRYPTION_KEY, JWT_SECRET }
  const missing = Object.entries(needed).flatMap(([name, value]) => (value === undefined ? [name] : []))
  if (missing.length > 0) throw new ConfigError(`Configuration: missing: ${missing.join(', ')}`)
  return needed as { [Name in keyof typeof needed]: string }
}

function registerApi(
  api: App,
  deps: InvocationDeps & {
    agents: AgentGuard
    providers: ProviderGuard
    discovery: Discovery
    medianOverhead: () => Promise<number | null>
    onShort?: OnPromotionsShort
  },
): void {
  const reads = forPublicReads(deps)
  authRoutes(api, deps)
  profileRoutes(api, deps)
  ledgerRoutes(api, deps)
  proofRoutes(api, reads)
  credentialRoutes(api, { ...deps, services: { findUnknown: findUnknownServices } })
  secretRoutes(api, deps)
  const { forgetProvider } = deps.directory
  signingSecretRoutes(api, { ...deps, services: { findSigned: findSignedServices, forget: forgetProvider } })
  chainRoute(api, deps)
  depositRoutes(api, deps)
  authoringRoutes(api, deps)
  serviceRoutes(api, { ...deps, onRegistered: serviceId => probeService(deps, serviceId) })
  discoveryRoutes(api, reads)
  marketRoutes(api, reads)
  marketHealthRoutes(api, reads)
  providerServiceRoutes(api, deps)
  healthRoutes(api, deps)
  providerHealthRoutes(api, deps)
  invocationRoutes(api, deps)
  providerInvocationRoutes(api, deps)
  withdrawalRoutes(api, deps)
  voucherRoutes(api, deps)
  feedbackRoutes(api, reads)
  forumRoutes(api, deps)
  webhookRoutes(api, deps)
  adminRoutes(api, deps)
  supportRoutes(api, deps)
  moderationRoutes(api, deps)
  const { onShort } = deps
  adminVoucherRoutes(api, deps, onShort && (missing => onShort(deps, missing)))
}

function gatewayJobs(deps: InvocationDeps): Job[] {
  const everySeconds = deps.config.RECONCILE_INTERVAL_SECONDS
  const checkBooks = async (pauseSeconds: number) => {
    const outcome = await reconcileRecent(deps, { everySeconds: pauseSeconds })
    if (outcome !== null) await confirmDatabase(deps, outcome)
  }
  const listener = {
    onWithdrawn: (events: readonly WithdrawnEvent[]) => completeByEvents(deps, events),
    onReorganised: (settledBelow: bigint) => raiseReorganised(deps, settledBelow),
    onCaughtUp: () => checkBooks(0),
  }
  return [
    ...invocationJobs(deps),
    ...depositJobs(deps, listener),
    ...withdrawalJobs(deps),
    ...healthJobs(deps),
    ...discoveryJobs(deps),
    ...webhookJobs(deps),
    ...profileJobs(deps),
    ...proofJobs(deps),
    { name: 'purge-auth', everyMs: PURGE_INTERVAL_MS, run: () => purgeExpired(deps) },
    { name: 'prune-checks', everyMs: PRUNE_INTERVAL_MS, run: signal => pruneChecks(deps, signal) },
    { name: 'prune-client-rates', everyMs: PRUNE_INTERVAL_MS, run: () => pruneClientRates(deps) },
    { name: 'prune-signing-secrets', everyMs: PRUNE_INTERVAL_MS, run: () => pruneSigningSecrets(deps) },
    { name: 'prune-queue', everyMs: PRUNE_INTERVAL_MS, run: signal => pruneGivenUp(deps, signal) },
    {
      name: 'reconcile',
      everyMs: Math.min(everySeconds * 1_000, RECONCILE_LOOK_MS),
      shareMax: RECONCILE_SHARE_MAX,
      run: () => checkBooks(everySeconds),
    },
  ]
}

/** What does the work that was queued, by name. */
function queueTasks(deps: InvocationDeps): QueueTask[] {
  return [...profileTasks(deps)]
}

/** Stops accepting at once and waits for the running calls, but not for longer than `ms`. */
async function drain(app: App, ms: number): Promise<void> {
  const closed = app.close()
  const late = setTimeout(() => app.server.closeAllConnections(), ms)
  try {
    await closed
  } finally {
    clearTimeout(late)
  }
}
