import type { Usdc } from '@farebox/money'
import type { Address, Hex } from 'viem'
import type { VaultEvent } from '../../ports.ts'

type Place = Pick<VaultEvent, 'blockNumber' | 'blockHash' | 'txHash' | 'logIndex'>

/** A transfer of the token to the vault. */
type Transfer = Place & { readonly from: Address; readonly amount: Usdc }

/** Use of an EIP-3009 authorization of a payer. */
type AuthorizationUse = Place & { readonly payer: Address; readonly nonce: Hex }

/**
 * Returns the transfers that EIP-3009 authorizations made to the vault, as deposits of their payers. A token reports
 * the use of an authorization directly before its transfer: any other transfer is not its own.
 *
 * @param logs.transfers all transfers to the vault in these transactions
 */
export function pairAuthorizations(logs: {
  transfers: readonly Transfer[]
  used: readonly AuthorizationUse[]
}): VaultEvent[] {
  const keyOf = ({ txHash }: Place, logIndex: number) => `${txHash}:${logIndex}`
  const transfers = new Map(logs.transfers.map(each => [keyOf(each, each.logIndex), each]))
  return logs.used.flatMap(({ payer, nonce, ...use }) => {
    const transfer = transfers.get(keyOf(use, use.logIndex + 1))
    if (transfer?.from !== payer || transfer.amount === 0n) return []
    const { from: owner, amount, ...place } = transfer
    return [{ ...place, kind: 'deposited', owner, amount, authorization: nonce }]
  })
}
