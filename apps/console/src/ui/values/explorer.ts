import { createContext, useContext } from 'react'
import { arbitrum, avalanche, base, baseSepolia, mainnet, optimism, polygon, sepolia } from 'viem/chains'

/** Chains with an explorer that everybody can read: those that have USDC of its issuer. */
const CHAINS = [arbitrum, avalanche, base, baseSepolia, mainnet, optimism, polygon, sepolia]
const ADDRESS_LENGTH = 42
const HASH_LENGTH = 66

/** The chain that addresses and transactions on the page are of; null while it is unknown. */
export const ChainOfPage = createContext<number | null>(null)

/** Returns where an address or transaction is shown to everybody; null for anything else, or on an unknown chain. */
export function explorerUrl(chainId: number | null, value: string): string | null {
  const explorer = CHAINS.find(({ id }) => id === chainId)?.blockExplorers.default.url
  if (explorer === undefined || !/^0x[0-9a-f]+$/i.test(value)) return null
  if (value.length === ADDRESS_LENGTH) return `${explorer}/address/${value}`
  return value.length === HASH_LENGTH ? `${explorer}/tx/${value}` : null
}

/** {@link explorerUrl} on the chain of the page. */
export const useExplorerUrl = (value: string): string | null => explorerUrl(useContext(ChainOfPage), value)
