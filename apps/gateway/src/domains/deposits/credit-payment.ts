import { parseUsdc } from '@farebox/money'
import type { Hex } from 'viem'
import type { Deps, Tx } from '../../ports.ts'
import { readMined } from '../ledger/read-mined.ts'
import { creditDeposits } from './credit-deposits.ts'
import { bookableDeposits, keepEvents } from './keep-events.ts'
import { isCreditedPayment, lockAtRisk } from './payment-store.ts'

/** `absent`: the transaction is not mined, or does not use the authorization. */
export type PaymentCredit = 'credited' | 'waits' | 'absent'

/**
 * Credits a transfer by an EIP-3009 authorization that the gateway itself broadcast, as soon as it has
 * `X402_CONFIRMATIONS`. Before the required confirmations, all such credits together stay within `X402_AT_RISK_USDC`;
 * others wait. The follower checks each again when its block is confirmed.
 *
 * @throws GatewayError UNAVAILABLE when the chain is unreachable
 */
export async function creditPayment(
  deps: Pick<Deps, 'db' | 'rawDb' | 'chain' | 'ids' | 'config' | 'log'>,
  payment: { payer: string; nonce: Hex; txHash: Hex },
): Promise<PaymentCredit> {
  const { chain, config } = deps
  const { facts } = chain
  const { payer, nonce, txHash } = payment
  if (await isCreditedPayment(deps.rawDb, facts, payment)) return 'credited'
  const mined = await readMined(chain, txHash)
  if (mined === null) return 'absent'
  const deposits = bookableDeposits(mined.receipt.events)
  const event = deposits.find(each => each.owner === payer && each.authorization === nonce)
  if (event === undefined) return 'absent'
  if (!mined.isCanonical) return 'waits'
  const { confirmations } = mined
  const isFinal = confirmations >= facts.requiredConfirmations
  if (!isFinal && confirmations < config.X402_CONFIRMATIONS) return 'waits'

  const admit = async (tx: Tx): Promise<boolean> => {
    if (!isFinal) {
      const { sum, followedTo } = await lockAtRisk(tx, facts)
      // The follower has passed the block: it decides.
      if (followedTo >= event.blockNumber) return false
      if (sum + event.amount > parseUsdc(config.X402_AT_RISK_USDC)) return false
    }
    await keepEvents(deps, tx, deposits)
    return true
  }
  const credit = { chainId: facts.chainId, wallet: payer, txHash, confirmations, events: [event] }
  return (await creditDeposits(deps, credit, admit)) ? 'credited' : 'waits'
}
