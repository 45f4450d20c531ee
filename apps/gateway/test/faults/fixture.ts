import type pg from 'pg'
import { expect } from 'vitest'
import type { TestDatabase } from '../kit/database/test-database.ts'
import type { GatewayProcess } from '../kit/gateway/gateway-process.ts'
import { startProxiedProcess } from '../kit/gateway/proxied-process.ts'
import { until } from '../kit/until.ts'
import { newPayer, type Payer } from '../kit/world/payer.ts'
import { PRICE, sellService } from '../kit/world/sold-service.ts'

/** What a payer starts with, in micro-USDC and on the wire. */
export const FUNDS = 1_000_000n
const FUNDS_USDC = '1'

/** Parts of what is appended to the log: of calls that are held, and of those that end. */
export const HOLDS = '"credential":"cred_'
export const SETTLEMENTS = '"charge":"'

/** A call as the books know it. */
export type KeptCall = {
  readonly id: string
  readonly key: string
  readonly status: string
  readonly charged: string
  readonly answer: string | null
}

/** A gateway process with one service, whose way to the database can fail. */
export type Fixture = Awaited<ReturnType<typeof startFixture>>

/**
 * Starts what a file of fault tests needs: gateway process, database behind a fault proxy, chain, provider.
 *
 * @param env   settings of the gateway
 * @param given another database than a clone of the template
 */
export async function startFixture(env: Record<string, string> = {}, given?: TestDatabase) {
  const proxied = await startProxiedProcess(env, given)
  const { on } = proxied
  const sold = await sellService(on)
  return {
    ...proxied,
    ...sold,
    /** A new owner with money and a credential. */
    payer: (limits: Record<string, unknown> = {}, fundsUsdc = FUNDS_USDC) => newPayer(on, fundsUsdc, limits),
    /** One call of the service. */
    call: (payer: Payer, idempotencyKey: string) => sold.call(payer, { idempotencyKey }),
    /** The calls of a payer, as the database has them. */
    calls: (payer: Payer) => keptCalls(on, payer),
    async stop() {
      await sold.upstream.stop()
      await proxied.stop()
    },
  }
}

function keptCalls(on: GatewayProcess, payer: Payer): Promise<KeptCall[]> {
  return on.sql<KeptCall & pg.QueryResultRow>(
    `select i.id, i.idempotency_key as key, i.status, i.charged::text, a.body as answer
     from invocations i left join invocation_answers a on a.invocation_id = i.id
     where i.credential_id = $1 order by i.idempotency_key`,
    [payer.id],
  )
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
export async function expectInterrupted(fixture: Fixture, payer: Payer, key: string): Promise<void> {
  await until(`the call ${key} is released`, async () =>
    (await fixture.calls(payer)).some(call => call.key === key && call.status === 'FAILED_RETRYABLE'),
  )
  const [kept] = (await fixture.calls(payer)).filter(call => call.key === key)
  const replay = await fixture.call(payer, key)
  expect(replay).toMatchObject({
    status: 503,
    headers: { 'idempotent-replayed': 'true' },
    body: { code: 'GATEWAY_INTERRUPTED', detail: { invocationId: kept?.id, status: 'FAILED_RETRYABLE' } },
  })
  expect(await fixture.charges(payer)).toBe(0)
  expect(await fixture.balance(payer)).toMatchObject({ available: FUNDS, held: 0n })
}

/** Expects that a call was charged once, and that its key replays the stored answer byte for byte. */
export async function expectCharged(fixture: Fixture, payer: Payer, key: string): Promise<void> {
  const [kept] = (await fixture.calls(payer)).filter(call => call.key === key)
  expect(kept).toMatchObject({ status: 'SUCCEEDED', charged: String(PRICE) })
  const replay = await fixture.call(payer, key)
  expect(replay).toMatchObject({ status: 200, headers: { 'idempotent-replayed': 'true' } })
  expect(replay.body).toEqual(JSON.parse(kept?.answer ?? 'null'))
  expect(await fixture.charges(payer)).toBe(1)
  expect(await fixture.balance(payer)).toMatchObject({ available: FUNDS - PRICE, held: 0n })
}
