import { formatUsdc, type Usdc } from '@farebox/money'
import { type TargetTraffic, TRAFFIC_GROUPS_MAX } from '@farebox/wire/traffic'
import type { Queryable } from '../../../ports.ts'
import { percentileOf } from './latency-rules.ts'
import { readAttempts, type TargetRow } from './target-store.ts'

/**
 * Returns the attempts at a provider's targets in a period, the most called first.
 *
 * @param query.provider in lower case
 * @returns amounts as wire strings
 */
export async function readTargets(
  db: Queryable,
  query: { provider: string; serviceId?: string | undefined; from: Date; to: Date },
): Promise<TargetTraffic[]> {
  const rows = await readAttempts(db, { ...query, limit: TRAFFIC_GROUPS_MAX })
  return rows.map(present)
}

function present({ bands: numbers, counts, earned, ...row }: TargetRow): TargetTraffic {
  const bands = Array.from({ length: (numbers.at(-1) ?? -1) + 1 }, () => 0)
  for (const [index, band] of numbers.entries()) bands[band] = counts[index] ?? 0
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map(share => percentileOf(bands, share))
  return {
    ...row,
    latencyMs: p50 == null || p95 == null || p99 == null ? null : { p50, p95, p99 },
    earnedUsdc: formatUsdc(earned as Usdc),
  }
}
