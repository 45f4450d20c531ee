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
import { compareAll, keepOutcome, logBroken, type Reconciliation, reconcile } from './reconcile.ts'
import { type LastReconciliation, readLastReconciliation } from './reconcile-store.ts'
import { SETTLED_SECONDS, sumNext } from './sum-books.ts'

/** Maximum entries read by a regular check; beyond it they are summed step by step. */
const RECENT_ENTRIES_MAX = 2_000_000n
/** Maximum age of the sums before everything is summed again in the background. */
const SUMS_AGE_SECONDS_MAX = 86_400
/** Time per run for that, in ms. */
const SLOW_WORK_MS = 1_000
/** Maximum move of the regular sums per check: longer than any interval. */
const MOVE_SECONDS_MAX = 7 * 86_400
/** If the newest check is younger than this share of the interval, another gateway has made it. */
const FRESH_SHARE = 0.9
/** Maximum interval after a check that did not compare the chain: tickets wait for one that does. */
const RETRY_SECONDS = 5

type CheckDeps = Pick<Deps, 'db' | 'chain' | 'log' | 'clock'>

/** Parameters of the regular check; only tests differ from {@link USUAL}. */
type CheckOptions = {
  /** Calls drawn longer ago are all committed. */
  readonly settledSeconds: number
  /** Older sums are made again. */
  readonly sumsAgeSecondsMax: number
  /** Interval of checks, of all gateways together; 0: always check. */
  readonly everySeconds: number
}
const USUAL: CheckOptions = {
  settledSeconds: SETTLED_SECONDS,
  sumsAgeSecondsMax: SUMS_AGE_SECONDS_MAX,
  everySeconds: 0,
}

/**
 * Checks every invariant of everything that changed since the last check, at the cost of the changes: rows that were
 * consistent and untouched still are. Once a day everything is summed again in the background, one second at a time, to
 * find changes of old rows made outside of the gateway.
 *
 * While the newest outcome is a break of the books, or the sums are unreliable, everything is checked instead. Breaks
 * of counters alone are reported only after a full check confirmed them.
 *
 * Gateways on one database take turns: the first whose interval ends checks for all.
 *
 * @returns null if another gateway checked within the interval
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
  logBroken(deps, outcome)
  return (await checkSlowly(deps, how)) ?? outcome
}

function isFresh(last: LastReconciliation | null, { everySeconds }: CheckOptions): boolean {
  if (last === null) return false
  const pause = last.isCompared ? everySeconds : Math.min(everySeconds, RETRY_SECONDS)
  return !isAhead(last) && last.ageSeconds < pause * FRESH_SHARE
}

/** Returns true if the database's clock was set back since a check. Calls since then seem to be in the sums. */
const isAhead = ({ ageSeconds }: LastReconciliation): boolean => ageSeconds < 0

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
    if (last !== null && (last.isBroken || isAhead(last))) return 'check everything'
    if (!isFit(live, upTo)) return 'check everything'
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

/** Returns true if a check can continue from a checkpoint. */
function isFit({ drawnBefore, isXidFit, entryId }: Checkpoint, upTo: bigint): boolean {
  return drawnBefore !== null && isXidFit && upTo - entryId < RECENT_ENTRIES_MAX
}

/**
 * Continues the full summing for a while; starts it if the live sums are old.
 *
 * @returns the outcome, if it finished
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
