import type { Tx } from '../../ports.ts'
import { afterProbe } from './rules.ts'
import { lockTarget, writeProbe } from './target-store.ts'

/** What a probe of one target found. */
export type ProbeResult = {
  readonly serviceId: string
  readonly url: string
  readonly isSuccess: boolean
  readonly latencyMs: number
  readonly checkedAt: Date
  /** When the target is to be probed again, in seconds from now. */
  readonly nextInSeconds: number
}

/**
 * Takes the word of a probe: counts it against the thresholds of the service and says what the target is now.
 *
 * @returns null when the service has that target no more
 */
export async function markHealth(
  tx: Tx,
  probe: ProbeResult,
): Promise<{ isHealthy: boolean; isChanged: boolean } | null> {
  const before = await lockTarget(tx, probe)
  if (before === undefined) return null
  const after = afterProbe(before, probe.isSuccess, before)
  await writeProbe(tx, { ...probe, ...after })
  return { isHealthy: after.isHealthy, isChanged: after.isHealthy !== before.isHealthy }
}
