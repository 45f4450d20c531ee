import { exampleId } from '@farebox/wire/common'

// Examples in the published contract.

const id = exampleId('dep')
const txHash = '0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060'

const claimed = {
  id,
  intentId: id,
  depositIntentId: id,
  status: 'pending',
  tx_hash: txHash,
  txHash,
  eventKey: null,
  amountUsdc: '25.000000',
  confirmations: 0,
  requiredConfirmations: 12,
  createdAt: '2026-11-21T09:30:00.000Z',
}
const credited = { ...claimed, status: 'credited', eventKey: `8453:${txHash}:2`, confirmations: 12 }

/** Body of a claim. */
export const openBody = { tx_hash: txHash, amount: 25 }

/** A pending claim. */
export const opened = { status: 'success', intentId: id, tx_hash: txHash, intent: claimed }

/** A credited deposit. */
export const confirmed = { status: 'success', intentId: id, intent: credited }

/** A page of deposits. */
export const listed = { status: 'success', deposits: [credited], nextCursor: null }
