import type { GatewayError } from '@farebox/wire/errors'
import type { Tx } from '../../../ports.ts'
import type { Rate } from '../../credentials/draw-budgets.ts'
import { recordSettled } from '../record-metrics.ts'
import type { Settlement } from '../rules.ts'
import type { RoomBounds } from './admission-queue.ts'
import type { Admission, HoldRequest } from './admit.ts'
import { bytesOf, type CountedRequest, type Item } from './call-batch.ts'
import { createBatchCommitter, type LedgerDeps, type LedgerOptions } from './commit-batch.ts'
import type { Counted, Outcome, Settled } from './decide-batch.ts'
import { createGroupCommit } from './group-commit.ts'
import { shedCall } from './shed-call.ts'

export type { Settled } from './decide-batch.ts'

/** Holds and settles the money of paid calls. */
export type CallLedger = {
  /**
   * Returns the error that sheds the owner's next call, and counts it; null if there is room. Call it before reading
   * the request's body.
   */
  shed(owner: string): GatewayError | null
  /** Returns the number of queued calls. */
  waiting(): number
  /** Admits a call and holds its money, or returns the reason for the refusal. */
  hold(request: HoldRequest): Promise<Admission>
  /**
   * Counts a request other than a call against the rate limit of its credential, and returns the rate.
   * @throws GatewayError CREDENTIAL_INVALID, CREDENTIAL_INACTIVE, WALLET_SUSPENDED, RATE_LIMITED
   */
  count(request: CountedRequest): Promise<Rate>
  /** Ends a call with a capture or a release. Exactly one settlement of a call is `settled`; the others are `lost`. */
  settle(settlement: Settlement): Promise<Settled>
  /**
   * Settles in its own transaction, after `before` has run in it. The transaction is rolled back when the settlement is
   * `lost`.
   */
  settleAfter(settlement: Settlement, before: (tx: Tx) => Promise<void>): Promise<Settled>
  /** Resolves when no batch is queued or running. */
  idle(): Promise<void>
}

/**
 * Decides batches of holds and settlements on the state in memory and appends the decisions to the log. A decision
 * takes effect when it is appended, which requires that the head of its partition is still the row it was based on.
 *
 * Holds and settlements of all calls share one sequence of batches (docs/adr/0002). A batch is one statement while no
 * other gateway appends to its partitions. After a conflict, batches lock their partitions and read the tail of the log
 * first (docs/adr/0013).
 *
 * @param options.room      limits of the admission queue (docs/adr/0007)
 * @param options.afterTurn see {@link createGroupCommit}
 */
export function createCallLedger(
  deps: LedgerDeps,
  options: LedgerOptions & {
    readonly lanes: number
    readonly room: RoomBounds
    readonly afterTurn?: (run: () => void) => void
  },
): CallLedger {
  const { metrics, clock } = deps
  const ledger = createBatchCommitter(deps, options)
  const refused = (error: GatewayError): Admission => ({ kind: 'refused', rate: null, error })
  const group = createGroupCommit<Item, Outcome>({
    lanes: options.lanes,
    room: options.room,
    bytesOf,
    elapsed: clock.elapsed,
    tooLate: () => refused(shedCall(metrics, { reason: 'late', waitMs: 0 })),
    onTurn: waitedMs => metrics.observe('farebox_hold_wait_seconds', {}, waitedMs / 1_000),
    run: ledger.run,
    afterTurn: options.afterTurn,
  })
  const counted = (settlement: Settlement, settled: Settled): Settled => {
    if (settled.kind === 'settled') recordSettled(metrics, settlement)
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
      // It was already admitted to a batch: the service changed after its quote.
      if (request.counted !== null) return (await group.submitFirst({ hold: request })) as Admission
      const error = shed(request.owner)
      if (error !== null) return refused(error)
      return (await group.submit({ hold: request }, request.owner)) as Admission
    },
    async count(request) {
      const shedding = shed(request.owner)
      if (shedding !== null) throw shedding
      const outcome = (await group.submit({ count: request }, request.owner)) as
        | Counted
        | Extract<Admission, { kind: 'refused' }>
      if ('error' in outcome) throw outcome.error
      return outcome.rate
    },
    settle: async settlement =>
      counted(settlement, (await group.submitFirst({ settle: settlement })) as Settled),
    async settleAfter(settlement, before) {
      const settled = await ledger.settleAfter(settlement, before)
      return counted(settlement, settled)
    },
    idle: () => group.idle(),
  }
}
