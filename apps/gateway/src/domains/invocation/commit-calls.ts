import type { Usdc } from '@farebox/money'
import { GatewayError } from '@farebox/wire/errors'
import { LRUCache } from 'lru-cache'
import type { Deps, Tx } from '../../ports.ts'
import type { RememberedBudgets } from '../credentials/draw-budgets.ts'
import type { RememberedBooks } from '../ledger/lock-books.ts'
import { type Announcement, announce } from '../webhooks/announce.ts'
import { type Admission, admit, type HoldRequest } from './admit.ts'
import { announcementsOf } from './announcement-rules.ts'
import {
  assumeWorld,
  type Batch,
  batchOf,
  endMovements,
  type Item,
  readWorld,
  type World,
} from './call-batch.ts'
import { createCallMemory } from './call-memory.ts'
import { createGroupCommit } from './group-commit.ts'
import {
  type AwaitedCall,
  insertMetered,
  insertRecordings,
  writeAwaited,
  writeMeteredEnds,
} from './metered-store.ts'
import { canBecome, type Settlement } from './rules.ts'
import { type CallState, type EndedCall, type HeldCall, insertHeld, writeSettled } from './store.ts'
import { tellSettled } from './tell-metrics.ts'

/** Announcements of which only the first is told, remembered for a while: refusals come by the thousand. */
const TOLD_MAX = 10_000
const TOLD_MS = 60_000

const HIT = { result: 'hit' } as const
const MISS = { result: 'miss' } as const
const WRONG = { result: 'wrong' } as const
const UNFIT = { result: 'unfit' } as const
const READ = { how: 'read' } as const
const REMEMBERED = { how: 'remembered' } as const

/** Whether a settlement was the one that ended its call. */
export type Settled =
  | { readonly kind: 'settled'; readonly isNew: boolean }
  | { readonly kind: 'lost'; readonly state: CallState | null }

type Outcome = Admission | Settled

/** The two steps of a paid call that touch money. */
export type CallLedger = {
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

/**
 * Holds and settlements of all calls share one stream of batches: on a hot owner both need the same rows, and two
 * streams would only wait for each other (docs/adr/0002).
 *
 * A batch on rows that this gateway wrote last is decided on what it remembers of them, and takes one round trip; the
 * database says with the COMMIT whether the memory was right (docs/adr/0005). Any other is decided on what it reads.
 *
 * @param deps.batchDb connections for set-based statements
 * @param options.monthlyDefault spending cap of owners who have set none, in micro-USDC
 * @param options.lowBalance     owners are told when their balance goes below it, in micro-USDC
 */
export function createCallLedger(
  deps: Pick<Deps, 'batchDb' | 'ids' | 'clock' | 'instanceId' | 'metrics'>,
  options: { monthlyDefault: Usdc; lowBalance: Usdc; lanes: number },
): CallLedger {
  const { batchDb, metrics } = deps
  const { monthlyDefault, lowBalance, lanes } = options
  const memory = createCallMemory(deps.clock)
  const told = new LRUCache<string, true>({ max: TOLD_MAX, ttl: TOLD_MS })
  const isNews = ({ onceKey }: Announcement) => onceKey === undefined || !told.has(onceKey)
  const decideAll = (tx: Tx, batch: Batch, world: World) =>
    decideAndWrite(tx, { ...deps, batch, world, lowBalance, isNews })

  const commit = async (batch: Batch, worldOf: (tx: Tx) => World | Promise<World>): Promise<Outcome[]> => {
    try {
      const { outcomes, seen, news } = await batchDb.transaction(async tx =>
        decideAll(tx, batch, await worldOf(tx)),
      )
      for (const { onceKey } of news) if (onceKey !== undefined) told.set(onceKey, true)
      const kept = await seen
      if (kept !== null) memory.keep(kept)
      return outcomes
    } catch (error) {
      if (!(error instanceof Unchecked)) memory.forget()
      throw error
    }
  }
  const read = async (tx: Tx, batch: Batch): Promise<World> => {
    const world = await readWorld(tx, batch, monthlyDefault)
    if (batch.credentialIds.size > 0) memory.learnTime(world.budgets.now)
    return world
  }
  const group = createGroupCommit<Item, Outcome>({
    lanes,
    async run(items) {
      const batch = batchOf(items)
      const remembered = batch.isAssumable ? memory.recall(batch) : null
      let from = metrics.time()
      metrics.observe('farebox_batch_items', {}, items.length)
      if (remembered !== null) {
        try {
          const outcomes = await commit(batch, tx => assumeWorld(tx, batch, remembered))
          metrics.count('farebox_batch_memory_total', HIT)
          metrics.observe('farebox_batch_seconds', REMEMBERED, metrics.time() - from)
          return outcomes
        } catch (error) {
          // A lost connection leaves open what became of it. Anything else has changed nothing, and is told by the
          // batch that reads, if it is more than a wrong memory.
          if (error instanceof GatewayError) throw error
          metrics.count('farebox_batch_memory_total', WRONG)
          from = metrics.time()
        }
      } else metrics.count('farebox_batch_memory_total', batch.isAssumable ? MISS : UNFIT)
      const outcomes = await commit(batch, tx => read(tx, batch))
      metrics.observe('farebox_batch_seconds', READ, metrics.time() - from)
      return outcomes
    },
  })
  const counted = (settlement: Settlement, settled: Settled): Settled => {
    if (settled.kind === 'settled') tellSettled(metrics, settlement)
    return settled
  }
  return {
    hold: async request => (await group.submit({ hold: request })) as Admission,
    settle: async settlement => counted(settlement, (await group.submit({ settle: settlement })) as Settled),
    settleAfter: (settlement, before) =>
      batchDb
        .transaction(async tx => {
          await before(tx)
          const batch = batchOf([{ settle: settlement }])
          const world = await readWorld(tx, batch, monthlyDefault)
          const { outcomes } = decideAll(tx, batch, world)
          const [settled] = outcomes as [Settled]
          // This transaction is never tried again: what is settled already was settled by another.
          const isLost = settled.kind === 'lost' || !settled.isNew
          if (isLost) throw new Lost({ kind: 'lost', state: settled.kind === 'lost' ? settled.state : null })
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

/** Rolls a transaction back whose settlement came too late. */
class Lost extends Error {
  readonly settled: Settled
  constructor(settled: Settled) {
    super('Another settlement was first.')
    this.settled = settled
  }
}

/** Ends a transaction that was assumed, but would not write, and so not check, every row. */
class Unchecked extends Error {}

type Seen = { readonly budgets: RememberedBudgets; readonly books: RememberedBooks }

/**
 * Decides in memory, settlements first, since they only give room, and sends all writes; they travel with the COMMIT.
 *
 * @returns the outcomes in the order of the items, what the rows are like once it is committed, and what was announced
 */
function decideAndWrite(
  tx: Tx,
  input: Pick<Deps, 'ids' | 'instanceId'> & {
    batch: Batch
    world: World
    lowBalance: Usdc
    isNews: (announcement: Announcement) => boolean
  },
): { outcomes: Outcome[]; seen: Promise<Seen | null>; news: readonly Announcement[] } {
  const { batch, world, instanceId, lowBalance: threshold } = input
  const { budgets, books } = world
  const settled = batch.settlements.map(settlement => decideSettlement(world, settlement))
  const admissions = admit(world, batch.holds)

  const held = batch.holds.flatMap((request, index) => {
    const admission = admissions[index]
    const { quote } = request
    if (admission?.kind !== 'held' || !admission.isNew || quote instanceof Error) return []
    return [{ ...request, quote, drawnAt: admission.drawnAt }]
  })
  const changed = batch.settlements.filter((_, index) => {
    const outcome = settled[index]
    return outcome?.kind === 'settled' && outcome.isNew
  })

  const isUnchecked = world.isAssumed && !(budgets.isAllWritten() && books.isAllWritten())
  if (isUnchecked) throw new Unchecked('Not every row that was assumed is written.')

  const [exhausted, fallen] = [budgets.exhausted(), books.fallenBelow(threshold)]
  const news = announcementsOf({ settlements: changed, exhausted, fallen, threshold }).filter(input.isNews)
  const version = budgets.write()
  const writes = [version, books.write(), ...writeHeld(tx, held, instanceId), ...writeChanged(tx, changed)]
  if (news.length > 0) writes.push(announce(input, tx, news))
  // Not awaited: they travel with the COMMIT, and the transaction itself reports the statement that fails.
  Promise.all(writes).catch(() => undefined)
  const seen = version.then(written =>
    written === null ? null : { budgets: budgets.remember(written), books: books.remember(written) },
  )
  seen.catch(() => undefined)

  const nextAdmission = admissions.values()
  const nextSettled = settled.values()
  const outcomes = batch.items.map(
    item => ('hold' in item ? nextAdmission : nextSettled).next().value as Outcome,
  )
  return { outcomes, seen, news }
}

function writeHeld(tx: Tx, held: readonly HeldCall[], instanceId: string): Promise<unknown>[] {
  return held.length === 0 ? [] : [insertHeld(tx, held, instanceId), insertMetered(tx, held)]
}

function writeChanged(tx: Tx, changed: readonly Settlement[]): Promise<unknown>[] {
  if (changed.length === 0) return []
  const ended = changed.flatMap((call): EndedCall[] => (call.status === 'PROCESSING' ? [] : [call]))
  const awaited = changed.flatMap((call): AwaitedCall[] => (call.status === 'PROCESSING' ? [call] : []))
  const writes = [insertRecordings(tx, changed)]
  if (ended.length > 0) writes.push(writeSettled(tx, ended), writeMeteredEnds(tx, ended))
  if (awaited.length > 0) writes.push(writeAwaited(tx, awaited))
  return writes
}

function decideSettlement(
  world: Pick<World, 'budgets' | 'books' | 'states'>,
  settlement: Settlement,
): Settled {
  const { budgets, books, states } = world
  const state = states.get(settlement.invocationId) ?? null
  // Done already: the COMMIT before went through although its answer was lost.
  const wasOurs = state?.status === settlement.status && state.errorCode === settlement.errorCode
  if (wasOurs) return { kind: 'settled', isNew: false }
  if (state?.status !== settlement.from || !canBecome(state.status, settlement.status)) {
    return { kind: 'lost', state }
  }
  // A call that waits for its usage keeps its hold, and its draw on the budgets.
  for (const movement of endMovements(settlement)) {
    const { credentialId, hold, charge, drawnAt } = settlement
    budgets.settle(credentialId, { hold, charge, drawnAt, keepsCall: settlement.status === 'SUCCEEDED' })
    if (!books.post(movement)) throw new Error(`The hold of ${settlement.invocationId} is not covered.`)
  }
  states.set(settlement.invocationId, { status: settlement.status, errorCode: settlement.errorCode })
  return { kind: 'settled', isNew: true }
}
