import { queryOptions, useQuery } from '@tanstack/react-query'

/** Answer of `/console/config.json`. */
export type ConsoleConfig = {
  readonly mode: 'dev' | 'production'
  readonly version: string
  readonly chainId: number
  /** The node that the console reads the chain from. */
  readonly rpcUrl: string
  readonly requiredConfirmations: number
  readonly usdc: `0x${string}`
  readonly vault: `0x${string}`
  /** `POST /dev/faucet` gives test money; the development wallet is offered too. */
  readonly hasFaucet: boolean
  /** The WalletConnect project and relay; null when the operator has not configured them. */
  readonly walletConnect: { readonly projectId: string; readonly relayUrl: string } | null
  /** A wallet can pay for calls without an account. */
  readonly hasX402: boolean
  /** agentToolName of a free service that visitors may call; null without one. */
  readonly liveService: string | null
  /** The platform's part of a provider's earnings, in basis points. */
  readonly platformFeeBps: number
  /** How long before a higher price takes effect for callers who state none; 0: at once. */
  readonly priceNoticeSeconds: number
}

async function readConfig(): Promise<ConsoleConfig> {
  const response = await fetch('/console/config.json')
  if (!response.ok) throw new Error('The gateway did not return its configuration. Reload the page.')
  return response.json()
}

/** Fetched once per page load. */
export const consoleConfig = queryOptions({
  queryKey: ['console-config'],
  queryFn: readConfig,
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
})

/** Returns the configuration of the gateway, or undefined while it loads. */
export function useConsoleConfig(): ConsoleConfig | undefined {
  return useQuery(consoleConfig).data
}
