import type { Deps, VaultEvent } from '../../ports.ts'
import { recordRedemption } from './record-redemption.ts'
import { findRedemption, isTicketOut } from './rules.ts'
import { findByNonces, redeemedIn, type WithdrawalRow } from './store.ts'

type WithdrawnEvent = Extract<VaultEvent, { kind: 'withdrawn' }>

/**
 * Closes withdrawals whose tickets the vault has paid, whether or not anybody reports them. For the follower of the
 * vault: may be told of the same redemption many times.
 *
 * What the vault paid and the books cannot explain is logged as an error each time: a ticket that we do not know,
 * or of a withdrawal that has ended otherwise, means that the signer's key is not ours alone.
 *
 * @param events redemptions from confirmed blocks
 * @throws GatewayError UNAVAILABLE when the chain is out of reach; then tell it again
 */
export async function completeByEvents(
  deps: Pick<Deps, 'db' | 'chain' | 'ids' | 'log'>,
  events: readonly WithdrawnEvent[],
): Promise<void> {
  const nonces = events.map(event => event.nonce)
  const byNonce = new Map(
    (await findByNonces(deps.db, deps.chain.facts, nonces)).map(row => [row.nonce, row]),
  )
  for (const event of events) {
    const row = byNonce.get(event.nonce)
    if (row === undefined) {
      deps.log.error(fieldsOf(event), 'the vault has paid a ticket that is not in our books')
    } else if (row.redeemed_in === null) {
      await completeByEvent(deps, row, event)
    }
  }
}

/** Closes one withdrawal by its redemption, if the two agree and the block is still on the chain. */
export async function completeByEvent(
  deps: Pick<Deps, 'db' | 'chain' | 'ids' | 'log'>,
  row: WithdrawalRow,
  event: WithdrawnEvent,
): Promise<void> {
  const { txHash, logIndex, blockNumber } = event
  const fields = { ...fieldsOf(event), withdrawalId: row.id, status: row.status }
  const found = findRedemption([event], row)
  if (!isTicketOut(row.status) || 'mismatch' in found) {
    deps.log.error({ ...fields, ...found }, 'the vault has paid a ticket other than our books have it')
    return
  }
  const block = await deps.chain.block(blockNumber)
  if (block?.hash !== event.blockHash) return
  const outcome = await recordRedemption(deps, row, { txHash, logIndex, blockNumber }, { mustBind: false })
  if (outcome === 'not open')
    deps.log.error(fields, 'the vault has paid a ticket of a withdrawal that has ended')
}

function fieldsOf(event: WithdrawnEvent) {
  const { to, amount, nonce } = event
  return { redeemedIn: redeemedIn(event), to, amount: amount.toString(), nonce }
}
