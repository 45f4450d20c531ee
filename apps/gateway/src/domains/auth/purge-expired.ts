import type { Deps } from '../../ports.ts'
import { deleteExpiredChallenges, deleteExpiredRevocations } from './store.ts'

const BATCH_ROWS = 1_000
const BATCHES_MAX = 50

/**
 * Deletes expired challenges, and revocations of sessions that have expired. Only saves disk space. Bounded per run;
 * the next run continues.
 *
 * @returns number of deleted rows
 */
export async function purgeExpired(
  deps: Pick<Deps, 'db' | 'clock'>,
): Promise<{ challenges: number; revocations: number }> {
  const now = new Date(deps.clock.now())
  return {
    challenges: await inBatches(() => deleteExpiredChallenges(deps.db, now, BATCH_ROWS)),
    revocations: await inBatches(() => deleteExpiredRevocations(deps.db, now, BATCH_ROWS)),
  }
}

async function inBatches(deleteBatch: () => Promise<number>): Promise<number> {
  let total = 0
  for (let batch = 0; batch < BATCHES_MAX; batch += 1) {
    const deleted = await deleteBatch()
    total += deleted
    if (deleted < BATCH_ROWS) break
  }
  return total
}
