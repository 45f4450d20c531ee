import type { Block, DepositedEvent, Deps, VaultEvent, WithdrawnEvent } from '../../ports.ts'
import { noteFollowed, noticeDatabase } from '../ledger/database/database-watch.ts'
import { findGoneBlocks, type RecordedBlock, type UnsettledRange } from '../ledger/find-gone-blocks.ts'
import { confirmationsAt, confirmedHeight } from '../ledger/read-mined.ts'
import { compareCount } from './compare-count.ts'
import { forgetAgreed } from './count-store.ts'
import { creditDeposits } from './credit-deposits.ts'
import { type Cursor, giveUpCursor, lockCursor, moveCursor, takeCursor } from './cursor-store.ts'
import { keepEvents } from './keep-events.ts'
import { raiseReorganised } from './raise-reorganised.ts'
import { recordedBlocks } from './reorganised-store.ts'
import { isBookable, nextRange } from './rules.ts'
import { dueEvents, type VaultDepositRow } from './store.ts'

/** Number of confirmed blocks that are reread each time. */
const REREAD_BLOCKS = 64n
/** The same after a reorganisation deeper than the required confirmations. */
const REREAD_REORGANISED_BLOCKS = 1_000n
/** Maximum number of new blocks in one step; each step moves the cursor. */
const STEP_BLOCKS_MAX = 1_000n
/** Maximum number of steps in one run, while catching up. */
const STEPS_PER_RUN_MAX = 100
/** Maximum number of events credited after one step. */
const CREDITS_PER_STEP_MAX = 500
/** Minimum lease, in seconds; otherwise three intervals. Another gateway takes over after it expires. */
const LEASE_SECONDS_MIN = 5

/** Callbacks for events of the vault. */
export type VaultListener = {
  /**
   * Called with confirmed redemptions, in order, at least once each and usually many times, as recent blocks are
   * reread. If it throws, the cursor does not move and the call is repeated.
   */
  readonly onWithdrawn: (events: readonly WithdrawnEvent[]) => Promise<unknown>
  /**
   * Called with each range of blocks, once `onWithdrawn` has seen its redemptions: redemptions recorded in it may be gone
   * from the chain. If it throws, the cursor does not move and the call is repeated.
   */
  readonly onRead?: (range: UnsettledRange) => Promise<unknown>
  /** Called at most once, when the books have caught up with the chain after the database was moved or restarted. */
  readonly onCaughtUp?: () => Promise<unknown>
}

type FollowerDeps = Pick<Deps, 'db' | 'chain' | 'ids' | 'config' | 'log' | 'instanceId'>

/**
 * Follows the vault up to the newest confirmed block: records deposits, passes redemptions to the listener, and credits
 * deposits that are due. Registered deposits are due immediately, others `AUTO_CREDIT_AFTER_SECONDS` after they were
 * first seen confirmed, by database time.
 *
 * The cursor moves in the transaction that records the events, never beyond a block that the node has returned, and
 * credits are posted from the records. A crash at any point therefore loses nothing and repeats nothing. Several
 * gateways may run this; a lease avoids duplicate work and is not needed for correctness. A gateway that fails gives up
 * the lease, as another may reach the chain.
 *
 * @param options.restSeconds minimum time between reads while no deposit or redemption is pending; default 0
 * @throws GatewayError UNAVAILABLE when the chain is unreachable; the next run continues from the cursor
 */
export async function followVault(
  deps: FollowerDeps,
  listener: VaultListener,
  signal: AbortSignal,
  { restSeconds = 0 } = {},
): Promise<void> {
  try {
    await followSteps(deps, listener, signal, restSeconds)
  } catch (error) {
    // If this fails, the lease expires.
    await giveUpVault(deps).catch(() => undefined)
    throw error
  }
}

/** Releases the lease, so that another gateway can follow the vault immediately. */
export function giveUpVault({
  db,
  chain,
  instanceId,
}: Pick<Deps, 'db' | 'chain' | 'instanceId'>): Promise<void> {
  const { chainId, vault } = chain.facts
  return giveUpCursor(db, { chainId, vault, holder: instanceId })
}

async function followSteps(
  deps: FollowerDeps,
  listener: VaultListener,
  signal: AbortSignal,
  restSeconds: number,
): Promise<void> {
  const { chain, config } = deps
  for (let step = 0; step < STEPS_PER_RUN_MAX && !signal.aborted; step += 1) {
    const cursor = await takeCursor(deps.db, {
      chainId: chain.facts.chainId,
      vault: chain.facts.vault,
      startBlock: BigInt(config.FOLLOWER_START_BLOCK),
      holder: deps.instanceId,
      seconds: Math.max(LEASE_SECONDS_MIN, 3 * config.FOLLOWER_INTERVAL_SECONDS),
      restSeconds,
    })
    if (cursor === undefined || (cursor.isAtRest && step === 0)) return
    const head = await chain.head()
    await noticeDatabase(deps, { head, isStart: false })
    const { isCaughtUp, readUpTo, endsWait } = await readOn(deps, listener, cursor, head)
    await creditDue(deps, head)
    if (readUpTo !== null) {
      await compareCount(deps, readUpTo, async range => {
        const events = await chain.vaultEvents(range)
        await notify(listener, events)
        await deps.db.transaction(tx => keepEvents(deps, tx, bookable(deps, events)))
      })
    }
    if (endsWait) await listener.onCaughtUp?.()
    if (isCaughtUp) return
  }
}

/**
 * Result of reading. The vault's count can be compared at `readUpTo`. `endsWait`: the books have caught up after a
 * change of the database.
 */
type Read = { readonly isCaughtUp: boolean; readonly readUpTo: bigint | null; readonly endsWait: boolean }
const WAITS: Read = { isCaughtUp: true, readUpTo: null, endsWait: false }

/** Reads the next blocks. */
async function readOn(
  deps: FollowerDeps,
  listener: VaultListener,
  cursor: Cursor,
  head: Block,
): Promise<Read> {
  const { chain, db } = deps
  const startBlock = BigInt(deps.config.FOLLOWER_START_BLOCK)
  const confirmed = confirmedHeight(head, chain.facts)
  const gone = await findGone(deps, cursor)
  if (gone === null) return WAITS
  const range = nextRange({
    cursor: cursor.blockNumber,
    confirmed,
    startBlock,
    rereadBlocks: gone === 'none' ? REREAD_BLOCKS : REREAD_REORGANISED_BLOCKS,
    blocksMax: STEP_BLOCKS_MAX,
  })
  if (range === null) return WAITS

  const events = await chain.vaultEvents(range)
  const unread = { above: cursor.blockNumber, upTo: range.to }
  const recorded = await recordedBlocks(db, chain.facts, { above: range.from - 1n, upTo: range.to })
  const ahead = recorded.filter(({ number }) => number > cursor.blockNumber)
  const goneHere = await findGoneBlocks(chain, [...ahead, ...unseen(recorded, events, cursor)], range.from)
  const last = await chain.block(range.to)
  // The responding node is behind the one that returned the head, so its logs may be incomplete.
  if (last === null || goneHere === null) return WAITS

  await notify(listener, events)
  const settledBelow = cursor.blockNumber - REREAD_BLOCKS
  const above = gone === 'none' ? cursor.blockNumber : -1n
  await listener.onRead?.({ above, upTo: range.to, settledBelow })
  const isCaughtUp = range.to === confirmed
  const endsWait = await db.transaction(async tx => {
    await lockCursor(tx, chain.facts)
    if (!areAll(await recordedBlocks(tx, chain.facts, unread), ahead)) return null
    await keepEvents(deps, tx, bookable(deps, events))
    await raiseReorganised(deps, tx, goneHere)
    if (gone !== 'none') {
      await raiseReorganised(deps, tx, gone)
      await forgetAgreed(tx, chain.facts)
    }
    const isMoved = await moveCursor(tx, { ...chain.facts, from: cursor, to: last, isNewest: isCaughtUp })
    return isMoved && isCaughtUp && (await noteFollowed(tx, last))
  })
  // A payment was credited ahead of the cursor in the meantime: the next run looks whether its block is still there.
  if (endsWait === null) return WAITS
  return { isCaughtUp, readUpTo: isCaughtUp ? confirmed : null, endsWait }
}

/** Returns the recorded blocks up to the cursor without any of the events that were read: one node was on a fork. */
const unseen = (
  recorded: readonly RecordedBlock[],
  events: readonly VaultEvent[],
  { blockNumber }: Cursor,
): RecordedBlock[] =>
  recorded.filter(
    ({ number, hash }) => number <= blockNumber && !events.some(({ blockHash }) => blockHash === hash),
  )

const areAll = (blocks: readonly RecordedBlock[], known: readonly RecordedBlock[]): boolean =>
  blocks.every(({ hash }) => known.some(block => block.hash === hash))

/** Passes redemptions to the listener. */
async function notify(listener: VaultListener, events: readonly VaultEvent[]): Promise<void> {
  const withdrawn = events.filter(event => event.kind === 'withdrawn')
  if (withdrawn.length > 0) await listener.onWithdrawn(withdrawn)
}

/**
 * Returns the recorded blocks below the required confirmations that a reorganisation removed; `none` if the block of
 * the cursor is still on the chain; null if the node is behind.
 */
async function findGone(deps: FollowerDeps, cursor: Cursor): Promise<RecordedBlock[] | 'none' | null> {
  if (cursor.blockHash === null) return 'none'
  const { blockNumber: upTo, blockHash: was } = cursor
  const block = await deps.chain.block(upTo)
  if (block === null) return null
  if (block.hash === was) return 'none'
  deps.log.error(
    { height: upTo.toString(), was, is: block.hash },
    'the chain was reorganised below the required confirmations; reading again',
  )
  const recorded = await recordedBlocks(deps.db, deps.chain.facts, { above: -1n, upTo })
  return findGoneBlocks(deps.chain, recorded, upTo - REREAD_BLOCKS)
}

/** Returns the deposits whose amounts fit the books; logs the others. */
function bookable(deps: Pick<Deps, 'log'>, events: readonly VaultEvent[]): DepositedEvent[] {
  const deposited = events.filter(event => event.kind === 'deposited')
  return deposited.filter(event => {
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
  // The deposits of a wallet in a transaction are credited as one.
  for (const group of Map.groupBy(due, row => `${row.wallet} ${row.txHash}`).values()) {
    const [first] = group
    if (first === undefined) continue
    const { wallet, txHash, blockNumber: number, blockHash: hash } = first
    const block = await chain.block(number)
    if (block === null) continue
    if (block.hash !== hash) {
      // Reading decides whether it is gone: this may be one wrong answer of a node.
      log.warn(
        { txHash, height: number.toString() },
        'the block of a deposit is not on the chain: no credit yet',
      )
      continue
    }
    if (!(await isOnChain(deps, first, group))) continue
    const confirmations = confirmationsAt(head, number)
    try {
      await creditDeposits(deps, { chainId, wallet, txHash, confirmations, events: group })
    } catch (error) {
      // It stays due. A deposit that cannot be posted must not block the others.
      log.error({ txHash, wallet, err: error }, 'a deposit could not be credited and will be retried')
    }
  }
}

/** Returns true if a transaction has the recorded deposits of a wallet, each with its amount; else logs them. */
async function isOnChain(
  { chain, log }: FollowerDeps,
  { txHash, wallet }: Pick<VaultDepositRow, 'txHash' | 'wallet'>,
  rows: readonly VaultDepositRow[],
): Promise<boolean> {
  const receipt = await chain.receipt(txHash)
  if (receipt === null) return false
  const isWhole = rows.every(row =>
    receipt.events.some(
      event =>
        event.kind === 'deposited' &&
        event.logIndex === row.logIndex &&
        event.owner === wallet &&
        event.amount === row.amount,
    ),
  )
  if (!isWhole) log.error({ txHash, wallet }, 'a recorded deposit is not the one on the chain: no credit')
  return isWhole
}
