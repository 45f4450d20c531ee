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
 * the use of an authorization directly before its transfer, so each use takes the next transfer of the same payer in
 * its transaction. A transfer that the vault reports as a deposit itself, and one of nothing, is never taken.
 *
 * @param logs.deposits events of the vault
 * @param logs.transfers all transfers to the vault in these transactions
 */
export function pairAuthorizations(logs: {
  deposits: readonly VaultEvent[]
  transfers: readonly Transfer[]
  used: readonly AuthorizationUse[]
}): VaultEvent[] {
  if (logs.used.length === 0) return []
  const transfers = Map.groupBy(
    logs.transfers.filter(({ amount }) => amount > 0n).toSorted((a, b) => a.logIndex - b.logIndex),
    ({ txHash }) => txHash,
  )
  const taken = new Set<Transfer>()
  for (const event of logs.deposits) {
    if (event.kind !== 'deposited') continue
    const own = transfers
      .get(event.txHash)
      ?.findLast(
        ({ from, amount, logIndex }) =>
          from === event.owner && amount === event.amount && logIndex < event.logIndex,
      )
    if (own !== undefined) taken.add(own)
  }
  const paid: VaultEvent[] = []
  for (const { payer, nonce, txHash, logIndex } of logs.used.toSorted((a, b) => a.logIndex - b.logIndex)) {
    const transfer = transfers
      .get(txHash)
      ?.find(each => each.from === payer && each.logIndex > logIndex && !taken.has(each))
    if (transfer === undefined) continue
    taken.add(transfer)
    const { from: owner, amount, ...place } = transfer
    paid.push({ ...place, kind: 'deposited', owner, amount, authorization: nonce })
  }
  return paid
}
