import type { Deps } from '../../ports.ts'
import {
  beginCheckpoint,
  type Checkpoint,
  clearAway,
  findSlow,
  keepCompared,
  lockChecks,
  moveOn,
  readLive,
  settledEntryId,
  sumEntries,
} from './checkpoint-store.ts'
import { areOfCounters, compare } from './compare-store.ts'
import {
  compareAll,
  compareReserves,
  keepOutcome,
  type Reconciliation,
  type Reserves,
  reconcile,
  tellBroken,
} from './reconcile.ts'
import { readLastReconciliation } from './reconcile-store.ts'
import { SETTLED_SECONDS, sumNext } from './sum-books.ts'

/** Entries that a regular check reads at most; more than that is summed step by step. */
const RECENT_ENTRIES_MAX = 2_000_000n
/** How old the sums may get before all is summed anew, in the background. */
const SUMS_AGE_SECONDS_MAX = 86_400
/** How long one run works on that, in ms. */
const SLOW_WORK_MS = 1_000
/** How far the regular sums move on in one check: further than any pause between two. */
const MOVE_SECONDS_MAX = 7 * 86_400

type CheckDeps = Pick<Deps, 'db' | 'chain' | 'log' | 'clock'>

/**
 * The regular check: every invariant, of all that has changed since the check before, at the cost of what has changed.
 * What was in order then, and has not been touched by any transaction since, is in order now. Once a day everything is
 * summed anew beside it, a second of work at a time, which finds what was changed past the gateway in what is old.
 *
 * While the newest outcome is a break, and wherever the sums cannot be relied on, everything is checked instead. Breaks
 * of counters alone bind no money: they are told once a check of everything has confirmed them.
 *
 * @param options for tests
 */
export async function reconcileRecent(
  deps: CheckDeps,
  options: { settledSeconds: number; sumsAgeSecondsMax: number } = {
    settledSeconds: SETTLED_SECONDS,
    sumsAgeSecondsMax: SUMS_AGE_SECONDS_MAX,
  },
): Promise<Reconciliation> {
  const outcome = await checkRecent(deps, await compareReserves(deps), options)
  if (outcome === null) return reconcile(deps, undefined, options)
  tellBroken(deps, outcome)
  return (await checkSlowly(deps, options)) ?? outcome
}

/** Null when everything has to be checked. */
async function checkRecent(
  { db }: CheckDeps,
  reserves: Reserves,
  { settledSeconds }: { settledSeconds: number },
): Promise<Reconciliation | null> {
  const settled = await settledEntryId(db)
  return db.transaction(async tx => {
    await lockChecks(tx)
    const [live, last] = await Promise.all([readLive(tx), readLastReconciliation(tx)])
    const isDoubted = last !== null && !last.consistent
    const upTo = settled ?? live.entryId
    if (isDoubted || !isFit(live, upTo)) return null
    const { findings, sinceXid } = await compare(tx, live, 'what-changed')
    if (findings.length > 0) {
      return areOfCounters(findings) ? null : keepOutcome(tx, { broken: findings, reserves })
    }
    let isSummed = false
    while (!isSummed) isSummed = await sumEntries(tx, live.id, upTo)
    await moveOn(tx, live.id, { settledSeconds, secondsMax: MOVE_SECONDS_MAX })
    await keepCompared(tx, live.id, sinceXid)
    return keepOutcome(tx, { broken: [], reserves })
  })
}

/** Whether a check can go on from a checkpoint. */
function isFit({ drawnBefore, isXidFit, entryId }: Checkpoint, upTo: bigint): boolean {
  return drawnBefore !== null && isXidFit && upTo - entryId < RECENT_ENTRIES_MAX
}

/**
 * Goes on with summing everything anew, for a while; begins when the live sums are old.
 *
 * @returns the outcome, when it has come to one
 */
async function checkSlowly(
  deps: CheckDeps,
  options: { settledSeconds: number; sumsAgeSecondsMax: number },
): Promise<Reconciliation | null> {
  const { db, clock } = deps
  const id = (await findSlow(db)) ?? (await beginWhenDue(deps, options))
  if (id === null) return null
  const until = clock.elapsed() + SLOW_WORK_MS
  while (!(await sumNext(deps, id, options))) if (clock.elapsed() > until) return null
  try {
    return await compareAll(deps, id, await compareReserves(deps))
  } finally {
    await clearAway(db, id)
  }
}

async function beginWhenDue(
  { db }: CheckDeps,
  options: { settledSeconds: number; sumsAgeSecondsMax: number },
): Promise<bigint | null> {
  await clearAway(db, null)
  const { ageSeconds } = await readLive(db)
  return ageSeconds < options.sumsAgeSecondsMax ? null : beginCheckpoint(db, { ...options, isSlow: true })
}
