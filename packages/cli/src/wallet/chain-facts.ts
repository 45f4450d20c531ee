import type { ChainFacts } from '../state/profiles.ts'

/** Returns whether two gateways, or one at two times, move the same money: chain, vault and token. */
export function isSameChain(a: ChainFacts, b: ChainFacts): boolean {
  return (
    a.chainId === b.chainId &&
    a.vault.toLowerCase() === b.vault.toLowerCase() &&
    a.usdc.toLowerCase() === b.usdc.toLowerCase()
  )
}

/** Returns chain, vault and token in words. */
export function describeChain({ chainId, vault, usdc }: ChainFacts): string {
  return `chain ${chainId}, vault ${vault}, token ${usdc}`
}
