import { startProxiedProcess } from '../kit/gateway/proxied-process.ts'
import { chatBody, invokeStream } from '../kit/llm/llm-market.ts'
import { startRawModel } from '../kit/llm/raw-model.ts'
import { listen } from '../kit/llm/stream-listener.ts'
import { newPayer, type Payer } from '../kit/world/payer.ts'
import { arrive } from '../kit/world/world.ts'

/** What a payer starts with, in micro-USDC and on the wire. */
export const FUNDS = 1_000_000n
const FUNDS_USDC = '1'

/** Part of what is appended to the log of calls that wait for their usage. */
export const AWAITED = '"reason":"'

/** A call as the books know it. */
export type KeptCall = {
  readonly id: string
  readonly key: string
  readonly status: string
  readonly charged: string
}

/** A gateway process with a model behind it, whose way to the database can fail. */
export type LlmFixture = Awaited<ReturnType<typeof startLlmFixture>>

/**
 * Starts what a file of fault tests of streamed calls needs.
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
    /** A new owner with money and a credential. */
    payer: () => newPayer(on, FUNDS_USDC),
    /** One streamed call, read as it comes. */
    listen: (payer: Payer, key: string) => listen(on, payer, callOf(key)),
    /** One streamed call, read to its end. */
    stream: (payer: Payer, key: string) => invokeStream(on, payer, callOf(key)),
    /** The calls of a payer, as the database has them. */
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
