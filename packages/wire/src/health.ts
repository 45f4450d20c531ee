import { z } from 'zod'
import { clamped } from './common.ts'

/** Query of `GET /services/:id/health/history`. */
export const healthHistoryQuery = z.object({
  /** Newest probes told of each target. */
  limitPerTarget: clamped({ min: 1, max: 500, absent: 100 }),
  /** How far back, in hours. */
  hours: clamped({ min: 1, max: 168, absent: 24 }),
})

/** What a probe found. `latencyMs` is whole milliseconds, `checkedAt` ISO 8601 UTC. */
export type HealthProbe = {
  readonly status: 'healthy' | 'unhealthy'
  readonly latencyMs: number
  readonly checkedAt: string
}

/** Answer of `GET /services/:id/health/history`: newest first. */
export type HealthHistory = {
  readonly status: 'success'
  readonly serviceId: string
  readonly targets: readonly { readonly url: string; readonly history: readonly HealthProbe[] }[]
}
