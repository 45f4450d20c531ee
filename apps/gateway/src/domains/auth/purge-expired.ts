import type { Deps } from '../../ports.ts'
import { deleteExpiredChallenges, deleteExpiredRevocations } from './store.ts'

const BATCH_ROWS = 1_000
const BATCHES_MAX = 50

/**
 * Job: deletes challenges that expired, and revocations of sessions that have expired since. Nothing depends on
 * it but disk space. Bounded per run; what is left over is for the next one.
 *
 * @returns how many rows went
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
