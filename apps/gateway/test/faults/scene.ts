import type pg from 'pg'
import { expect } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../kit/database/test-database.ts'
import { untilBlocked } from '../kit/database/until-blocked.ts'
import { type GatewayProcess, startGatewayProcess } from '../kit/gateway/gateway-process.ts'
import { startFaultProxy } from '../kit/network/database-proxy.ts'
import type { Answer } from '../kit/network/http.ts'
import { startProvider } from '../kit/provider/provider.ts'
import { until } from '../kit/until.ts'
import {
  arrive,
  balanceOf,
  type InvokeBody,
  invoke,
  mint,
  ownerWith,
  type Person,
  register,
} from '../kit/world/world.ts'
import { lockLedger } from './row-locks.ts'

/** Price of the service, in micro-USDC and on the wire. */
export const PRICE = 10_000n
export const PRICE_USDC = '0.010000'
/** What a payer starts with, likewise. */
export const FUNDS = 1_000_000n
const FUNDS_USDC = '1'

/** Parts of what is appended to the log: of calls that are held, and of those that end. */
export const HOLDS = '"credential":"cred_'
export const SETTLEMENTS = '"charge":"'

/** An owner with {@link FUNDS} and an agent credential. */
export type Payer = { readonly owner: Person; readonly token: string; readonly id: string }

/** A call as the books know it. */
export type KeptCall = {
  readonly id: string
  readonly key: string
  readonly status: string
  readonly charged: string
  readonly answer: string | null
}

/** A gateway process with one service, whose way to the database can fail. */
export type Scene = Awaited<ReturnType<typeof startScene>>

/**
 * Starts what a file of fault tests needs: gateway process, database behind a fault proxy, chain, provider.
 *
 * @param env   settings of the gateway
 * @param given another database than a clone of the template
 */
export async function startScene(env: Record<string, string> = {}, given?: TestDatabase) {
  const database = given ?? (await createTestDatabase())
  const proxy = await startFaultProxy(database.url)
  const on = await startGatewayProcess({ env, database, via: () => proxy.url })
  const upstream = await startProvider()
  const provider = await arrive(on)
  const service = await register(on, provider, { targets: [upstream.url], priceUsdc: PRICE_USDC })
  return {
    on,
    proxy,
    upstream,
    provider,
    service,
    /** A new owner with money and a credential. */
    payer: (limits: Record<string, unknown> = {}, fundsUsdc = FUNDS_USDC) => newPayer(on, limits, fundsUsdc),
    /** One call of the service. */
    call: (payer: Payer, idempotencyKey: string): Promise<Answer<InvokeBody>> =>
      invoke(on, payer, {
        serviceId: service,
        costUsdc: PRICE_USDC,
        idempotencyKey,
        payload: { body: { q: 1 } },
      }),
    /** The calls of a payer, as the database has them. */
    calls: (payer: Payer) => keptCalls(on, payer),
    /** How often the books have charged a payer. */
    charges: (payer: Payer) => countCharges(on, payer.owner),
    balance: (payer: Payer) => balanceOf(on, payer.owner),
    /** Keeps every batch with this payer's calls from being appended, until the lock is given up. */
    lock: (payer: Payer) => lockLedger(on.database.url, payer.owner),
    /** Waits until as many transactions wait for a lock. */
    untilBlocked: (count: number) => untilBlocked(on, count),
    async stop() {
      await upstream.stop()
      await on.stop()
      await proxy.stop()
    },
  }
}

async function newPayer(
  on: GatewayProcess,
  limits: Record<string, unknown>,
  fundsUsdc: string,
): Promise<Payer> {
  const owner = await ownerWith(on, fundsUsdc)
  return { owner, ...(await mint(on, owner, limits)) }
}

function keptCalls(on: GatewayProcess, payer: Payer): Promise<KeptCall[]> {
  return on.sql<KeptCall & pg.QueryResultRow>(
    `select i.id, i.idempotency_key as key, i.status, i.charged::text, a.body as answer
     from invocations i left join invocation_answers a on a.invocation_id = i.id
     where i.credential_id = $1 order by i.idempotency_key`,
    [payer.id],
  )
}

/** How often the books have charged somebody. */
export async function countCharges(on: Pick<GatewayProcess, 'sql'>, owner: Person): Promise<number> {
  const account = `consumer:${owner.account.address.toLowerCase()}`
  const rows = await on.sql("select 1 from entries where kind = 'capture' and account = $1", [account])
  return rows.length
}

/** The answer of a call, or null when the line was cut: all that a caller of a killed gateway learns. */
export function answerOrCut<Body>(call: Promise<Answer<Body>>): Promise<Answer<Body> | null> {
  return call.catch(() => null)
}

/** What must be true once the gateway is back, and stay true at every crash and start after it. */
export type Aftermath = () => Promise<void>

/**
 * Looks at what crashes have left: at once after the first start, and again after every later one, so that a second
 * crash is seen to change nothing.
 */
export function createAftermaths(on: () => GatewayProcess) {
  const known: Aftermath[] = []
  return {
    /** Starts a killed gateway again and looks. */
    async recover(look: Aftermath): Promise<void> {
      await on().restart()
      await look()
      await on().assertBooks()
      known.push(look)
    },
    /** Kills and starts once more, and looks at everything again. */
    async recoverAgain(): Promise<void> {
      await on().restart()
      for (const look of known) await look()
      await on().assertBooks()
    },
  }
}

/** Expects that a call was given up: the key tells so for ever, nothing is charged, nothing is held. */
export async function expectInterrupted(scene: Scene, payer: Payer, key: string): Promise<void> {
  await until(`the call ${key} is released`, async () =>
    (await scene.calls(payer)).some(call => call.key === key && call.status === 'FAILED_RETRYABLE'),
  )
  const [kept] = (await scene.calls(payer)).filter(call => call.key === key)
  const replay = await scene.call(payer, key)
  expect(replay).toMatchObject({
    status: 503,
    headers: { 'idempotent-replayed': 'true' },
    body: { code: 'GATEWAY_INTERRUPTED', detail: { invocationId: kept?.id, status: 'FAILED_RETRYABLE' } },
  })
  expect(await scene.charges(payer)).toBe(0)
  expect(await scene.balance(payer)).toMatchObject({ available: FUNDS, held: 0n })
}

/** Expects that a call was charged once, and that its key replays the stored answer byte for byte. */
export async function expectCharged(scene: Scene, payer: Payer, key: string): Promise<void> {
  const [kept] = (await scene.calls(payer)).filter(call => call.key === key)
  expect(kept).toMatchObject({ status: 'SUCCEEDED', charged: String(PRICE) })
  const replay = await scene.call(payer, key)
  expect(replay).toMatchObject({ status: 200, headers: { 'idempotent-replayed': 'true' } })
  expect(replay.body).toEqual(JSON.parse(kept?.answer ?? 'null'))
  expect(await scene.charges(payer)).toBe(1)
  expect(await scene.balance(payer)).toMatchObject({ available: FUNDS - PRICE, held: 0n })
}
