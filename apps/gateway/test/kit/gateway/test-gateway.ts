import { randomBytes } from 'node:crypto'
import sql from 'sql-template-tag'
import { expect } from 'vitest'
import type { App } from '../../../src/app.ts'
import { type Config, readConfig } from '../../../src/config.ts'
import { reconcile } from '../../../src/domains/ledger/reconcile/reconcile.ts'
import { type Gateway, startGateway } from '../../../src/gateway.ts'
import type { Clock, Log } from '../../../src/ports.ts'
import { startOnFreePort } from '../../../src/runtime/start-on-free-port.ts'
import { type Observer, observeAnswers } from '../../contract/observer.ts'
import { startTestChain, type TestChain } from '../chain/test-chain.ts'
import { type OwnerSql, openOwnerSql } from '../database/owner-sql.ts'
import { createTestDatabase, type TestDatabase } from '../database/test-database.ts'
import { until } from '../until.ts'

/** A whole gateway with a real database, chain and socket. */
export type TestGateway = {
  readonly url: string
  readonly gateway: Gateway
  readonly chain: TestChain
  readonly database: TestDatabase
  /** Compares answers with the contract; `stop` throws if one differed. */
  readonly observer: Observer
  readonly sql: OwnerSql['sql']
  /** Throws with the names of the rows that violate an invariant of the books. */
  assertBooks(): Promise<void>
  stop(): Promise<void>
}

/** Writes warnings and errors to stderr if TEST_LOG is set. */
const log: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: report,
  error: report,
}

function report(fields: object, message: string): void {
  if (process.env.TEST_LOG !== undefined) process.stderr.write(`${message} ${JSON.stringify(fields)}\n`)
}

/** The chain and database of a gateway. */
export type GatewayParts = { readonly chain: TestChain; readonly database: TestDatabase }

/** Returns the parts of another gateway, or those given, or new ones. */
export async function startParts({
  share,
  ...given
}: Partial<GatewayParts> & { share?: GatewayParts }): Promise<GatewayParts> {
  if (share !== undefined) return share
  const [chain, database] = await Promise.all([
    given.chain ?? startTestChain(),
    given.database ?? createTestDatabase(),
  ])
  return { chain, database }
}

/** Returns the environment of a test gateway. */
export function testEnvironment(parts: GatewayParts): Record<string, string> {
  return {
    FAREBOX_MODE: 'production',
    DATABASE_URL: parts.database.url,
    CHAIN_RPC_URL: parts.chain.rpcUrl,
    VAULT_ADDRESS: parts.chain.contracts.vault,
    TICKET_SIGNER_KEY: parts.chain.ticketSignerKey,
    JWT_SECRET: randomBytes(32).toString('hex'),
    ENCRYPTION_KEY: randomBytes(32).toString('hex'),
    REQUIRED_CONFIRMATIONS: '1',
    // A gateway that reads the chain five times a second takes as much time as the tests beside it.
    FOLLOWER_INTERVAL_SECONDS: '1',
    // Each connection learns the tables anew: with the default, a start takes a third more processor time.
    DATABASE_CONNECTIONS: '4',
    AUTO_CREDIT_AFTER_SECONDS: '3600',
    ALLOW_PRIVATE_TARGETS: 'true',
    ALLOW_HTTP_TARGETS: 'true',
    LOG_LEVEL: 'silent',
    CHALLENGES_PER_MINUTE: '1000000',
    PINGS_PER_MINUTE: '1000000',
    SEARCHES_PER_MINUTE: '1000000',
    STOP_PAUSE_SECONDS: '0',
  }
}

/**
 * Starts a gateway for a test file.
 *
 * @param options.env   settings that differ from {@link testEnvironment}
 * @param options.clock its clock
 * @param options.machineClock the clock of its machine; the gateway still uses database time
 * @param options.share another gateway, whose chain and database it uses too
 * @param options.database the database, a new clone of the template by default; dropped by `stop`
 * @param options.chain the chain, a new one by default; stopped by `stop`
 * @param options.consoleDirectory the built console, by default that of this checkout
 * @param options.extraRoutes registers more routes
 */
export async function startTestGateway(
  options: {
    env?: Record<string, string>
    clock?: Clock
    machineClock?: Clock
    share?: TestGateway
    log?: Log
    database?: TestDatabase
    chain?: TestChain
    consoleDirectory?: string
    extraRoutes?: (app: App) => void
  } = {},
): Promise<TestGateway> {
  const { share } = options
  const { chain, database } = await startParts(options)
  const config: Config = readConfig({
    ...testEnvironment({ database, chain }),
    // Gateways on one database need the same keys.
    ...(share && {
      ENCRYPTION_KEY: share.gateway.deps.config.ENCRYPTION_KEY,
      JWT_SECRET: share.gateway.deps.config.JWT_SECRET,
    }),
    ...options.env,
  })
  const observer = observeAnswers()
  const start = (its: Config) =>
    startGateway({
      config: its,
      log: options.log ?? log,
      version: 'test',
      onAnswer: observer.onAnswer,
      ...(options.clock && { clock: options.clock }),
      ...(options.machineClock && { machineClock: options.machineClock }),
      ...(options.consoleDirectory !== undefined && { consoleDirectory: options.consoleDirectory }),
      ...(options.extraRoutes && { extraRoutes: options.extraRoutes }),
    })
  // Another process of the test run may take the port that was found.
  const gateway = await startOnFreePort(config, config, start)
  // No ticket is issued before its first check of the books.
  await until('the books are checked', async () => {
    const checks = await gateway.deps.rawDb.query(sql`select 1 from reconciliations limit 1`)
    return checks.length > 0
  })
  const owner = openOwnerSql(database.ownerUrl)

  return {
    url: gateway.url,
    gateway,
    chain,
    database,
    observer,
    sql: owner.sql,
    async assertBooks() {
      const { findings } = await reconcile(gateway.deps)
      expect(findings).toEqual([])
    },
    async stop() {
      await gateway.stop()
      await owner.close()
      if (share === undefined) await Promise.all([chain.stop(), database.drop()])
      observer.assertKept()
    },
  }
}
