import { createHash } from 'node:crypto'
import { parseUsdc, type Usdc, usdc } from '@farebox/money'
import sql, { type Sql } from 'sql-template-tag'
import { systemClock } from '../../../src/adapters/clock.ts'
import { createIds } from '../../../src/adapters/ids.ts'
import { createMetrics } from '../../../src/adapters/metrics.ts'
import { connectPostgres } from '../../../src/adapters/postgres.ts'
import type { HoldRequest } from '../../../src/domains/invocation/admission/admit.ts'
import { type CallLedger, createCallLedger } from '../../../src/domains/invocation/admission/commit-calls.ts'
import { createLedgerStore, type LedgerStore } from '../../../src/domains/invocation/log/ledger-store.ts'
import type { Metering } from '../../../src/domains/invocation/pricing/metering-rules.ts'
import type { Settlement } from '../../../src/domains/invocation/rules.ts'
import { readsCurrent } from '../../../src/domains/ledger/read-current.ts'
import type { CamelCase, Clock, Deps } from '../../../src/ports.ts'
import { createTestDatabase } from '../database/test-database.ts'
import { untilBlocked } from '../database/until-blocked.ts'
import { silent } from '../silent-log.ts'
import { until } from '../until.ts'
import { newWallet } from '../world/wallets.ts'
import { creditWithoutChain } from './credit.ts'

const CONNECTIONS_MAX = 12
const ROOM = { placesMax: 1_000, waitMsMax: 20_000 }
const MONTHLY_DEFAULT = parseUsdc('1000')

/** An owner with one credential. */
export type Payer = { readonly wallet: string; readonly credentialId: string }

/** A settlement that ends its call. */
export type Ending = Extract<Settlement, { readonly answer: unknown }>

/** Call ledgers of several gateways on one database, without the rest of a gateway. */
export type LedgerFixture = Awaited<ReturnType<typeof startLedgerFixture>>

/**
 * Starts a database with a provider and a service; {@link LedgerFixture}. `connectionsMax` is the maximum of each of its
 * pools.
 */
export async function startLedgerFixture({ connectionsMax = CONNECTIONS_MAX } = {}) {
  const database = await createTestDatabase()
  const connect = (
    options: { connectionString?: string; byKeyOnly?: boolean; name?: string; connectionsMax?: number } = {},
  ) =>
    connectPostgres({
      connectionString: database.url,
      connectionsMax,
      log: silent,
      ...options,
    })
  const [db, batchDb] = [connect(), connect({ byKeyOnly: true, name: 'farebox-ledger' })]
  const ownerDb = connect({ connectionString: database.ownerUrl })
  const ids = createIds(() => Date.now())
  const metrics = createMetrics(silent)
  const provider = newWallet().address.toLowerCase()
  await ownerDb.query(sql`insert into wallets (address, username) values (${provider}, 'provider')`)

  const service = async (): Promise<{ id: string; version: bigint; names: string[] }> => {
    const id = ids.next('svc')
    await ownerDb.query(sql`
      insert into services (id, owner, agent_tool_name, service_name, summary, description, tags, service_kind,
        price_model, price, method, timeout_ms, request, response)
      values (${id}, ${provider}, ${`tool-${id.slice(4)}`}, 'Fixture', '', '', '{}', 'api', 'fixed', 0, 'POST', 1000, '{}', '{}')`)
    return { id, version: 1n, names: [id] }
  }
  const serviceOfAll = await service()

  const payer = async (
    balance: bigint,
    limits: { rpm?: number; creditLimit?: bigint } = {},
  ): Promise<Payer> => {
    const wallet = newWallet().address.toLowerCase()
    const credentialId = ids.next('cred')
    const { rpm = 1_000_000, creditLimit = null } = limits
    await ownerDb.query(sql`insert into wallets (address, username) values (${wallet}, ${wallet})`)
    await ownerDb.query(sql`insert into spending_policies (owner) values (${wallet})`)
    await ownerDb.query(sql`
      insert into credentials (id, owner, name, token_hash, rpm, credit_limit, reset_interval, interval_start)
      values (${credentialId}, ${wallet}, 'fixture', ${digestOf(credentialId)}, ${rpm}, ${creditLimit}, 'daily', now())`)
    if (balance > 0n) await creditWithoutChain({ db, ids }, wallet, usdc(balance))
    return { wallet, credentialId }
  }

  return {
    db,
    batchDb,
    connect,
    ids,
    metrics,
    provider,
    service,
    payer,
    serviceId: serviceOfAll.id,
    url: database.url,
    ownerUrl: database.ownerUrl,
    /** A database that projects answered calls before it reads. */
    current: readsCurrent(db),
    /** Runs SQL as the owner of the schema, without projecting first. */
    run: <Row extends CamelCase<Row> = Record<string, unknown>>(statement: Sql) =>
      ownerDb.query<Row>(statement),
    store: (): LedgerStore => createLedgerStore({ batchDb, ids }, { monthlyDefault: MONTHLY_DEFAULT }),
    /** Returns the call ledger of a new gateway, which does not project. */
    gateway(
      options: {
        instanceId?: string
        store?: LedgerStore
        clock?: Clock
        metrics?: Deps['metrics']
        onAppended?: () => void
      } = {},
    ): CallLedger {
      return createCallLedger(
        {
          store: options.store ?? this.store(),
          clock: options.clock ?? systemClock,
          instanceId: options.instanceId ?? ids.next('gw'),
          metrics: options.metrics ?? metrics,
          config: { PLATFORM_FEE_BPS: 250 },
          onAppended: options.onAppended ?? (() => undefined),
        },
        { lanes: 1, room: ROOM },
      )
    },
    requestOf(
      { wallet, credentialId }: Payer,
      hold: bigint,
      more: Partial<HoldRequest> & { metering?: Metering } = {},
    ): HoldRequest {
      const { metering = null, ...rest } = more
      const invocationId = ids.next('inv')
      return {
        invocationId,
        credentialId,
        owner: wallet,
        tokenDigest: digestOf(credentialId),
        idempotencyKey: invocationId,
        requestHash: Buffer.alloc(32, 1),
        counted: null,
        quote: { serviceId: serviceOfAll.id, provider, hold: usdc(hold), metering },
        service: serviceOfAll,
        ...rest,
      }
    },
    /** Waits until at least `count` statements on the database wait for a lock. */
    untilBlocked: (count: number) =>
      untilBlocked({ sql: text => ownerDb.query({ text, values: [] }) }, count),
    /** Waits until a payer has at least `count` open calls. */
    async untilHeld({ wallet }: Payer, count: number): Promise<void> {
      const open = sql`
        select 1 from open_calls join invocations i on i.id = invocation_id where i.owner = ${wallet}`
      await until(`${count} calls are open`, async () => {
        await ownerDb.query(sql`select ledger_catch_up()`)
        return (await ownerDb.query(open)).length >= count
      })
    },
    async stop() {
      await Promise.all([db.close(), batchDb.close(), ownerDb.close()])
      await database.drop()
    },
  }
}

/** Returns the stored digest of a credential's token. */
const digestOf = (credentialId: string): Buffer => createHash('sha256').update(credentialId).digest()

/** Returns the settlement of a held call: a capture of `charge` with a fee of a tenth, or a release for null. */
export function endingOf(held: HoldRequest, drawnAt: Date, charge: bigint | null): Ending {
  const { invocationId, credentialId, owner, quote } = held
  if (quote instanceof Error) throw quote
  const { provider, serviceId, hold } = quote
  const isPaid = charge !== null
  return {
    invocationId,
    credentialId,
    owner,
    provider,
    serviceId,
    hold,
    drawnAt,
    from: 'PENDING',
    status: isPaid ? 'SUCCEEDED' : 'FAILED_RETRYABLE',
    charge: usdc(charge ?? 0n),
    fee: usdc((charge ?? 0n) / 10n),
    errorCode: isPaid ? null : 'UPSTREAM_ERROR',
    latencyMs: 5,
    attempts: 1,
    recording: null,
    metered: null,
    answer: { httpStatus: isPaid ? 200 : 502, body: '{}' },
  }
}

/** Returns the settlement of a held call that waits for its usage. */
export function waitingOf(
  held: HoldRequest,
  drawnAt: Date,
  pendingResult: string | null = null,
): Extract<Settlement, { readonly status: 'PROCESSING' }> {
  const { answer: _, metered: __, ...call } = endingOf(held, drawnAt, null)
  return { ...call, status: 'PROCESSING', errorCode: 'USAGE_MISSING', reason: 'usage_missing', pendingResult }
}

/** Holds a covered call; returns its request and the time of the hold. */
export async function hold(
  calls: CallLedger,
  request: HoldRequest,
): Promise<{ readonly request: HoldRequest; readonly drawnAt: Date }> {
  const admission = await calls.hold(request)
  if (admission.kind !== 'held') {
    const why = admission.kind === 'refused' ? admission.error.code : admission.kind
    throw new Error(`The call was not held: ${why}.`)
  }
  return { request, drawnAt: admission.drawnAt }
}

/** Holds and captures a call; returns its request. */
export async function pay(calls: CallLedger, request: HoldRequest, charge: Usdc): Promise<HoldRequest> {
  const { drawnAt } = await hold(calls, request)
  const settled = await calls.settle(endingOf(request, drawnAt, charge))
  if (settled.kind !== 'settled') throw new Error('Another settlement was first.')
  return request
}
