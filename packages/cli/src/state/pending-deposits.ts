import type { Hex } from 'viem'
import type { ChainFacts } from './profiles.ts'
import { openRecords } from './records.ts'

/** A deposit that was signed and is not credited yet. It is on disk before it is sent. */
export type PendingDeposit = {
  readonly gateway: string
  readonly wallet: string
  readonly chain: ChainFacts
  readonly txHash: Hex
  /** The signed transaction. Sent again it is the same deposit, as its nonce is used once. */
  readonly signed: Hex
  /** Decimal USDC. */
  readonly amountUsdc: string
}

const records = openRecords<PendingDeposit>('deposits')

/** Stores a deposit before it is sent. */
export const storeDeposit = (deposit: PendingDeposit): void => records.store(deposit.txHash, deposit)

/** Returns a deposit by its transaction; null if it is credited, or if it was not made here. */
export const findDeposit = (txHash: string): PendingDeposit | null => records.find(txHash)

/** Removes a deposit, as its end is known. */
export const forgetDeposit = (txHash: string): void => records.forget(txHash)

/** Returns the deposits of a wallet at a gateway that are not credited yet. */
export const listDepositsOf = (gateway: string, wallet: string): PendingDeposit[] =>
  records.list().filter(each => each.gateway === gateway && each.wallet === wallet)
