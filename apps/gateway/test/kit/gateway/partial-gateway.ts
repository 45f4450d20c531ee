import type { Address } from 'viem'
import { createClientRates } from '../../../src/adapters/client-rates.ts'
import { systemClock } from '../../../src/adapters/clock.ts'
import { createIds } from '../../../src/adapters/ids.ts'
import { jobs } from '../../../src/adapters/job-queue.ts'
import { createMailer } from '../../../src/adapters/mailer.ts'
import { createMetrics } from '../../../src/adapters/metrics.ts'
import { connectPostgres } from '../../../src/adapters/postgres.ts'
import { createSecretBox } from '../../../src/adapters/secret-box.ts'
import { createUpstream } from '../../../src/adapters/upstream/upstream.ts'
import { type App, buildApp } from '../../../src/app.ts'
import { readConfig } from '../../../src/config.ts'
import { authRoutes } from '../../../src/domains/auth/routes.ts'
import { readsCurrent } from '../../../src/domains/ledger/read-current.ts'
import { profileRoutes } from '../../../src/domains/profiles/routes.ts'
import type { CamelCase, Chain, Deps, Statement } from '../../../src/ports.ts'
import { observeAnswers } from '../../contract/observer.ts'
import { createTestDatabase } from '../database/test-database.ts'
import { untilBlocked } from '../database/until-blocked.ts'
import { silent } from '../silent-log.ts'
import { signInMember } from '../world/member.ts'

const CONNECTIONS_MAX = 8

/** A chain whose every call fails the test. */
const noChain = new Proxy({} as Chain, {
  get(_, name) {
    throw new Error(`This gateway has no chain, but called ${String(name)} of it.`)
  },
})

/** A gateway with few routes and no jobs, on a real socket and a database of its own. */
export type PartialGateway = Awaited<ReturnType<typeof startPartialGateway>>

/**
 * Starts a gateway in development mode with the routes of auth and profiles and those that a test adds. Nothing runs in
 * the background.
 *
 * @param options.chain  default: a chain whose calls fail
 * @param options.env    settings that differ from those of development mode
 * @param options.via    returns the database URL that the gateway uses, from the direct one
 * @param options.routes more routes, below `/api/v1` too
 */
export async function startPartialGateway(options: {
  chain?: Chain
  env?: Record<string, string>
  via?: (direct: string) => Promise<string>
  routes?: (app: App, deps: Deps) => void
}) {
  const database = await createTestDatabase()
  const connectionString = (await options.via?.(database.url)) ?? database.url
  const db = connectPostgres({ connectionString, connectionsMax: CONNECTIONS_MAX, log: silent })
  const ownerDb = connectPostgres({ connectionString: database.ownerUrl, connectionsMax: 2, log: silent })
  const config = readConfig({
    FAREBOX_MODE: 'dev',
    JWT_SECRET: 'a secret of the tests, of more than 32 characters',
    CHALLENGES_PER_MINUTE: '10000',
    PINGS_PER_MINUTE: '10000',
    ...options.env,
  })
  let ahead = 0
  const now = () => Date.now() + ahead
  const upstream = createUpstream(config)
  const deps: Deps = {
    config,
    db: readsCurrent(db),
    rawDb: db,
    batchDb: db,
    leaseDb: db,
    publicDb: db,
    clientRates: createClientRates(db),
    databaseLosses: () => 0,
    chain: options.chain ?? noChain,
    settler: null,
    upstream,
    clock: { ...systemClock, now },
    ids: createIds(now),
    log: silent,
    metrics: createMetrics(silent),
    tracer: null,
    secretBox: createSecretBox('11'.repeat(32)),
    jobs,
    mailer:
      config.SMTP_URL === undefined ? null : createMailer({ url: config.SMTP_URL, from: config.MAIL_FROM }),
    instanceId: 'gw_test',
    publicUrl: 'http://localhost:8402',
  }
  const observer = observeAnswers()
  const app = await buildApp(
    deps,
    async root => {
      await root.register(
        async (scope: App) => {
          authRoutes(scope, deps)
          profileRoutes(scope, deps)
          options.routes?.(scope, deps)
        },
        { prefix: '/api/v1' },
      )
    },
    observer.onAnswer,
  )
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  return {
    url,
    deps,
    /** Its database as the role of gateways, and as the owner of the schema. */
    databaseUrl: database.url,
    ownerUrl: database.ownerUrl,
    /** Gives a wallet, a new one by default, a session. */
    member: (account?: { readonly address: Address }) => signInMember({ url, deps }, account),
    /** Runs SQL as the owner of the schema. */
    run: <Row extends CamelCase<Row> = Record<string, unknown>>(statement: Statement) =>
      ownerDb.query<Row>(statement),
    /** Waits until at least `count` statements on its database wait for a lock. */
    untilBlocked: (count: number) =>
      untilBlocked({ sql: text => ownerDb.query({ text, values: [] }) }, count),
    /** Moves the gateway's clock forward. */
    advance(ms: number) {
      ahead += ms
    },
    async stop() {
      await app.close()
      await upstream.close()
      await Promise.all([db.close(), ownerDb.close()])
      await database.drop()
      observer.assertKept()
    },
  }
}
