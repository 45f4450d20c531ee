import type { Hex } from 'viem'
import type { Deps } from '../../ports.ts'
import { raiseChainFinding, resolveChainFinding } from '../ledger/database/chain-findings.ts'
import { ticketBlock } from '../ledger/database/ticket-gate.ts'
import { listSignedByOthers, lockSignedByOthers, lockTicketing, writeSignature } from './store.ts'

/** Maximum number of tickets that are signed again in one run. */
const SIGNED_AGAIN_MAX = 100

type WatchDeps = Pick<Deps, 'config' | 'db' | 'chain' | 'log' | 'metrics'>

/**
 * Compares the signer of the vault with the key of this gateway. While the vault would not pay our tickets, a finding
 * stops tickets at every gateway. Otherwise closes the finding and signs open tickets of another key again, with the
 * same nonce, amount and deadline, so that at most one of each pair can be paid. Does nothing without a key.
 *
 * @throws GatewayError UNAVAILABLE when the chain is unreachable; then nothing has changed
 */
export async function watchSigner(deps: WatchDeps): Promise<void> {
  const { chain, db, log, metrics } = deps
  const ours = chain.ticketSigner
  if (ours === null) return
  const [isAvailable, { address: appointed, acceptsOurs }] = await Promise.all([
    chain.isSignerAvailable(),
    chain.vaultSigner(),
  ])
  metrics.set('farebox_ticket_signer_available', {}, isAvailable ? 1 : 0)
  metrics.set('farebox_ticket_signer_matches', {}, acceptsOurs ? 1 : 0)
  const finding = { kind: 'ticket-signer', subject: chain.facts.vault } as const
  const detail = { appointed, ours }
  if (!acceptsOurs) {
    if (await raiseChainFinding(db, { ...finding, detail }))
      log.error(detail, 'the vault pays no ticket of TICKET_SIGNER_KEY: it has another signer')
    return
  }
  if (await resolveChainFinding(db, { ...finding, resolution: 'gone' }))
    log.info(detail, 'the vault pays tickets of TICKET_SIGNER_KEY again')
  // A contract as signer may accept several keys, so tickets of other keys may still be valid.
  if (appointed === ours) await signAgain(deps, ours)
}

/** Signs open tickets of another key again, while tickets may be issued at all. The signer may be external. */
async function signAgain(deps: WatchDeps, signer: `0x${string}`): Promise<void> {
  const { db, chain, log } = deps
  const { chainId, vault } = chain.facts
  if ((await ticketBlock(db, deps, null)) !== null) return
  const signatures = new Map<string, Hex>()
  const at = { chainId, vault, signer }
  for (const { id, wallet: to, amount, nonce, deadline } of await listSignedByOthers(
    db,
    at,
    SIGNED_AGAIN_MAX,
  )) {
    if (deadline === null) throw new Error(`The withdrawal ${id} is open without a ticket.`)
    signatures.set(id, await chain.signTicket({ to, amount, deadline, nonce }))
  }
  if (signatures.size === 0) return
  const count = await db.transaction(async tx => {
    await lockTicketing(tx)
    if ((await ticketBlock(tx, deps, null)) !== null) return 0
    // Recipient, amount, deadline and nonce of a ticket never change; it may have been closed since.
    const rows = await lockSignedByOthers(tx, at, SIGNED_AGAIN_MAX)
    for (const { id } of rows) {
      const signature = signatures.get(id)
      if (signature !== undefined) await writeSignature(tx, id, { signature, signer })
    }
    return rows.filter(({ id }) => signatures.has(id)).length
  })
  if (count > 0) log.info({ count, signer }, 'open tickets were signed again by the key of the vault')
}
