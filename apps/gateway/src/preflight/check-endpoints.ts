import { ask, openRpc } from '../adapters/chain/chain-rpc.ts'
import type { Clock } from '../ports.ts'
import { type Check, failed, ok, warning } from './check.ts'
import { describeSkew } from './check-machine.ts'

/** Age of the newest block beyond which a chain has stopped or an endpoint hangs, in ms. */
const BLOCK_AGE_MS_MAX = 120_000

/** Returns a check for each endpoint of the chain, and one of whether they agree. URLs have keys: hosts are shown. */
export function checkEndpoints(urls: readonly string[], machine: Clock): Check[] {
  const endpoints = urls.map((url, index) => ({
    host: new URL(url).host,
    setting: index === 0 ? 'CHAIN_RPC_URL' : 'RPC_URLS',
    client: openRpc(url).single,
  }))
  const single = endpoints.map(
    ({ host, setting, client }): Check => ({
      name: `endpoint ${host}`,
      async judge() {
        const [id, block] = await ask(() =>
          Promise.all([client.getChainId(), client.getBlock({ blockTag: 'latest' })]),
        )
        const age = machine.now() - Number(block.timestamp) * 1_000
        const found = `chain ${id}, block ${block.number}, ${describeSkew(age)}`
        if (age <= BLOCK_AGE_MS_MAX) return ok(found)
        return warning(
          `${setting}: ${found}.`,
          'The endpoint hangs, the chain has stopped, or the clock of this machine is wrong.',
        )
      },
    }),
  )
  if (endpoints.length === 1)
    return [
      ...single,
      {
        name: 'agreement of endpoints',
        judge: async () =>
          warning(
            'One endpoint is believed in everything that moves money.',
            'Set RPC_URLS to endpoints of other providers.',
          ),
      },
    ]
  return [...single, agreement(endpoints)]
}

function agreement(
  endpoints: readonly { host: string; client: ReturnType<typeof openRpc>['single'] }[],
): Check {
  return {
    name: 'agreement of endpoints',
    async judge() {
      const heads = await ask(() => Promise.all(endpoints.map(({ client }) => client.getBlockNumber())))
      const [lowest = 0n] = heads.toSorted((one, other) => Number(one - other))
      const blocks = await Promise.all(
        endpoints.map(async ({ host, client }) => {
          const { hash } = await ask(() => client.getBlock({ blockNumber: lowest }))
          return { host, hash }
        }),
      )
      if (new Set(blocks.map(({ hash }) => hash)).size === 1)
        return ok(`${endpoints.length} endpoints have the same block ${lowest}`)
      return failed(
        `RPC_URLS: the endpoints have different blocks ${lowest}: ${blocks.map(({ host, hash }) => `${host} ${hash}`).join(', ')}.`,
        'Remove the endpoint that is wrong.',
      )
    },
  }
}
