import type { AnswerOf } from '@farebox/client'
import { fareboxVaultAbi, testUsdcAbi } from '@farebox/vault'
import { createPublicClient, createWalletClient, defineChain, getAddress, type Hex, http, isHex } from 'viem'
import type { LocalAccount } from 'viem/accounts'

/** Chain, token and vault. */
export type ChainInfo = Pick<AnswerOf<'readChain'>, 'chainId' | 'rpcUrl' | 'usdc' | 'vault'>

/** A withdrawal ticket as issued by the gateway. */
type Ticket = NonNullable<AnswerOf<'openWithdrawal'>['ticket']>

/** On-chain acts of the tour's two wallets. Each returns a mined transaction hash. */
export function onChain(info: ChainInfo) {
  const chain = defineChain({
    id: info.chainId,
    name: 'Farebox tour',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [info.rpcUrl] } },
  })
  const transport = http(info.rpcUrl)
  const usdc = { address: getAddress(info.usdc), abi: testUsdcAbi } as const
  const vault = { address: getAddress(info.vault), abi: fareboxVaultAbi } as const
  const reader = createPublicClient({ chain, transport, pollingInterval: 100 })
  const mined = async (hash: Hex): Promise<Hex> => {
    const receipt = await reader.waitForTransactionReceipt({ hash })
    if (receipt.status !== 'success') throw new Error(`Transaction ${hash} was reverted`)
    return hash
  }
  return {
    /** Approves the amount for the vault and deposits it. `amount` in micro-USDC. */
    async deposit(account: LocalAccount, amount: bigint): Promise<Hex> {
      const wallet = createWalletClient({ account, chain, transport })
      await mined(
        await wallet.writeContract({ ...usdc, functionName: 'approve', args: [vault.address, amount] }),
      )
      return mined(await wallet.writeContract({ ...vault, functionName: 'deposit', args: [amount] }))
    },
    /** Redeems a ticket at the vault. */
    async redeem(account: LocalAccount, ticket: Ticket): Promise<Hex> {
      const wallet = createWalletClient({ account, chain, transport })
      const args = [
        {
          to: getAddress(ticket.to),
          amount: BigInt(ticket.amount),
          deadline: BigInt(ticket.deadline),
          nonce: readHex(ticket.nonce),
        },
        readHex(ticket.signature),
      ] as const
      return mined(await wallet.writeContract({ ...vault, functionName: 'withdraw', args }))
    },
    /** Returns the USDC balance of a wallet, in micro-USDC. */
    balanceOf: (owner: string): Promise<bigint> =>
      reader.readContract({ ...usdc, functionName: 'balanceOf', args: [getAddress(owner)] }),
  }
}

function readHex(text: string): Hex {
  if (!isHex(text)) throw new Error(`The gateway sent ${text} instead of hex bytes.`)
  return text
}
