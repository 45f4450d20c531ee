import type { Deps } from '../../../ports.ts'
import { compareNextSeals } from '../proof/check-seals.ts'
import { compareNextLog } from './check-log.ts'
import {
  keepFindings,
  moveOn,
  readCheckpoint,
  settledEntryId,
  sumEntries,
  sweepCalls,
} from './checkpoint-store.ts'

/**
 * Calls drawn longer ago than this are all committed, or never will be: no transaction of a gateway lasts as long (its
 * statements may take 3 seconds, the pauses between them 30). One that did would make counters differ from the sums,
 * and so be found.
 */
export const SETTLED_SECONDS = 40
/** How far the sums of calls move on in one step. */
const STEP_SECONDS = 60
/** Steps of one check; more than a database can hold. */
const STEPS_MAX = 10_000_000
/** How much may be new, in entries, when all is compared: that is read in one statement. */
const FRESH_ENTRIES_MAX = 500_000n

/** Sums everything that there is into a checkpoint, step by step. */
export async function sumAll(
  deps: Pick<Deps, 'db'>,
  id: bigint,
  options: { settledSeconds: number },
): Promise<void> {
  for (let step = 1; step <= STEPS_MAX; step += 1) if (await sumNext(deps, id, options)) return
  throw new Error('The books have no end.')
}

/**
 * One step of summing everything: entries in order, then calls in order, then what has come meanwhile. What is sealed is
 * hashed anew between them, and the log compared with what is projected of it.
 *
 * @returns whether the sums are near enough to now to be compared
 */
export async function sumNext(
  { db }: Pick<Deps, 'db'>,
  id: bigint,
  { settledSeconds }: { settledSeconds: number },
): Promise<boolean> {
  const upTo = await settledEntryId(db)
  if (upTo !== null && !(await db.transaction(tx => sumEntries(tx, id, upTo)))) return false
  const areSealsCompared = await db.transaction(tx =>
    compareNextSeals(tx, id, findings => keepFindings(tx, id, findings)),
  )
  if (!areSealsCompared) return false
  const isLogCompared = await db.transaction(tx =>
    compareNextLog(tx, id, findings => keepFindings(tx, id, findings)),
  )
  if (!isLogCompared) return false
  if (!(await db.transaction(tx => sweepCalls(tx, id)))) return false
  const isNear = await db.transaction(tx => moveOn(tx, id, { settledSeconds, secondsMax: STEP_SECONDS }))
  const checkpoint = await readCheckpoint(db, id)
  const isFresh = upTo === null || checkpoint === undefined || upTo - checkpoint.entryId < FRESH_ENTRIES_MAX
  return isNear && isFresh
}
