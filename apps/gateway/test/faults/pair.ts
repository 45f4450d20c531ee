import { randomBytes } from 'node:crypto'
import { startTestGateway, type TestGateway } from '../kit/gateway/test-gateway.ts'
import type { Answer } from '../kit/network/http.ts'
import { sendJson, startProvider, type TestProvider } from '../kit/provider/provider.ts'
import { arrive, type InvokeBody, invoke, type Person, register } from '../kit/world/world.ts'

/** Price of the service, in micro-USDC and on the wire. */
export const PRICE = 10_000n
export const PRICE_USDC = '0.010000'

/** Two gateways on one database and chain, and a provider with one service. */
export type Pair = Awaited<ReturnType<typeof startPair>>

/** Starts two gateways that share everything but their memory. */
export async function startPair(env: Record<string, string> = {}) {
  const shared = {
    JWT_SECRET: randomBytes(32).toString('hex'),
    ENCRYPTION_KEY: randomBytes(32).toString('hex'),
    ...env,
  }
  const one = await startTestGateway({ env: shared })
  const two = await startTestGateway({ env: shared, share: one })
  const upstream = await startProvider()
  const provider = await arrive(one)
  const service = await register(one, provider, { targets: [upstream.url], priceUsdc: PRICE_USDC })
  return {
    one,
    two,
    upstream,
    provider,
    service,
    /** The gateways in turn. */
    gateway: (turn: number): TestGateway => (turn % 2 === 0 ? one : two),
    /** Calls of the service by one gateway. */
    call: (
      on: TestGateway,
      credential: { readonly token: string },
      extra: Record<string, unknown> = {},
    ): Promise<Answer<InvokeBody>> =>
      invoke(on, credential, {
        serviceId: service,
        costUsdc: PRICE_USDC,
        payload: { body: { q: 1 } },
        ...extra,
      }),
    /** How often the books have charged a wallet. */
    async charges(person: Person): Promise<number> {
      const account = `consumer:${person.account.address.toLowerCase()}`
      return (await one.sql("select 1 from entries where kind = 'capture' and account = $1", [account]))
        .length
    },
    /** Calls of a credential that were ever admitted. */
    admitted: (credential: { readonly id: string }) =>
      one.sql<{ status: string; charged: string; hold: string }>(
        'select status, charged::text, hold::text from invocations where credential_id = $1',
        [credential.id],
      ),
    async stop() {
      await upstream.stop()
      await two.stop()
      await one.stop()
    },
  }
}

/** Has a provider keep every call waiting until it is told to answer. */
export function holdAnswers(upstream: TestProvider): { release(): void; waiting(): number } {
  const before = upstream.calls.length
  const goOn = Promise.withResolvers<void>()
  upstream.respondWith(async (_, response) => {
    await goOn.promise
    sendJson(response, 200, { done: true })
  })
  return { release: () => goOn.resolve(), waiting: () => upstream.calls.length - before }
}
