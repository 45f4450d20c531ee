import { lockLedger } from '../database/row-locks.ts'
import { createTestDatabase, type TestDatabase } from '../database/test-database.ts'
import { untilBlocked } from '../database/until-blocked.ts'
import { startFaultProxy } from '../network/database-proxy.ts'
import { countCharges, type Payer } from '../world/payer.ts'
import { balanceOf } from '../world/world.ts'
import { startGatewayProcess } from './gateway-process.ts'

/**
 * Starts a gateway process that reaches its database through a fault proxy.
 *
 * @param env   settings of the gateway
 * @param given another database than a clone of the template
 */
export async function startProxiedProcess(env: Record<string, string>, given?: TestDatabase) {
  const database = given ?? (await createTestDatabase())
  const proxy = await startFaultProxy(database.url)
  const on = await startGatewayProcess({ env, database, via: () => proxy.url })
  return {
    on,
    proxy,
    /** Returns how often the books have charged a payer. */
    charges: (payer: Payer) => countCharges(on, payer.owner),
    balance: (payer: Payer) => balanceOf(on, payer.owner),
    /** Blocks every batch with calls of this payer until the lock is released. */
    lock: (payer: Payer) => lockLedger(on.database.url, payer.owner),
    /** Waits until at least `count` statements wait for a lock. */
    untilBlocked: (count: number) => untilBlocked(on, count),
    async stop() {
      await on.stop()
      await proxy.stop()
    },
  }
}
