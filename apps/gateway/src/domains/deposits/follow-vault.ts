import type { Block, Deps, VaultEvent } from '../../ports.ts'
import { creditDeposits } from './credit-deposits.ts'
import { confirmationsAt, isBookable, nextRange } from './rules.ts'
import {
  type Cursor,
  type DepositedEvent,
  dueEvents,
  forgetEvents,
  giveUpCursor,
  moveCursor,
  recordEvents,
  takeCursor,
  type VaultDepositRow,
} from './store.ts'

/** Blocks that are read again each time, over and above the confirmations that they have already. */
const REREAD_BLOCKS = 64n
/** Most new blocks in one step; a step is what the cursor moves by. */
const STEP_BLOCKS_MAX = 1_000n
/** Most steps in one run, when there is much to catch up on. */
const STEPS_PER_RUN_MAX = 100
/** Most events credited after one step. */
const CREDITS_PER_STEP_MAX = 500
/** A gateway that dies while following is followed by another after this long, or three intervals. */
const LEASE_SECONDS_MIN = 5

/** The vault paid a ticket; confirmed. */
export type WithdrawnEvent = Extract<VaultEvent, { kind: 'withdrawn' }>

/** Who else wants to know what the vault says. */
export type VaultListener = {
  /**
   * Told of confirmed redemptions, in order, at least once each and usually many times: recent blocks are read
   * again. When it throws, the cursor stays where it is and it is told again.
   */
  readonly onWithdrawn: (events: readonly WithdrawnEvent[]) => Promise<unknown>
}

type FollowerDeps = Pick<Deps, 'db' | 'chain' | 'ids' | 'config' | 'log' | 'instanceId'>

/**
 * Follows the vault up to the newest confirmed block: records deposits, tells the listener of redemptions, and
 * credits what is due. Registered deposits are due at once, others `AUTO_CREDIT_AFTER_SECONDS` after they were
 * first seen confirmed, by database time.
 *
 * The cursor moves in the transaction that records what was read, and never beyond a block that the node has
 * shown; credits are posted from the record. So a crash at any point loses nothing and repeats nothing. Several
 * gateways may run it: a lease lets one of them do the work, and it would be right without. One that fails gives the
 * lease up: another may reach the chain.
 *
 * @throws GatewayError UNAVAILABLE when the chain is out of reach; the next run goes on from the cursor
 */
export async function followVault(
  deps: FollowerDeps,
  listener: VaultListener,
  signal: AbortSignal,
): Promise<void> {
  try {
    await followSteps(deps, listener, signal)
  } catch (error) {
    // The lease ends by itself, too.
    await giveUpVault(deps).catch(() => undefined)
    throw error
  }
}

/** Lets another gateway follow the vault at once. */
export function giveUpVault({
  db,
  chain,
  instanceId,
}: Pick<Deps, 'db' | 'chain' | 'instanceId'>): Promise<void> {
  const { chainId, vault } = chain.facts
  return giveUpCursor(db, { chainId, vault, holder: instanceId })
}

async function followSteps(deps: FollowerDeps, listener: VaultListener, signal: AbortSignal): Promise<void> {
  const { chain, config } = deps
  for (let step = 0; step < STEPS_PER_RUN_MAX && !signal.aborted; step += 1) {
    const cursor = await takeCursor(deps.db, {
      chainId: chain.facts.chainId,
      vault: chain.facts.vault,
      startBlock: BigInt(config.FOLLOWER_START_BLOCK),
      holder: deps.instanceId,
      seconds: Math.max(LEASE_SECONDS_MIN, 3 * config.FOLLOWER_INTERVAL_SECONDS),
    })
    if (cursor === undefined) return
    const head = await chain.head()
    const isCaughtUp = await readOn(deps, listener, cursor, head)
    await creditDue(deps, head)
    if (isCaughtUp) return
  }
}

/** Reads the next blocks. Returns whether there is nothing more to read for now. */
async function readOn(
  deps: FollowerDeps,
  listener: VaultListener,
  cursor: Cursor,
  head: Block,
): Promise<boolean> {
  const { chain, db } = deps
  const { chainId, vault, requiredConfirmations } = chain.facts
  const confirmed = head.number - BigInt(requiredConfirmations) + 1n
  const range = nextRange({
    cursor: cursor.block_number,
    confirmed,
    startBlock: BigInt(deps.config.FOLLOWER_START_BLOCK),
    rereadBlocks: REREAD_BLOCKS,
    blocksMax: STEP_BLOCKS_MAX,
  })
  if (range === null) return true
  if (!(await isOnChain(deps, cursor))) return true

  const events = await chain.vaultEvents(range)
  const last = await chain.block(range.to)
  // The node that answers now is behind the one that told us the head: what it left out cannot be known.
  if (last === null) return true

  const withdrawn = events.filter(event => event.kind === 'withdrawn')
  if (withdrawn.length > 0) await listener.onWithdrawn(withdrawn)
  const deposited = bookable(
    deps,
    events.filter(event => event.kind === 'deposited'),
  )
  await db.transaction(async tx => {
    await recordEvents(tx, chainId, deposited)
    await moveCursor(tx, { chainId, vault, from: cursor, to: last })
  })
  return range.to === confirmed
}

/** Whether the node has the block of the cursor. One that had its confirmations and is gone is an alarm. */
async function isOnChain(deps: FollowerDeps, cursor: Cursor): Promise<boolean> {
  if (cursor.block_hash === null) return true
  const block = await deps.chain.block(cursor.block_number)
  if (block === null) return false
  if (block.hash !== cursor.block_hash) {
    const fields = { height: cursor.block_number.toString(), was: cursor.block_hash, is: block.hash }
    deps.log.error(fields, 'the chain was reorganised below the required confirmations; reading on')
  }
  return true
}

function bookable(deps: FollowerDeps, events: readonly DepositedEvent[]): DepositedEvent[] {
  return events.filter(event => {
    if (isBookable(event.amount)) return true
    const { txHash, logIndex, amount } = event
    deps.log.error({ txHash, logIndex, amount: amount.toString() }, 'a deposit cannot be booked')
    return false
  })
}

/** Credits recorded events that are due and still on the chain. */
async function creditDue(deps: FollowerDeps, head: Block): Promise<void> {
  const { chain, config, db, log } = deps
  const { chainId } = chain.facts
  const due = await dueEvents(db, {
    chainId,
    waitSeconds: config.AUTO_CREDIT_AFTER_SECONDS,
    limit: CREDITS_PER_STEP_MAX,
  })
  for (const group of byWalletAndTransaction(due)) {
    const { wallet, tx_hash: txHash, block_number: number, block_hash: hash } = group.first
    const block = await chain.block(number)
    if (block === null) continue
    if (block.hash !== hash) {
      log.warn({ txHash, height: number.toString() }, 'a deposit was reorganised away before its credit')
      await forgetEvents(db, chainId, { number, hash })
      continue
    }
    const events = group.all.map(row => ({ logIndex: row.log_index, amount: row.amount }))
    const confirmations = confirmationsAt(head.number, number)
    try {
      await creditDeposits(deps, { chainId, wallet, txHash, confirmations, events })
    } catch (error) {
      // It stays due. One that cannot be posted must not keep the others waiting behind it.
      log.error({ txHash, wallet, err: error }, 'a deposit could not be credited and will be tried again')
    }
  }
}

/** Deposits of one wallet in one transaction are one deposit to their owner. */
function byWalletAndTransaction(rows: readonly VaultDepositRow[]) {
  const groups = new Map<string, { first: VaultDepositRow; all: VaultDepositRow[] }>()
  for (const row of rows) {
    const key = `${row.wallet} ${row.tx_hash}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { first: row, all: [row] })
    else group.all.push(row)
  }
  return groups.values()
}
