import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import type { App } from '../../../src/app.ts'
import { type Config, readConfig } from '../../../src/config.ts'
import { reconcile } from '../../../src/domains/ledger/reconcile/reconcile.ts'
import { reconcileRecent } from '../../../src/domains/ledger/reconcile/reconcile-recent.ts'
import { type Gateway, startGateway } from '../../../src/gateway.ts'
import type { Clock, Log } from '../../../src/ports.ts'
import { type Observer, observeAnswers } from '../../contract/observer.ts'
import { startTestChain, type TestChain } from '../chain/test-chain.ts'
import { type OwnerSql, openOwnerSql } from '../database/owner-sql.ts'
import { createTestDatabase, type TestDatabase } from '../database/test-database.ts'

/** A whole gateway on real parts: its own database, a chain (its own or a shared one), a real socket. */
export type TestGateway = {
  readonly url: string
  readonly gateway: Gateway
  readonly chain: TestChain
  readonly database: TestDatabase
  /** Holds its answers against their contracts; `stop` fails when one was not kept. */
  readonly observer: Observer
  readonly sql: OwnerSql['sql']
  /** Fails with the names of the broken rows when an invariant of the books does not hold. */
  assertBooks(): Promise<void>
  stop(): Promise<void>
}

/** Log of tests: silent, unless TEST_LOG is set. */
const log: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: tell,
  error: tell,
}

function tell(fields: object, message: string): void {
  if (process.env.TEST_LOG !== undefined) process.stderr.write(`${message} ${JSON.stringify(fields)}\n`)
}

/** What a gateway needs to run on. */
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

/** Settings of a test gateway as a child process or in this one would read them from the environment. */
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
    FOLLOWER_INTERVAL_SECONDS: '0.2',
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
 * @param options.env   settings to differ in
 * @param options.clock the time that it goes by
 * @param options.machineClock the clock of its machine; it goes by the time of the database all the same
 * @param options.share parts of another test gateway: two gateways on one database
 * @param options.database another database than a new clone of the template; it is dropped at the end
 * @param options.chain another chain than a new one; it is stopped at the end
 * @param options.consoleDirectory where a built console is, instead of the one of this checkout
 * @param options.extraRoutes registers more than a gateway has
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
    // What is sealed in a database opens with one key.
    ...(share && { ENCRYPTION_KEY: share.gateway.deps.config.ENCRYPTION_KEY }),
    ...options.env,
  })
  const observer = observeAnswers()
  const gateway = await startGateway({
    config,
    log: options.log ?? log,
    version: 'test',
    onAnswer: observer.onAnswer,
    ...(options.clock && { clock: options.clock }),
    ...(options.machineClock && { machineClock: options.machineClock }),
    ...(options.consoleDirectory !== undefined && { consoleDirectory: options.consoleDirectory }),
    ...(options.extraRoutes && { extraRoutes: options.extraRoutes }),
  })
  // The first check has been made, by this gateway or just now: without one there are no tickets.
  await reconcileRecent(gateway.deps, { everySeconds: config.RECONCILE_INTERVAL_SECONDS })
  const { sql, close } = openOwnerSql(database.ownerUrl)

  return {
    url: gateway.url,
    gateway,
    chain,
    database,
    observer,
    sql,
    async assertBooks() {
      const { findings } = await reconcile(gateway.deps)
      expect(findings).toEqual([])
    },
    async stop() {
      await gateway.stop()
      await close()
      if (share === undefined) await Promise.all([chain.stop(), database.drop()])
      observer.assertKept()
    },
  }
}
