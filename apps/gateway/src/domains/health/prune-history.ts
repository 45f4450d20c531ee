import type { Deps } from '../../ports.ts'
import { pruneTable } from '../../sql/prune-in-steps.ts'
import { deletePingWindows } from './ping-store.ts'
import { deleteProbes } from './store.ts'

/** Time for which landmark probes (see the migration) are kept, in ms: seven days. */
const LANDMARKS_KEPT_MS = 7 * 86_400_000
/** Time for which other probes are kept, in ms: a day. */
const PASSING_KEPT_MS = 86_400_000

type PruneDeps = Pick<Deps, 'db' | 'clock' | 'metrics'>

/** Deletes outdated probes and counts of pings. Returns the number of probes. */
export async function pruneHistory(deps: PruneDeps, signal: AbortSignal): Promise<number> {
  const now = deps.clock.now()
  const passing = await prune(deps, { before: new Date(now - PASSING_KEPT_MS), landmarks: false }, signal)
  const landmarks = await prune(deps, { before: new Date(now - LANDMARKS_KEPT_MS), landmarks: true }, signal)
  await pruneTable(deps, { table: 'ping_windows' }, signal, limit => deletePingWindows(deps.db, { limit }))
  return passing + landmarks
}

function prune(
  deps: PruneDeps,
  which: { before: Date; landmarks: boolean },
  signal: AbortSignal,
): Promise<number> {
  return pruneTable(deps, { table: 'health_probes' }, signal, limit =>
    deleteProbes(deps.db, { ...which, limit }),
  )
}
