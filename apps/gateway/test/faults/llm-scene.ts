import { createTestDatabase } from '../kit/database/test-database.ts'
import { untilBlocked } from '../kit/database/until-blocked.ts'
import { startGatewayProcess } from '../kit/gateway/gateway-process.ts'
import { startFaultProxy } from '../kit/network/database-proxy.ts'
import { arrive, balanceOf, mint, ownerWith, type Person } from '../kit/world/world.ts'
import { listen } from '../llm/leaving.ts'
import { chatBody, invokeStream } from '../llm/market.ts'
import { startRawModel } from '../llm/raw-model.ts'
import { lockLedger } from './row-locks.ts'
import { countCharges } from './scene.ts'

/** What a payer starts with, in micro-USDC and on the wire. */
export const FUNDS = 1_000_000n
const FUNDS_USDC = '1'

/** Part of what is appended to the log of calls that wait for their usage. */
export const AWAITED = '"reason":"'

/** An owner with {@link FUNDS} and an agent credential. */
export type Payer = { readonly owner: Person; readonly token: string; readonly id: string }

/** A call as the books know it. */
export type KeptCall = {
  readonly id: string
  readonly key: string
  readonly status: string
  readonly charged: string
}

/** A gateway process with a model behind it, whose way to the database can fail. */
export type LlmScene = Awaited<ReturnType<typeof startLlmScene>>

/**
 * Starts what a file of fault tests of streamed calls needs.
 *
 * @param env settings of the gateway
 */
export async function startLlmScene(env: Record<string, string> = {}) {
  const database = await createTestDatabase()
  const proxy = await startFaultProxy(database.url)
  const on = await startGatewayProcess({ env, database, via: () => proxy.url })
  const provider = await arrive(on)
  const model = await startRawModel({ url: on.url, provider })
  const callOf = (idempotencyKey: string) => ({
    serviceId: model.service,
    idempotencyKey,
    payload: { body: chatBody({ stream: true }) },
  })
  return {
    on,
    proxy,
    model,
    provider,
    /** A new owner with money and a credential. */
    async payer(): Promise<Payer> {
      const owner = await ownerWith(on, FUNDS_USDC)
      return { owner, ...(await mint(on, owner)) }
    },
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
    /** How often the books have charged a payer. */
    charges: (payer: Payer) => countCharges(on, payer.owner),
    balance: (payer: Payer) => balanceOf(on, payer.owner),
    /** Keeps every batch with this payer's calls from being appended, until the lock is given up. */
    lock: (payer: Payer) => lockLedger(on.database.url, payer.owner),
    untilBlocked: (count: number) => untilBlocked(on, count),
    async stop() {
      await model.stop()
      await on.stop()
      await proxy.stop()
    },
  }
}
