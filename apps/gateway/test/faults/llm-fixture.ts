import { startProxiedProcess } from '../kit/gateway/proxied-process.ts'
import { chatBody, invokeStream } from '../kit/llm/llm-market.ts'
import { startRawModel } from '../kit/llm/raw-model.ts'
import { listen } from '../kit/llm/stream-listener.ts'
import { newPayer, type Payer } from '../kit/world/payer.ts'
import { arrive } from '../kit/world/world.ts'

/** Initial balance of a payer, in micro-USDC and on the wire. */
export const FUNDS = 1_000_000n
const FUNDS_USDC = '1'

/** Part of the statement that appends calls with pending usage. */
export const AWAITED = '"reason":"'

/** A call in the books. */
export type KeptCall = {
  readonly id: string
  readonly key: string
  readonly status: string
  readonly charged: string
}

/** A gateway process with a model, and a fault proxy before its database. */
export type LlmFixture = Awaited<ReturnType<typeof startLlmFixture>>

/**
 * Starts everything for a file of fault tests of streamed calls.
 *
 * @param env settings of the gateway
 */
export async function startLlmFixture(env: Record<string, string> = {}) {
  const proxied = await startProxiedProcess(env)
  const { on } = proxied
  const provider = await arrive(on)
  const model = await startRawModel({ url: on.url, provider })
  const callOf = (idempotencyKey: string) => ({
    serviceId: model.service,
    idempotencyKey,
    payload: { body: chatBody({ stream: true }) },
  })
  return {
    ...proxied,
    model,
    provider,
    /** Creates an owner with money and a credential. */
    payer: () => newPayer(on, FUNDS_USDC),
    /** Starts a streamed call. */
    listen: (payer: Payer, key: string) => listen(on, payer, callOf(key)),
    /** Makes a streamed call and reads it to its end. */
    stream: (payer: Payer, key: string) => invokeStream(on, payer, callOf(key)),
    /** Returns the calls of a payer from the database. */
    calls: (payer: Payer) =>
      on.sql<KeptCall>(
        `select id, idempotency_key as key, status, charged::text from invocations
         where credential_id = $1 order by idempotency_key`,
        [payer.id],
      ),
    async stop() {
      await model.stop()
      await proxied.stop()
    },
  }
}
