import type { Deps } from '../../ports.ts'
import { inBatches } from '../../sql/in-batches.ts'
import { deleteExpiredChallenges, deleteExpiredRevocations } from './store.ts'

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
    challenges: await inBatches(limit => deleteExpiredChallenges(deps.db, now, limit)),
    revocations: await inBatches(limit => deleteExpiredRevocations(deps.db, now, limit)),
  }
}
