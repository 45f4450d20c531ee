import { randomBytes } from 'node:crypto'
import type { Answer } from '../network/http.ts'
import { countCharges } from '../world/payer.ts'
import { sellService } from '../world/sold-service.ts'
import type { InvokeBody, Person } from '../world/world.ts'
import { startTestGateway, type TestGateway } from './test-gateway.ts'

/** Two gateways on one database and chain, and a provider with one service. */
export type Pair = Awaited<ReturnType<typeof startPair>>

/** Starts two gateways in this process that share everything but their memory. */
export async function startPair(env: Record<string, string> = {}) {
  const shared = {
    JWT_SECRET: randomBytes(32).toString('hex'),
    ENCRYPTION_KEY: randomBytes(32).toString('hex'),
    ...env,
  }
  const one = await startTestGateway({ env: shared })
  const two = await startTestGateway({ env: shared, share: one })
  const sold = await sellService(one)
  return {
    one,
    two,
    ...sold,
    /** Returns the gateways alternately. */
    gateway: (turn: number): TestGateway => (turn % 2 === 0 ? one : two),
    /** Calls the service through one of the gateways. */
    call: (
      on: TestGateway,
      credential: { readonly token: string },
      more: Record<string, unknown> = {},
    ): Promise<Answer<InvokeBody>> => sold.call(credential, more, on),
    /** Returns how often the books have charged a wallet. */
    charges: (person: Person) => countCharges(one, person),
    /** Returns all admitted calls of a credential. */
    admitted: (credential: { readonly id: string }) =>
      one.sql<{ status: string; charged: string; hold: string }>(
        'select status, charged::text, hold::text from invocations where credential_id = $1',
        [credential.id],
      ),
    async stop() {
      await sold.upstream.stop()
      await two.stop()
      await one.stop()
    },
  }
}
