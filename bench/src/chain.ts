import { fareboxVaultAbi, testUsdcAbi } from '@farebox/vault'
import { type Address, createPublicClient, createWalletClient, defineChain, type Hex, http } from 'viem'
import type { LocalAccount } from 'viem/accounts'

const POLLING_MS = 50

/** Where the money lives, as GET /api/v1/chain tells it. */
export type ChainInfo = {
  readonly chainId: number
  readonly rpcUrl: string
  readonly usdc: Address
  readonly vault: Address
}

/** Deposits on chain: lets the vault take the amount (micro-USDC), and has it taken. Returns the transaction. */
export function createDepositor(info: ChainInfo): (account: LocalAccount, amount: bigint) => Promise<Hex> {
  const chain = defineChain({
    id: info.chainId,
    name: 'Farebox bench',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [info.rpcUrl] } },
  })
  const transport = http(info.rpcUrl)
  const reader = createPublicClient({ chain, transport, pollingInterval: POLLING_MS })
  const mined = async (hash: Hex): Promise<Hex> => {
    const receipt = await reader.waitForTransactionReceipt({ hash })
    if (receipt.status !== 'success') throw new Error(`Transaction ${hash} was reverted.`)
    return hash
  }
  return async (account, amount) => {
    const wallet = createWalletClient({ account, chain, transport })
    const { usdc, vault } = info
    await mined(
      await wallet.writeContract({
        address: usdc,
        abi: testUsdcAbi,
        functionName: 'approve',
        args: [vault, amount],
      }),
    )
    return mined(
      await wallet.writeContract({
        address: vault,
        abi: fareboxVaultAbi,
        functionName: 'deposit',
        args: [amount],
      }),
    )
  }
}
