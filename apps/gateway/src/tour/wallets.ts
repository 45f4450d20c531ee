import { fareboxVaultAbi, testUsdcAbi } from '@farebox/vault'
import { type Address, createPublicClient, createWalletClient, defineChain, type Hex, http } from 'viem'
import type { LocalAccount } from 'viem/accounts'

/** Where the money lives, as GET /api/v1/chain tells it. */
export type ChainInfo = {
  readonly chainId: number
  readonly rpcUrl: string
  readonly usdc: Address
  readonly vault: Address
}

/** A withdrawal ticket as the gateway hands it out. */
export type Ticket = {
  readonly to: Address
  readonly amount: string
  readonly deadline: number
  readonly nonce: Hex
  readonly signature: Hex
}

/** What the two wallets of the tour do on the chain themselves. Each returns a transaction hash, mined. */
export function onChain(info: ChainInfo) {
  const chain = defineChain({
    id: info.chainId,
    name: 'Farebox tour',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [info.rpcUrl] } },
  })
  const transport = http(info.rpcUrl)
  const reader = createPublicClient({ chain, transport, pollingInterval: 100 })
  const mined = async (hash: Hex): Promise<Hex> => {
    const receipt = await reader.waitForTransactionReceipt({ hash })
    if (receipt.status !== 'success') throw new Error(`Transaction ${hash} was reverted`)
    return hash
  }
  return {
    /** Lets the vault take the amount, and deposits it. `amount` in micro-USDC. */
    async deposit(account: LocalAccount, amount: bigint): Promise<Hex> {
      const wallet = createWalletClient({ account, chain, transport })
      await mined(
        await wallet.writeContract({
          ...{ address: info.usdc, abi: testUsdcAbi, functionName: 'approve', args: [info.vault, amount] },
        }),
      )
      return mined(
        await wallet.writeContract({
          ...{ address: info.vault, abi: fareboxVaultAbi, functionName: 'deposit', args: [amount] },
        }),
      )
    },
    /** Redeems a ticket at the vault. */
    async redeem(account: LocalAccount, ticket: Ticket): Promise<Hex> {
      const wallet = createWalletClient({ account, chain, transport })
      const { to, nonce, signature } = ticket
      const args = [
        { to, amount: BigInt(ticket.amount), deadline: BigInt(ticket.deadline), nonce },
        signature,
      ] as const
      return mined(
        await wallet.writeContract({
          address: info.vault,
          abi: fareboxVaultAbi,
          functionName: 'withdraw',
          args,
        }),
      )
    },
    /** USDC in a wallet, in micro-USDC. */
    balanceOf: (owner: Address): Promise<bigint> =>
      reader.readContract({ address: info.usdc, abi: testUsdcAbi, functionName: 'balanceOf', args: [owner] }),
  }
}
