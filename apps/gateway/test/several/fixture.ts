import { startTestChain } from '../kit/chain/test-chain.ts'
import { type GatewayProcess, startGatewayProcess } from '../kit/gateway/gateway-process.ts'
import { sendJson } from '../kit/provider/provider.ts'
import { type SoldService, sellService } from '../kit/world/sold-service.ts'
import { startBalancer } from './balancer.ts'

/** Timeout of the start on a busy machine, in ms. */
export const START_TIMEOUT_MS = 180_000
/** Longest delay of the provider by `takeTime`. */
const UPSTREAM_MS_MAX = 100

/** Three gateways on one database, and a load balancer before them. */
export type Several = Awaited<ReturnType<typeof startSeveral>>

/** Disables load shedding, for slow machines, and all jobs but those that a test runs. */
const CALM = {
  CALL_WAIT_SECONDS_MAX: '60',
  PROBE_INTERVAL_SECONDS: '3600',
  RECONCILE_INTERVAL_SECONDS: '3600',
}

/**
 * Starts three gateway processes on one database and chain, all but the first concurrently, a balancer, and a provider
 * with one service.
 *
 * @param env  settings of all
 * @param each returns the settings of each one, from the URL of the chain
 */
export async function startSeveral(
  env: Record<string, string> = {},
  each: (chainUrl: string) => Promise<Record<string, string>> = async () => ({}),
) {
  const [balancer, chain] = await Promise.all([startBalancer(), startTestChain()])
  const own = await Promise.all([each(chain.rpcUrl), each(chain.rpcUrl), each(chain.rpcUrl)])
  const first = await startGatewayProcess({
    chain,
    env: { ...CALM, PUBLIC_URL: balancer.url, ...env, ...own[0] },
  })
  const more = await Promise.all(own.slice(1).map(its => startGatewayProcess({ share: first, env: its })))
  const gateways = [first, ...more] as [GatewayProcess, GatewayProcess, GatewayProcess]
  for (const gateway of gateways) balancer.add(gateway)
  await balancer.untilReady(gateways.length)

  const on = { url: balancer.url, chain: first.chain }
  const sold = await sellService(on)
  return {
    balancer,
    gateways,
    on,
    ...sold,
    sql: first.sql,
    assertBooks: first.assertBooks,
    async stop() {
      await sold.upstream.stop()
      await Promise.all(more.map(gateway => gateway.stop()))
      await first.stop()
      await balancer.stop()
    },
  }
}

/** Slows the provider down, so that calls are in flight whenever something is stopped or killed. */
export function takeTime({ upstream }: Pick<SoldService, 'upstream'>): void {
  upstream.respondWith((_, response) => {
    setTimeout(
      () => sendJson(response, 200, { number: upstream.calls.length }),
      Math.random() * UPSTREAM_MS_MAX,
    )
  })
}
