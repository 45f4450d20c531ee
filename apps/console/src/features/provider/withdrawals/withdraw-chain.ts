import { fareboxVaultAbi } from '@farebox/vault'
import type { Address, Hex } from 'viem'
import { getContractEvents, simulateContract } from 'viem/actions'
import { eventsAfter } from '../../../wallet/events.ts'
import { wallet } from '../../../wallet/use-wallet.ts'
import type { Ticket } from './withdraw-draft.ts'

// Chain reads and wallet requests of a withdrawal. All throw WalletError.

function callOf({ to, amount, deadline, nonce, vault, signature }: Ticket) {
  const ticket = {
    to: to as Address,
    amount: BigInt(amount),
    deadline: BigInt(deadline),
    nonce: nonce as Hex,
  }
  return {
    address: vault as Address,
    abi: fareboxVaultAbi,
    functionName: 'withdraw',
    args: [ticket, signature as Hex],
  } as const
}

/** Simulates the redemption of a ticket; throws the vault's reason if it would fail. */
export async function tryTicket(ticket: Ticket): Promise<void> {
  await wallet.ask(client => simulateContract(client, { ...callOf(ticket), account: ticket.to as Address }))
}

/** Has the wallet send the redemption of a ticket. */
export function redeem(ticket: Ticket): Promise<Hex> {
  return wallet.write(callOf(ticket))
}

/** Finds the transaction that redeemed a ticket after a block; null if there is none (yet). */
export async function findRedemption({ vault, nonce }: Ticket, sinceBlock: bigint): Promise<Hex | null> {
  const events = await eventsAfter(sinceBlock, (client, fromBlock) =>
    getContractEvents(client, {
      address: vault as Address,
      abi: fareboxVaultAbi,
      eventName: 'Withdrawn',
      strict: true,
      args: { nonce: nonce as Hex },
      fromBlock,
    }),
  )
  return events.at(-1)?.transactionHash ?? null
}
