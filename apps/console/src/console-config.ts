import { queryOptions, useQuery } from '@tanstack/react-query'

/** What the gateway tells its console, at `/console/config.json`. */
export type ConsoleConfig = {
  readonly mode: 'dev' | 'production'
  readonly version: string
  readonly chainId: number
  /** A node that may be asked. */
  readonly rpcUrl: string
  readonly requiredConfirmations: number
  readonly usdc: `0x${string}`
  readonly vault: `0x${string}`
  /** Whether `POST /dev/faucet` gives test money: then there is a development wallet, too. */
  readonly hasFaucet: boolean
  /** How wallets on a phone are reached; null when the operator has not set that up. */
  readonly walletConnect: { readonly projectId: string; readonly relayUrl: string } | null
}

async function readConfig(): Promise<ConsoleConfig> {
  const response = await fetch('/console/config.json')
  if (!response.ok) throw new Error('The gateway does not say how it is set up. Reload the page.')
  return response.json()
}

/** The same for as long as the page is open. */
export const consoleConfig = queryOptions({
  queryKey: ['console-config'],
  queryFn: readConfig,
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
})

/** The set-up of the gateway; undefined until it is known. */
export function useConsoleConfig(): ConsoleConfig | undefined {
  return useQuery(consoleConfig).data
}
