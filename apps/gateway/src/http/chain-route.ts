import { USDC_DECIMALS } from '@farebox/money'
import { fareboxVaultAbi } from '@farebox/vault'
import { getAddress } from 'viem'
import type { App } from '../app.ts'
import type { Deps } from '../ports.ts'

/** `GET /chain`, below `/api/v1`: where the money lives, for wallets that deposit and withdraw by themselves. */
export function chainRoute(app: App, deps: Pick<Deps, 'chain'>): void {
  const { chainId, rpcUrl, usdc, vault, requiredConfirmations } = deps.chain.facts
  app.get('/chain', async () => ({
    ...{ chainId, rpcUrl, requiredConfirmations },
    usdc: getAddress(usdc),
    vault: getAddress(vault),
    decimals: USDC_DECIMALS,
    vaultAbi: fareboxVaultAbi,
  }))
}
