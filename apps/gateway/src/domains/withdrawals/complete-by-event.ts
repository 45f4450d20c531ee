import { formatUsdc, MAX_USDC } from '@farebox/money'
import type { Deps, Tx, WithdrawnEvent } from '../../ports.ts'
import { raiseChainFinding, resolveChainFinding } from '../ledger/database/chain-findings.ts'
import { recordRedemption } from './record-redemption.ts'
import { findRedemptions, type RedemptionRow, writeRedemption } from './redemption-store.ts'
import { type Explanation, explainRedemption } from './rules.ts'
import {
  findByNonces,
  isBoundElsewhere,
  lockWithdrawal,
  redeemedIn,
  type WithdrawalRow,
  writeMoved,
} from './store.ts'

type RedemptionDeps = Pick<Deps, 'db' | 'chain' | 'ids' | 'log'>

/** Maximum attempts to explain a redemption whose withdrawal changes concurrently; its states only advance. */
const LOOKS_MAX = 3

/**
 * Records redemptions and closes the withdrawals whose tickets they paid, reported or not. Called by the follower of
 * the vault, possibly many times for the same redemption.
 *
 * A redemption that no withdrawal explains raises a finding, which stops tickets until an admin has adopted it. Either
 * someone else has the signer's key, or the database is older than the ticket.
 *
 * @param events redemptions from confirmed blocks
 * @throws GatewayError UNAVAILABLE when the chain is unreachable; then call again
 */
export async function completeByEvents(
  deps: RedemptionDeps,
  events: readonly WithdrawnEvent[],
): Promise<void> {
  const nonces = events.map(event => event.nonce)
  const [withdrawals, recorded] = await Promise.all([
    findByNonces(deps.db, deps.chain.facts, nonces),
    findRedemptions(deps.db, deps.chain.facts, nonces),
  ])
  const withdrawalOf = new Map(withdrawals.map(row => [row.nonce, row]))
  const recordOf = new Map(recorded.map(row => [row.nonce, row]))
  for (const event of events) {
    const { nonce } = event
    const known = { withdrawal: withdrawalOf.get(nonce), record: recordOf.get(nonce) }
    const isSettled = isSame(event, known.record) && explain(event, known) === 'booked'
    if (!isSettled) await settleRedemption(deps, event)
  }
}

/** Books one redemption, or raises a finding, if its block is still on the chain. */
export async function settleRedemption(deps: RedemptionDeps, event: WithdrawnEvent): Promise<void> {
  const block = await deps.chain.block(event.blockNumber)
  if (block?.hash !== event.blockHash) return
  for (let look = 0; look < LOOKS_MAX; look += 1) {
    const [withdrawal] = await findByNonces(deps.db, deps.chain.facts, [event.nonce])
    const [record] = await findRedemptions(deps.db, deps.chain.facts, [event.nonce])
    const explanation = explain(event, { withdrawal, record })
    if (explanation !== 'pays' || withdrawal === undefined) {
      return deps.db.transaction(tx => keep(deps, tx, event, { withdrawal, record, explanation }))
    }
    const outcome = await recordRedemption(deps, withdrawal, event, { mustBind: false })
    if (outcome !== 'not open') return deps.db.transaction(tx => closeFindings(tx, event, record))
  }
}

type Known = { readonly withdrawal: WithdrawalRow | undefined; readonly record: RedemptionRow | undefined }

function explain(event: WithdrawnEvent, { withdrawal, record }: Known): Explanation {
  const { adopted: amount = null, adoptedTo: recipient = null } = record ?? {}
  const adopted = amount === null || recipient === null ? null : { amount, recipient }
  return explainRedemption({ ...event, redeemedIn: redeemedIn(event) }, withdrawal, adopted)
}

/** Returns true if a redemption equals its record. */
function isSame(event: WithdrawnEvent, record: RedemptionRow | undefined): boolean {
  return (
    record !== undefined &&
    record.goneAt === null &&
    record.blockHash === event.blockHash &&
    record.txHash === event.txHash &&
    record.logIndex === event.logIndex
  )
}

/**
 * Records a redemption and applies the consequence of its explanation, read again once the record is locked: an admin
 * may have adopted it in the meantime.
 */
async function keep(
  deps: RedemptionDeps,
  tx: Tx,
  event: WithdrawnEvent,
  { withdrawal, record, explanation: seen }: Known & { explanation: Explanation },
): Promise<void> {
  // A token with unlimited minting must not stop the follower with an amount that does not fit the books.
  if (event.amount <= MAX_USDC) await writeRedemption(tx, deps.chain.facts, event)
  const [written] = await findRedemptions(tx, deps.chain.facts, [event.nonce])
  const explanation = typeof seen === 'object' ? explain(event, { withdrawal, record: written }) : seen
  if (typeof explanation === 'object') return raise(deps, tx, event, { withdrawal, ...explanation })
  if (explanation === 'moved' && withdrawal !== undefined) {
    const locked = await lockWithdrawal(tx, withdrawal.id)
    const isBound = locked.txHash !== null && !(await isBoundElsewhere(tx, event.txHash, locked.id))
    await writeMoved(tx, locked.id, { ...event, isBound })
  }
  await closeFindings(tx, event, record)
}

/** Closes the findings about a booked redemption, and about its record if a reorganisation had removed it. */
async function closeFindings(
  tx: Tx,
  event: WithdrawnEvent,
  record: RedemptionRow | undefined,
): Promise<void> {
  const resolution = 'gone'
  await resolveChainFinding(tx, { kind: 'unexplained-redemption', subject: redeemedIn(event), resolution })
  if (record === undefined || record.goneAt === null) return
  await resolveChainFinding(tx, { kind: 'redemption-reorganised', subject: redeemedIn(record), resolution })
}

async function raise(
  deps: RedemptionDeps,
  tx: Tx,
  event: WithdrawnEvent,
  why: { withdrawal: WithdrawalRow | undefined; unexplained: string },
): Promise<void> {
  const { txHash, logIndex, nonce, to } = event
  const detail = {
    txHash,
    logIndex: String(logIndex),
    nonce,
    to,
    amountUsdc: formatUsdc(event.amount),
    block: event.blockNumber.toString(),
    reason: why.unexplained,
    ...(why.withdrawal && { withdrawalId: why.withdrawal.id, withdrawalStatus: why.withdrawal.status }),
  }
  const finding = { kind: 'unexplained-redemption', subject: redeemedIn(event), detail } as const
  const isNew = await raiseChainFinding(tx, finding)
  if (isNew) deps.log.error(detail, 'the vault paid a ticket that no withdrawal explains; tickets stop')
}
