import type { Usdc } from '@farebox/money'
import { GatewayError } from '@farebox/wire/errors'
import { LRUCache } from 'lru-cache'
import type { Deps, Queryable, Tx } from '../../ports.ts'
import { writeTogether } from '../../write-part.ts'
import { type Announcement, announce } from '../webhooks/announce.ts'
import type { Admission, HoldRequest } from './admit.ts'
import { assumeWorld, type Batch, batchOf, bytesOf, type Item, readWorld, type World } from './call-batch.ts'
import { createCallMemory } from './call-memory.ts'
import { type Decision, decideBatch, type Outcome, type Settled } from './decide-batch.ts'
import { createGroupCommit } from './group-commit.ts'
import type { Settlement } from './rules.ts'
import { shedCall } from './shed-call.ts'
import { tellSettled } from './tell-metrics.ts'
import type { RoomBounds } from './waiting-room.ts'

export type { Settled } from './decide-batch.ts'

/** Announcements of which only the first is told, remembered for a while: refusals come by the thousand. */
const TOLD_MAX = 10_000
const TOLD_MS = 60_000

const HIT = { result: 'hit' } as const
const MISS = { result: 'miss' } as const
const WRONG = { result: 'wrong' } as const
const UNFIT = { result: 'unfit' } as const
const READ = { how: 'read' } as const
const REMEMBERED = { how: 'remembered' } as const

/** The two steps of a paid call that touch money. */
export type CallLedger = {
  /**
   * Why a call of an owner would be shed now, counted as shed; null when there is room for it. Whoever asks before a
   * request is read saves the reading.
   */
  shed(owner: string): GatewayError | null
  /** Calls that wait to be admitted. */
  waiting(): number
  /** Admits a call and holds its money, or says why not. */
  hold(request: HoldRequest): Promise<Admission>
  /** Ends a call: captures or releases. Exactly one settlement of a call is `settled`, all others have `lost`. */
  settle(settlement: Settlement): Promise<Settled>
  /**
   * Settles in a transaction of its own, in which `before` runs first; when the settlement has `lost`, nothing of
   * that is kept.
   */
  settleAfter(settlement: Settlement, before: (tx: Tx) => Promise<void>): Promise<Settled>
  /** Resolves when nothing is under way. */
  idle(): Promise<void>
}

/** A decision that was sent. Its version is known once it is committed; null when there was nothing to write. */
type Sent = { readonly decision: Decision; readonly version: Promise<string> | null }

/**
 * Holds and settlements of all calls share one stream of batches: on a hot owner both need the same rows, and two
 * streams would only wait for each other (docs/adr/0002).
 *
 * A batch on rows that this gateway wrote last is decided on what it remembers of them, and is one statement, which
 * checks that the memory was right (docs/adr/0005). Any other is decided on what it reads.
 *
 * @param deps.batchDb connections for set-based statements
 * @param options.monthlyDefault spending cap of owners who have set none, in micro-USDC
 * @param options.lowBalance     owners are told when their balance goes below it, in micro-USDC
 * @param options.room           how many calls may wait to be admitted, and for how long (docs/adr/0007)
 */
export function createCallLedger(
  deps: Pick<Deps, 'batchDb' | 'databaseLosses' | 'ids' | 'clock' | 'instanceId' | 'metrics'> & {
    readonly config: Pick<Deps['config'], 'PLATFORM_FEE_BPS'>
  },
  options: { monthlyDefault: Usdc; lowBalance: Usdc; lanes: number; room: RoomBounds },
): CallLedger {
  const { batchDb, metrics, instanceId } = deps
  const { monthlyDefault, lowBalance, lanes, room } = options
  const feeBps = deps.config.PLATFORM_FEE_BPS
  const memory = createCallMemory(deps)
  const told = new LRUCache<string, true>({ max: TOLD_MAX, ttl: TOLD_MS })
  const isNews = ({ onceKey }: Announcement) => onceKey === undefined || !told.has(onceKey)
  const decide = (batch: Batch, world: World) =>
    decideBatch({ batch, world, instanceId, feeBps, lowBalance, isNews })

  /** Sends what was decided. In a transaction that is over with it, it travels with the COMMIT. */
  const send = (on: Queryable, decision: Decision): Sent => {
    const version = decision.writes.length === 0 ? null : write(on, decision)
    // In a transaction it is not awaited: that reports the statement that fails.
    version?.catch(() => undefined)
    return { decision, version }
  }
  const sendWithNews = (tx: Tx, decision: Decision): Sent => {
    const sent = send(tx, decision)
    announce(deps, tx, decision.news).catch(() => undefined)
    return sent
  }
  const sendAlone = async (decision: Decision): Promise<Sent> =>
    decision.news.length === 0
      ? send(batchDb, decision)
      : batchDb.transaction(async tx => sendWithNews(tx, decision))
  const readAndSend = (batch: Batch): Promise<Sent> =>
    batchDb.transaction(async tx => {
      const world = await readWorld(tx, batch, monthlyDefault)
      if (batch.credentialIds.size > 0) memory.learn(world.budgets)
      return sendWithNews(tx, decide(batch, world))
    })

  /** Keeps what follows of a batch once it is committed; forgets everything when it is not known to be. */
  const keep = async (sending: Promise<Sent>): Promise<readonly Outcome[]> => {
    try {
      const { decision, version } = await sending
      const written = await version
      for (const { onceKey } of decision.news) if (onceKey !== undefined) told.set(onceKey, true)
      if (written !== null) memory.keep(decision.seenAt(written))
      return decision.outcomes
    } catch (error) {
      memory.forget()
      throw error
    }
  }
  /**
   * Commits a batch on what is remembered.
   *
   * @returns null when it is to be decided on what is read: not everything is remembered, or not rightly
   */
  const commitRemembered = async (batch: Batch): Promise<readonly Outcome[] | null> => {
    const remembered = batch.isAssumable ? memory.recall(batch) : null
    if (remembered === null) {
      metrics.count('farebox_batch_memory_total', batch.isAssumable ? MISS : UNFIT)
      return null
    }
    const from = metrics.time()
    try {
      const decision = decide(batch, assumeWorld(batch, remembered))
      if (decision.isChecked) {
        const outcomes = await keep(sendAlone(decision))
        metrics.count('farebox_batch_memory_total', HIT)
        metrics.observe('farebox_batch_seconds', REMEMBERED, metrics.time() - from)
        return outcomes
      }
    } catch (error) {
      // A lost connection leaves open what became of it. Anything else has changed nothing, and is told by the batch
      // that reads, if it is more than a wrong memory.
      if (error instanceof GatewayError) throw error
    }
    metrics.count('farebox_batch_memory_total', WRONG)
    return null
  }
  const refused = (error: GatewayError): Admission => ({ kind: 'refused', rate: null, error })
  const group = createGroupCommit<Item, Outcome>({
    ...{ lanes, room, bytesOf, elapsed: deps.clock.elapsed },
    tooLate: () => refused(shedCall(metrics, { reason: 'late', waitMs: 0 })),
    onTurn: waitedMs => metrics.observe('farebox_hold_wait_seconds', {}, waitedMs / 1_000),
    async run(items) {
      const batch = batchOf(items)
      metrics.observe('farebox_batch_items', {}, items.length)
      const outcomes = await commitRemembered(batch)
      if (outcomes !== null) return outcomes
      const from = metrics.time()
      const read = await keep(readAndSend(batch))
      metrics.observe('farebox_batch_seconds', READ, metrics.time() - from)
      return read
    },
  })
  const counted = (settlement: Settlement, settled: Settled): Settled => {
    if (settled.kind === 'settled') tellSettled(metrics, settlement)
    return settled
  }
  const shed = (owner: string): GatewayError | null => {
    const refusal = group.refusalOf(owner)
    return refusal === null ? null : shedCall(metrics, refusal)
  }
  return {
    shed,
    waiting: group.waiting,
    async hold(request) {
      // Has had its turn: the service changed since its quote.
      if (request.counted !== null) return (await group.submitFirst({ hold: request })) as Admission
      const error = shed(request.owner)
      if (error !== null) return refused(error)
      return (await group.submit({ hold: request }, request.owner)) as Admission
    },
    settle: async settlement =>
      counted(settlement, (await group.submitFirst({ settle: settlement })) as Settled),
    settleAfter: (settlement, before) =>
      batchDb
        .transaction(async tx => {
          await before(tx)
          const batch = batchOf([{ settle: settlement }])
          const decision = decide(batch, await readWorld(tx, batch, monthlyDefault))
          const [settled] = decision.outcomes as [Settled]
          // This transaction is never tried again: what is settled already was settled by another.
          const isLost = settled.kind === 'lost' || !settled.isNew
          if (isLost) throw new Lost({ kind: 'lost', state: settled.kind === 'lost' ? settled.state : null })
          sendWithNews(tx, decision)
          return settled
        })
        .then(settled => counted(settlement, settled))
        .catch((error: unknown): Settled => {
          if (error instanceof Lost) return error.settled
          throw error
        }),
    idle: () => group.idle(),
  }
}

/** Writes a decision. @returns the version of what it writes */
async function write(on: Queryable, { writes }: Decision): Promise<string> {
  const [written] = await on.query<{ version: string }>(writeTogether(writes))
  if (written === undefined) throw new Error('The writes of a batch told nothing.')
  return written.version
}

/** Rolls a transaction back whose settlement came too late. */
class Lost extends Error {
  readonly settled: Settled
  constructor(settled: Settled) {
    super('Another settlement was first.')
    this.settled = settled
  }
}
