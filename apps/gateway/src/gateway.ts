import type { Usdc } from '@farebox/money'
import { countJobs, startJobQueue } from './adapters/job-queue.ts'
import { METRICS_TYPE } from './adapters/metrics.ts'
import { checkSchema } from './adapters/prepare-schema.ts'
import { type App, buildApp, type OnAnswer } from './app.ts'
import type { Config } from './config.ts'
import { connectAdapters } from './connect-adapters.ts'
import { gatewayHealthRoutes } from './domains/admin/health-routes.ts'
import { moderationRoutes } from './domains/admin/moderation-routes.ts'
import { adminRoutes } from './domains/admin/routes.ts'
import { supportRoutes } from './domains/admin/support-routes.ts'
import { adminVoucherRoutes } from './domains/admin/voucher-routes.ts'
import { alertRoutes } from './domains/alerts/routes.ts'
import { authRoutes } from './domains/auth/routes.ts'
import { authoringRoutes } from './domains/authoring/routes.ts'
import { mcpRoutes } from './domains/compat/mcp-routes.ts'
import { compatRoutes } from './domains/compat/routes.ts'
import { createAgentGuard } from './domains/credentials/require-agent.ts'
import { credentialRoutes } from './domains/credentials/routes.ts'
import { giveUpVault } from './domains/deposits/follow-vault.ts'
import { depositRoutes } from './domains/deposits/routes.ts'
import { feedbackRoutes } from './domains/feedback/routes.ts'
import { forumRoutes } from './domains/forum/routes.ts'
import { admitProbe } from './domains/health/admit-ping.ts'
import { marketHealthRoutes } from './domains/health/market-routes.ts'
import { probeService } from './domains/health/probe-service.ts'
import { createSuspectProber } from './domains/health/probe-suspects.ts'
import { providerHealthRoutes } from './domains/health/provider-routes.ts'
import { healthRoutes } from './domains/health/routes.ts'
import { createInvocations, flushCounts } from './domains/invocation/create-invocations.ts'
import { checkAppend } from './domains/invocation/log/check-append.ts'
import { providerInvocationRoutes } from './domains/invocation/provider-routes.ts'
import { giveUpLease, keepLease } from './domains/invocation/recovery/recover-calls.ts'
import { invocationRoutes } from './domains/invocation/routes.ts'
import { readTargetDays } from './domains/invocation/targets/read-target-days.ts'
import { trafficRoutes } from './domains/invocation/traffic-routes.ts'
import { noticeDatabase } from './domains/ledger/database/database-watch.ts'
import { proofRoutes } from './domains/ledger/proof/proof-routes.ts'
import { ledgerRoutes } from './domains/ledger/routes.ts'
import { statusRoutes } from './domains/ledger/status-routes.ts'
import { oauthClientRoutes } from './domains/oauth/client-routes.ts'
import { oauthMetadataRoutes } from './domains/oauth/metadata-routes.ts'
import { oauthRoutes } from './domains/oauth/routes.ts'
import { profileRoutes } from './domains/profiles/routes.ts'
import { createProviderGuard } from './domains/secrets/require-provider.ts'
import { secretRoutes } from './domains/secrets/routes.ts'
import { createDiscovery } from './domains/services/discovery/create-discovery.ts'
import { discoveryRoutes, registryRoute } from './domains/services/discovery/discovery-routes.ts'
import { marketRoutes } from './domains/services/discovery/market-routes.ts'
import { readServiceTexts } from './domains/services/discovery/read-market-service.ts'
import { createServiceDirectory } from './domains/services/find-callable.ts'
import { findSignedServices } from './domains/services/find-signed-services.ts'
import { providerServiceRoutes } from './domains/services/provider-routes.ts'
import { findUnknownServices } from './domains/services/resolve-service-id.ts'
import { serviceRoutes } from './domains/services/routes.ts'
import { findSigningSecret } from './domains/signing/find-signing-secret.ts'
import { keyRingJobs } from './domains/signing/open-key-ring.ts'
import { refuseLoops } from './domains/signing/refuse-loops.ts'
import { signingRoutes } from './domains/signing/routes.ts'
import { signingSecretRoutes } from './domains/signing/secret-routes.ts'
import { voucherRoutes } from './domains/vouchers/routes.ts'
import { webhookRoutes } from './domains/webhooks/routes.ts'
import { withdrawalRoutes } from './domains/withdrawals/routes.ts'
import { facilitatorRoutes } from './domains/x402/facilitator-routes.ts'
import { x402Routes } from './domains/x402/routes.ts'
import type { X402 } from './domains/x402/x402-deps.ts'
import { gatewayJobs, queueTasks } from './gateway-jobs.ts'
import { chainRoute } from './http/chain-route.ts'
import { compressReads } from './http/compress-reads.ts'
import { consoleRoutes } from './http/console.ts'
import { healthChecks } from './http/health-checks.ts'
import { metricsRoute } from './http/metrics-route.ts'
import { type Operations, operationsOf } from './http/openapi/operations.ts'
import { referenceRoutes } from './http/openapi/reference.ts'
import { createShutdown, type Shutdown } from './http/shutdown.ts'
import type { Settler } from './payment-ports.ts'
import type { Clock, Deps, Log } from './ports.ts'
import { type JobStates, startJobs } from './runtime/jobs.ts'
import { createReadiness, type Look } from './runtime/readiness.ts'
import { within } from './runtime/within.ts'
import { gatewaySamples } from './telemetry/gauges.ts'

/** Interval of reads of the database time, in ms. */
const CLOCK_INTERVAL_MS = 5_000
/** Backlog of connections to accept; the system may allow fewer. */
const CONNECTIONS_WAITING_MAX = 4_096
/** Maximum waits for the settlement of calls cut at the end of a drain, and then for their answers, in ms. */
const SETTLE_AFTER_CUT_MS = 2_000

/** Funds promotions that an admin's balance does not cover, micro-USDC. */
export type OnPromotionsShort = (deps: Deps, missing: Usdc) => Promise<void>

/** A listening gateway. */
export type Gateway = {
  readonly url: string
  readonly deps: Deps
  /** Its operations, from its routes. */
  readonly operations: Operations
  /** Fails readiness, continues for a pause, drains running calls (bounded), settles, and closes everything. */
  stop(): Promise<void>
}

type GatewayOptions = {
  readonly config: Config
  readonly log: Log
  readonly version: string
  /** Another clock than the database's, for tests. */
  readonly clock?: Clock
  /** Another clock of the machine, for tests. */
  readonly machineClock?: Clock
  /** Sees every answer, for tests. */
  readonly onAnswer?: OnAnswer
  /** Called when the schema is up to date. */
  readonly onMigrated?: () => void
  /** Directory of the built console, for tests. */
  readonly consoleDirectory?: string
  /** Routes of development mode. */
  readonly extraRoutes?: (app: App, deps: Deps) => void
  /** Development mode: pays for vouchers that an admin has no money for. */
  readonly onPromotionsShort?: OnPromotionsShort
}

/**
 * Puts a gateway together and has it listen: adapters, schema, lease, routes, jobs. Starts no database and no
 * chain; development mode does that before (dev/start-development.ts).
 *
 * @throws ConfigError when a setting that is needed now is missing
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { config, log } = options
  const { connections, port, keyRing, databaseUrl, followClock, checkClock, ...deps } =
    await connectAdapters(options)
  const parts = createParts(deps)
  registerSamples(parts, connections)
  await noticeDatabase(deps, { head: await deps.chain.head(), isStart: true })
  await keepLease(parts)

  const shutdown = createShutdown()
  const readiness = createReadiness({
    ...deps,
    required: {
      database: () => checkAppend(deps),
      migrations: () => checkSchema(deps.leaseDb),
      clock: checkClock,
    },
    chain: deps.chain.head,
  })
  const register = (root: App) => registerRoutes(root, parts, { ...options, keyRing, shutdown, readiness })
  const app = await buildApp(deps, register, options.onAnswer, shutdown)
  try {
    await app.listen({ host: config.HOST, port, backlog: CONNECTIONS_WAITING_MAX })
  } catch (error) {
    await app.close()
    await Promise.all([deps.upstream.close(), deps.tracer?.close(), closeAll(connections)])
    throw error
  }
  const jobs = startJobs({ ...deps, states: parts.jobStates }, [
    { name: 'follow-clock', everyMs: CLOCK_INTERVAL_MS, run: followClock },
    ...gatewayJobs({ ...parts, db: deps.rawDb }),
    ...keyRingJobs(keyRing),
  ])
  const jobQueue = await startJobQueue({
    connectionString: databaseUrl,
    log,
    metrics: deps.metrics,
    tasks: queueTasks(parts),
  })

  return {
    url: deps.listenUrl,
    deps,
    operations: operationsOf(app),
    async stop() {
      const drainedBy = deps.clock.elapsed() + config.DRAIN_SECONDS * 1_000
      shutdown.begin()
      await deps.clock.pause(Math.min(config.STOP_PAUSE_SECONDS, config.DRAIN_SECONDS) * 1_000)
      const closed = app.close()
      // Streams without callers are read to their bill.
      await within(Math.max(0, drainedBy - deps.clock.elapsed()), closed)
      await parts.inFlight.over(Math.max(0, drainedBy - deps.clock.elapsed()))
      const stopped = Promise.all([jobs.stop(), jobQueue.stop()])
      // Open calls are aborted at their providers. Callers receive the outcome; usage is pending.
      await deps.upstream.close()
      await parts.inFlight.over(SETTLE_AFTER_CUT_MS)
      if ((await within(SETTLE_AFTER_CUT_MS, closed)) === 'late') app.server.closeAllConnections()
      await closed
      await stopped
      await parts.calls.idle()
      await parts.projector.idle()
      await flushCounts(parts).catch((error: unknown) => {
        log.warn({ err: error }, 'statistics of the last calls are lost')
      })
      await Promise.all([giveUpLease(deps), giveUpVault(deps)])
      await deps.tracer?.close()
      await closeAll(connections)
    },
  }
}

type Connected = Awaited<ReturnType<typeof connectAdapters>>
type Adapters = Omit<
  Connected,
  'connections' | 'port' | 'keyRing' | 'databaseUrl' | 'followClock' | 'checkClock'
>

/** State that domains keep in memory and share: guards, caches, calls in flight. */
type Parts = ReturnType<typeof createParts>

function createParts(deps: Adapters) {
  const raw = { ...deps, db: deps.rawDb }
  const directory = createServiceDirectory(raw)
  return {
    ...createInvocations({ ...deps, directory, onSuspect: createSuspectProber(deps) }),
    metrics: deps.metrics,
    agents: createAgentGuard(raw),
    providers: createProviderGuard(raw),
    discovery: createDiscovery(forPublicReads(deps)),
    medianOverhead: () => deps.metrics.median('farebox_call_overhead_seconds'),
    figures: deps.metrics.figures,
    jobStates: new Map() as JobStates,
  }
}

/** Registers what is read when the metrics are scraped. */
function registerSamples(parts: Parts, { db, batchDb, publicDb }: Connected['connections']): void {
  const raw = { ...parts, db: parts.rawDb }
  const samples = gatewaySamples(raw, {
    pools: { main: db.state, batch: batchDb.state, public: publicDb.state },
    openBreakers: parts.breakers.countOpen,
    callsInFlight: parts.inFlight.count,
    callsWaiting: parts.calls.waiting,
    queue: () => countJobs(parts.rawDb),
  })
  for (const sample of samples) parts.metrics.sample(sample)
}

function closeAll(connections: Connected['connections']): Promise<unknown> {
  return Promise.all(Object.values(connections).map(connection => connection.close()))
}

async function registerRoutes(
  root: App,
  parts: Parts,
  options: GatewayOptions &
    Pick<Connected, 'keyRing'> & { shutdown: Shutdown; readiness: () => Promise<Look> },
): Promise<void> {
  const { keyRing, version, config, onPromotionsShort: onShort } = options
  const findSecret = (keyId: string) => findSigningSecret(parts, keyId)
  root.addHook('onRequest', refuseLoops({ ring: keyRing, publicUrl: parts.publicUrl, findSecret }))
  healthChecks(root, options, version)
  metricsRoute(root, config, { contentType: METRICS_TYPE, scrape: parts.metrics.scrape })
  referenceRoutes(root, parts, version)
  signingRoutes(root, keyRing)
  options.extraRoutes?.(root, parts)
  mcpRoutes(root, parts, version)
  const { settler } = parts
  const x402 = settler === null ? null : await openX402({ ...parts, settler })
  x402Routes(root, parts, x402)
  facilitatorRoutes(root, parts, x402)
  oauthMetadataRoutes(root, parts)
  await root.register(async clients => oauthClientRoutes(clients as App, parts))
  registryRoute(root, forPublicReads(parts))
  const api = { ...parts, ...(onShort && { onShort }) }
  await root.register(
    async below => {
      await compressReads(below as App)
      registerApi(below as App, api)
    },
    { prefix: '/api/v1' },
  )
  await root.register(async below => compatRoutes(below as App, parts), { prefix: '/v1' })
  const readTexts = (reference: string) => readServiceTexts(forPublicReads(parts), reference)
  await consoleRoutes(root, parts, { ...options, readServiceTexts: readTexts })
}

async function openX402(parts: Parts & { settler: Settler }): Promise<X402> {
  const { createX402 } = await import('./domains/x402/create-x402.ts')
  return createX402(parts)
}

/** Dependencies of public reads: their own database connections, and everything else. */
function forPublicReads<Given extends Pick<Deps, 'db' | 'publicDb'>>(deps: Given): Given {
  return { ...deps, db: deps.publicDb }
}

function registerApi(api: App, deps: Parts & { onShort?: OnPromotionsShort }): void {
  const reads = forPublicReads(deps)
  authRoutes(api, deps)
  profileRoutes(api, deps)
  ledgerRoutes(api, deps)
  proofRoutes(api, reads)
  statusRoutes(api, reads)
  const named = { ...deps, services: { findUnknown: findUnknownServices } }
  credentialRoutes(api, named)
  oauthRoutes(api, named)
  secretRoutes(api, deps)
  const { forgetProvider } = deps.directory
  signingSecretRoutes(api, { ...deps, services: { findSigned: findSignedServices, forget: forgetProvider } })
  chainRoute(api, deps)
  depositRoutes(api, deps)
  authoringRoutes(api, deps)
  serviceRoutes(api, {
    ...deps,
    admitProbe: probe => admitProbe(deps, probe),
    onRegistered: serviceId => probeService(deps, serviceId),
  })
  discoveryRoutes(api, reads)
  marketRoutes(api, reads)
  marketHealthRoutes(api, { ...reads, readTargetDays })
  providerServiceRoutes(api, deps)
  healthRoutes(api, deps)
  providerHealthRoutes(api, deps)
  invocationRoutes(api, deps)
  providerInvocationRoutes(api, deps)
  trafficRoutes(api, deps)
  withdrawalRoutes(api, deps)
  voucherRoutes(api, deps)
  feedbackRoutes(api, reads)
  forumRoutes(api, deps)
  alertRoutes(api, deps)
  webhookRoutes(api, deps)
  adminRoutes(api, deps)
  gatewayHealthRoutes(api, deps)
  supportRoutes(api, deps)
  moderationRoutes(api, deps)
  const { onShort } = deps
  adminVoucherRoutes(api, deps, onShort && (missing => onShort(deps, missing)))
}
