import type pg from 'pg'
import { expect } from 'vitest'
import type { TestDatabase } from '../kit/database/test-database.ts'
import type { GatewayProcess } from '../kit/gateway/gateway-process.ts'
import { startProxiedProcess } from '../kit/gateway/proxied-process.ts'
import { until } from '../kit/until.ts'
import { newPayer, type Payer } from '../kit/world/payer.ts'
import { PRICE, sellService } from '../kit/world/sold-service.ts'

/** Initial balance of a payer, in micro-USDC and on the wire. */
export const FUNDS = 1_000_000n
const FUNDS_USDC = '1'

/** Parts of the statements that append held and ended calls. */
export const HOLDS = '"credential":"cred_'
export const SETTLEMENTS = '"charge":"'

/** A call in the books. */
export type KeptCall = {
  readonly id: string
  readonly key: string
  readonly status: string
  readonly charged: string
  readonly answer: string | null
}

/** A gateway process with one service, and a fault proxy before its database. */
export type Fixture = Awaited<ReturnType<typeof startFixture>>

/**
 * Starts everything for a file of fault tests: gateway process, database behind a fault proxy, chain, provider.
 *
 * @param env   settings of the gateway
 * @param given replaces a clone of the template database
 */
export async function startFixture(env: Record<string, string> = {}, given?: TestDatabase) {
  const proxied = await startProxiedProcess(env, given)
  const { on } = proxied
  const sold = await sellService(on)
  return {
    ...proxied,
    ...sold,
    /** Creates an owner with money and a credential. */
    payer: (limits: Record<string, unknown> = {}, fundsUsdc = FUNDS_USDC) => newPayer(on, fundsUsdc, limits),
    /** Makes one call of the service. */
    call: (payer: Payer, idempotencyKey: string) => sold.call(payer, { idempotencyKey }),
    /** Returns the calls of a payer from the database. */
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

/** An expectation that holds once the gateway is back, and after every later crash and start. */
export type Aftermath = () => Promise<void>

/**
 * Runs the expectations of crashes: at once after the first start, and again after every later one, to see that a
 * second crash changes nothing.
 */
export function createAftermaths(on: () => GatewayProcess) {
  const known: Aftermath[] = []
  return {
    /** Restarts a killed gateway and checks. */
    async recover(look: Aftermath): Promise<void> {
      await on().restart()
      await look()
      await on().assertBooks()
      known.push(look)
    },
    /** Kills and restarts once more, and checks everything again. */
    async recoverAgain(): Promise<void> {
      await on().restart()
      for (const look of known) await look()
      await on().assertBooks()
    },
  }
}

/** Expects that a call was given up: its key replays that, nothing is charged, nothing is held. */
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
