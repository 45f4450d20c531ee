import { USDC_DECIMALS } from '@farebox/money'
import { fareboxVaultAbi } from '@farebox/vault'
import { chainAnswer } from '@farebox/wire/operations'
import { getAddress } from 'viem'
import type { App } from '../app.ts'
import type { Deps } from '../ports.ts'
import { contract } from './openapi/contract.ts'

/** `GET /chain`, below `/api/v1`: chain, token and vault, for wallets that deposit and withdraw on chain. */
export function chainRoute(app: App, deps: Pick<Deps, 'chain'>): void {
  const { chainId, rpcUrl, usdc, vault, requiredConfirmations } = deps.chain.facts
  app.get(
    '/chain',
    contract({
      id: 'readChain',
      summary: 'Read the chain, token and vault',
      description: 'For wallets that deposit and withdraw on chain.',
      tag: 'Balance',
      access: 'public',
      answer: chainAnswer,
      example: {
        chainId: 8453,
        rpcUrl: 'https://mainnet.base.org',
        requiredConfirmations: 12,
        usdc: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
        vault: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
        decimals: USDC_DECIMALS,
        vaultAbi: fareboxVaultAbi.slice(0, 1),
      },
    }),
    async () => ({
      chainId,
      rpcUrl,
      requiredConfirmations,
      usdc: getAddress(usdc),
      vault: getAddress(vault),
      decimals: USDC_DECIMALS,
      vaultAbi: fareboxVaultAbi,
    }),
  )
}
