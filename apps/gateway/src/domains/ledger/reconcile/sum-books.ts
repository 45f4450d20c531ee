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
 * Calls drawn longer ago than this are committed or never will be: no transaction of a gateway lasts as long
 * (statements may take 3 seconds, pauses 30). A longer one would show as a difference of counters.
 */
export const SETTLED_SECONDS = 40
/** Maximum move of the call sums per step. */
const STEP_SECONDS = 60
/** Maximum steps of one check; more than a database can need. */
const STEPS_MAX = 10_000_000
/** Maximum new entries at the final comparison, which reads them in one statement. */
const FRESH_ENTRIES_MAX = 500_000n

/** Sums everything into a checkpoint, step by step. */
export async function sumAll(
  deps: Pick<Deps, 'db'>,
  id: bigint,
  options: { settledSeconds: number },
): Promise<void> {
  for (let step = 1; step <= STEPS_MAX; step += 1) if (await sumNext(deps, id, options)) return
  throw new Error('The query of the newest entry returned no row.')
}

/**
 * Runs one step of the full summing: entries in order, then calls in order, then newer rows. In between, sealed entries
 * are hashed again and the log is compared with its projection.
 *
 * @returns true if the sums are recent enough for the comparison
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
