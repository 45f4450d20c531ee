import type { Network } from '@x402/core/types'
import { EVM_NETWORK_CHAIN_ID_MAP } from '@x402/evm/v1'
import type { ChainFacts } from '../../ports.ts'

type Chain = Pick<ChainFacts, 'chainId'>

/** Returns the name of a chain in x402 version 2 (CAIP-2). */
export const networkOf = ({ chainId }: Chain): Network => `eip155:${chainId}`

/** Version of x402 that a client speaks. */
export type X402Version = 1 | 2

/** Returns the name of a chain in a version of x402. */
export const networkIn = (version: X402Version, chain: Chain): string =>
  version === 2 ? networkOf(chain) : networkV1Of(chain)

/** Returns the name of a chain in x402 version 1; chains that it does not know as in version 2. */
export function networkV1Of(chain: Chain): string {
  const known = Object.entries(EVM_NETWORK_CHAIN_ID_MAP).find(([, id]) => id === chain.chainId)
  return known?.[0] ?? networkOf(chain)
}
