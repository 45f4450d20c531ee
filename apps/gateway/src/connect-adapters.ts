import { connectChain } from './adapters/chain/chain.ts'
import { createClientRates } from './adapters/client-rates.ts'
import { systemClock } from './adapters/clock.ts'
import { createDatabaseClock } from './adapters/database-clock.ts'
import { createIds } from './adapters/ids.ts'
import { jobs as queue } from './adapters/job-queue.ts'
import { createMessageSigner } from './adapters/message-signer.ts'
import { createMetrics } from './adapters/metrics.ts'
import { connectPostgres } from './adapters/postgres.ts'
import { prepareSchema } from './adapters/prepare-schema.ts'
import { createSecretBox } from './adapters/secret-box.ts'
import { createUpstream } from './adapters/upstream/upstream.ts'
import { type Config, demandSettings, type Needed, remoteSignerOf } from './config.ts'
import { bindVault } from './domains/deposits/bind-vault.ts'
import { readsCurrent } from './domains/ledger/read-current.ts'
import { openKeyRing } from './domains/signing/open-key-ring.ts'
import type { Settler } from './payment-ports.ts'
import type { ChainFacts, Clock, Log, Mailer, Metrics } from './ports.ts'
import { requireSafeMoney } from './preflight/guard-money.ts'
import { requirePort } from './preflight/guard-port.ts'
import { requireVault } from './preflight/guard-vault.ts'
import { checkEncryptionKey } from './runtime/check-encryption-key.ts'
import { countOtherSessionKeys, storeSessionKey } from './runtime/check-session-key.ts'
import { createClockWatch } from './runtime/watch-clocks.ts'
import { countMails } from './telemetry/gauges.ts'

/** Connections of the batches: one for each lane, and a spare one. */
const BATCH_CONNECTIONS = 3
/**
 * Timeout of a statement of public reads, and of the wait for a connection: anonymous clients get no more of the
 * database.
 */
const PUBLIC_STATEMENT_TIMEOUT_MS = 1_000
const PUBLIC_CONNECT_TIMEOUT_MS = 2_000
/** A batch takes milliseconds; beyond this, callers are refused with Retry-After. */
const BATCH_STATEMENT_TIMEOUT_MS = 3_000
/** Timeout of a lease renewal: this share of the lease, at least this many ms. */
const LEASE_ATTEMPTS_PER_LEASE = 6
const LEASE_TIMEOUT_MS_MIN = 1_000

/** Creates the adapters of all ports, and migrates the schema or checks it. */
export async function connectAdapters(options: {
  config: Config
  log: Log
  version: string
  clock?: Clock
  machineClock?: Clock
  onMigrated?: () => void
}) {
  const { log } = options
  const config = demandSettings(options.config)
  const databaseClock = createDatabaseClock(options.machineClock ?? systemClock)
  const clock = options.clock ?? databaseClock
  const metrics = createMetrics(log)
  const port = await requirePort(config)
  const chain = await requireVault(openChain(config, { log, metrics }))
  const settler = await openSettler(config, { log, facts: chain.facts })
  await requireSafeMoney(config, { chain, log })
  await prepareSchema(config, log)
  options.onMigrated?.()

  let losses = 0
  const onLost = () => {
    losses += 1
  }
  const databases = openDatabases(config.DATABASE_URL, config, { log, onLost })
  const { db, leaseDb } = databases
  const clocks = createClockWatch(databaseClock, { log, metrics })
  await clocks.follow(leaseDb)
  const secretBox = createSecretBox(config.ENCRYPTION_KEY)
  await checkEncryptionKey(db, secretBox)
  await bindVault(db, chain.facts, config)
  const keyRing = await openKeyRing({ db, secretBox, clock, config })
  const sign = createMessageSigner(keyRing.current, () => clock.now())
  const upstream = createUpstream(config, { sign })
  const ids = createIds(() => clock.now())
  const instanceId = ids.next('gw')
  if ((await countOtherSessionKeys(db, config.JWT_SECRET)) > 0)
    log.warn({}, 'JWT_SECRET is not that of the other gateways: each refuses sessions of the other')
  await storeSessionKey(db, instanceId, config.JWT_SECRET)
  const listenUrl = `http://${reachableHost(config.HOST)}:${port}`
  return {
    config,
    ...databases,
    db: readsCurrent(db),
    rawDb: db,
    clientRates: createClientRates(databases.publicDb),
    databaseLosses: () => losses,
    chain,
    settler,
    clock,
    ids,
    log,
    listenUrl,
    port,
    instanceId,
    metrics,
    tracer: await tracerOf({ ...options, instanceId }),
    upstream,
    secretBox,
    keyRing,
    jobs: queue,
    mailer: await mailerOf(config, log, metrics),
    databaseUrl: config.DATABASE_URL,
    followClock: () => clocks.follow(leaseDb),
    checkClock: () => clocks.check(leaseDb),
    publicUrl: (config.PUBLIC_URL ?? listenUrl).replace(/\/$/, ''),
    connections: databases,
  }
}

/** Pools of connections to the database, one for each kind of work, so that none waits for another. */
function openDatabases(connectionString: string, config: Config, hooks: { log: Log; onLost: () => void }) {
  const connection = { connectionString, ...hooks }
  const leaseTimeoutMs = Math.max(
    LEASE_TIMEOUT_MS_MIN,
    (config.LEASE_SECONDS * 1_000) / LEASE_ATTEMPTS_PER_LEASE,
  )
  return {
    db: connectPostgres({ ...connection, connectionsMax: config.DATABASE_CONNECTIONS }),
    batchDb: connectPostgres({
      ...connection,
      connectionsMax: BATCH_CONNECTIONS,
      name: 'farebox-ledger',
      byKeyOnly: true,
      statementTimeoutMs: BATCH_STATEMENT_TIMEOUT_MS,
    }),
    leaseDb: connectPostgres({
      ...connection,
      connectionsMax: 1,
      statementTimeoutMs: leaseTimeoutMs,
      connectTimeoutMs: leaseTimeoutMs,
    }),
    // Losses are not counted here: exhausting these connections does not mean that the database is unreachable.
    publicDb: connectPostgres({
      connectionString,
      log: hooks.log,
      connectionsMax: config.PUBLIC_DATABASE_CONNECTIONS,
      name: 'farebox-public',
      statementTimeoutMs: PUBLIC_STATEMENT_TIMEOUT_MS,
      connectTimeoutMs: PUBLIC_CONNECT_TIMEOUT_MS,
    }),
  }
}

function openChain(config: Config & Needed, hooks: { log: Log; metrics: Metrics }) {
  if (config.TICKET_SIGNER_KEY === undefined && config.TICKET_SIGNER_URL === undefined)
    hooks.log.warn({}, 'TICKET_SIGNER_KEY is not set: no ticket is signed, and withdrawals wait for review')
  return connectChain({
    rpcUrl: config.CHAIN_RPC_URL,
    // Providers put their customers' keys in paths and queries of RPC URLs.
    publicRpcUrl: config.CHAIN_PUBLIC_RPC_URL ?? new URL(config.CHAIN_RPC_URL).origin,
    vault: config.VAULT_ADDRESS,
    requiredConfirmations: config.REQUIRED_CONFIRMATIONS,
    moreRpcUrls: config.RPC_URLS,
    ticketSignerKey: config.TICKET_SIGNER_KEY,
    remoteSigner: remoteSignerOf(config),
    ...hooks,
  })
}

async function openSettler(
  { CHAIN_RPC_URL, RPC_URLS, X402_SETTLER_KEY: key }: Config & Needed,
  { log, facts }: { log: Log; facts: ChainFacts },
): Promise<Settler | null> {
  if (key === undefined) return null
  const { createSettler } = await import('./adapters/chain/settler.ts')
  return createSettler({ urls: [CHAIN_RPC_URL, ...RPC_URLS], key, facts, log })
}

/** OpenTelemetry, like nodemailer below, is loaded only where it is used: it is a fifth of all modules. */
async function tracerOf(options: { config: Config; log: Log; version: string; instanceId: string }) {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SERVICE_NAME: serviceName } = options.config
  if (endpoint === undefined) return null
  const { createTracer } = await import('./adapters/tracing.ts')
  return createTracer({ ...options, endpoint, serviceName, ratio: options.config.OTEL_TRACES_SAMPLER_ARG })
}

async function mailerOf(
  { SMTP_URL: url, MAIL_FROM: from }: Config,
  log: Log,
  metrics: Metrics,
): Promise<Mailer | null> {
  if (url === undefined) {
    log.warn({}, 'SMTP_URL is not set: no mail goes out, and no email can be verified')
    return null
  }
  const { createMailer } = await import('./adapters/mailer.ts')
  return countMails(createMailer({ url, from }), metrics)
}

/** Returns the address to call for an address listened on: a wildcard cannot be called. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}
