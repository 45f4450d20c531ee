import { createContext, useContext } from 'react'

/**
 * Explorers that everybody can read, by id of the chain: of chains that have USDC of its issuer. Written out, because the
 * definitions of viem would add 20 KB to the first load of every page.
 */
export const EXPLORERS: Readonly<Record<number, string>> = {
  1: 'https://etherscan.io',
  10: 'https://optimistic.etherscan.io',
  137: 'https://polygonscan.com',
  8453: 'https://basescan.org',
  42161: 'https://arbiscan.io',
  43114: 'https://snowtrace.io',
  84532: 'https://sepolia.basescan.org',
  11155111: 'https://sepolia.etherscan.io',
}
const ADDRESS_LENGTH = 42
const HASH_LENGTH = 66

/** The chain that addresses and transactions on the page are of; null while it is unknown. */
export const ChainOfPage = createContext<number | null>(null)

/** Returns where an address or transaction is shown to everybody; null for anything else, or on an unknown chain. */
export function explorerUrl(chainId: number | null, value: string): string | null {
  const explorer = chainId === null ? undefined : EXPLORERS[chainId]
  if (explorer === undefined || !/^0x[0-9a-f]+$/i.test(value)) return null
  if (value.length === ADDRESS_LENGTH) return `${explorer}/address/${value}`
  return value.length === HASH_LENGTH ? `${explorer}/tx/${value}` : null
}

/** {@link explorerUrl} on the chain of the page. */
export const useExplorerUrl = (value: string): string | null => explorerUrl(useContext(ChainOfPage), value)
