import type { Deps } from '../../../ports.ts'
import { compareNewSeals } from '../proof/check-seals.ts'
import { keepSealMark } from '../proof/seal-store.ts'
import { compareNewLog } from './check-log.ts'
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
import { compareReserves, type Reserves } from './compare-vault.ts'
import { compareAll, keepOutcome, type Reconciliation, reconcile, tellBroken } from './reconcile.ts'
import { type LastReconciliation, readLastReconciliation } from './reconcile-store.ts'
import { SETTLED_SECONDS, sumNext } from './sum-books.ts'

/** Entries that a regular check reads at most; more than that is summed step by step. */
const RECENT_ENTRIES_MAX = 2_000_000n
/** How old the sums may get before all is summed anew, in the background. */
const SUMS_AGE_SECONDS_MAX = 86_400
/** How long one run works on that, in ms. */
const SLOW_WORK_MS = 1_000
/** How far the regular sums move on in one check: further than any pause between two. */
const MOVE_SECONDS_MAX = 7 * 86_400
/** A check that is younger than this part of the pause between two is that of another gateway. */
const FRESH_SHARE = 0.9
/** Longest pause after a check that did not compare the chain: tickets wait for one that does. */
const RETRY_SECONDS = 5

type CheckDeps = Pick<Deps, 'db' | 'chain' | 'log' | 'clock'>

/** How the regular check goes about it; other than {@link USUAL} for tests. */
type CheckOptions = {
  /** Calls drawn longer ago are all committed. */
  readonly settledSeconds: number
  /** Older sums are made anew. */
  readonly sumsAgeSecondsMax: number
  /** Pause between two checks, of all gateways together; 0: there is always one to be made. */
  readonly everySeconds: number
}
const USUAL: CheckOptions = {
  settledSeconds: SETTLED_SECONDS,
  sumsAgeSecondsMax: SUMS_AGE_SECONDS_MAX,
  everySeconds: 0,
}

/**
 * The regular check: every invariant, of all that has changed since the check before, at the cost of what has changed.
 * What was in order then, and has not been touched by any transaction since, is in order now. Once a day everything is
 * summed anew beside it, a second of work at a time, which finds what was changed past the gateway in what is old.
 *
 * While the newest outcome is a break of the books, and wherever the sums cannot be relied on, everything is checked instead. Breaks
 * of counters alone bind no money: they are told once a check of everything has confirmed them.
 *
 * Gateways on one database take turns: whose pause ends first checks, for all of them.
 *
 * @returns null when another gateway has checked within the pause
 */
export async function reconcileRecent(
  deps: CheckDeps,
  options: Partial<CheckOptions> = {},
): Promise<Reconciliation | null> {
  const how = { ...USUAL, ...options }
  if (isFresh(await readLastReconciliation(deps.db), how)) return null
  const outcome = await checkRecent(deps, await compareReserves(deps), how)
  if (outcome === 'done by another') return null
  if (outcome === 'check everything') return reconcile(deps, undefined, how)
  tellBroken(deps, outcome)
  return (await checkSlowly(deps, how)) ?? outcome
}

function isFresh(last: LastReconciliation | null, { everySeconds }: CheckOptions): boolean {
  if (last === null) return false
  const pause = last.isCompared ? everySeconds : Math.min(everySeconds, RETRY_SECONDS)
  return last.ageSeconds < pause * FRESH_SHARE
}

async function checkRecent(
  { db }: CheckDeps,
  reserves: Reserves,
  how: CheckOptions,
): Promise<Reconciliation | 'check everything' | 'done by another'> {
  const { settledSeconds } = how
  const settled = await settledEntryId(db)
  return db.transaction(async tx => {
    await lockChecks(tx)
    const [live, last] = await Promise.all([readLive(tx), readLastReconciliation(tx)])
    if (isFresh(last, how)) return 'done by another'
    const upTo = settled ?? live.entryId
    if (last?.isBroken === true || !isFit(live, upTo)) return 'check everything'
    const { findings, sinceXid } = await compare(tx, live, 'what-changed')
    const seals = await compareNewSeals(tx, live.id)
    const broken = [...findings, ...seals.findings, ...(await compareNewLog(tx, live.id))]
    if (broken.length > 0) {
      return areOfCounters(broken) ? 'check everything' : keepOutcome(tx, { broken, reserves })
    }
    await keepSealMark(tx, live.id, seals.mark)
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
async function checkSlowly(deps: CheckDeps, options: CheckOptions): Promise<Reconciliation | null> {
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

async function beginWhenDue({ db }: CheckDeps, options: CheckOptions): Promise<bigint | null> {
  await clearAway(db, null)
  const { ageSeconds } = await readLive(db)
  return ageSeconds < options.sumsAgeSecondsMax ? null : beginCheckpoint(db, { ...options, isSlow: true })
}
