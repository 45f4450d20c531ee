import { z } from 'zod'
import { strict } from '../strict.ts'
import { methodIn } from './service-limits.ts'

const PROBE_TIMEOUT_MS_MAX = 30_000
const PROBE_THRESHOLD_MAX = 10
const SUCCESS_CODES_MAX = 50
/** HTTP methods of probes. */
const PROBE_METHODS = ['GET', 'HEAD', 'POST', 'OPTIONS'] as const

/** A path that probes ask for at the origin of a target. */
export const probePath = z
  .string()
  .max(2_048)
  .regex(/^\/(?![/\\])[\x21-\x7e]*$/, 'Must be a path that starts with one slash.')

const probeThreshold = z.int().min(1).max(PROBE_THRESHOLD_MAX)
const probeFields = {
  path: probePath
    .optional()
    .meta({ description: "Relative to the origin of each target; absent: the target's own URL." }),
  timeoutMs: z.int().min(1).max(PROBE_TIMEOUT_MS_MAX).optional(),
  successCodes: z
    .array(z.int().min(100).max(599))
    .min(1)
    .max(SUCCESS_CODES_MAX)
    .optional()
    .meta({ description: 'Healthy status codes; default: all below 500.' }),
}

/** Configuration of probes in a manifest. */
export const healthCheck = strict({
  ...probeFields,
  method: methodIn(PROBE_METHODS).default('GET'),
  healthyThreshold: probeThreshold
    .default(1)
    .meta({ description: 'Consecutive successful probes until a target is healthy.' }),
  unhealthyThreshold: probeThreshold
    .default(1)
    .meta({ description: 'Consecutive failed probes until a target is unhealthy.' }),
})
/** Configuration of the probes of a service; `path` is relative to the origin of each target. */
export type HealthCheck = z.output<typeof healthCheck>

/** Configuration of probes as returned to the owner of the service. */
export const healthCheckOut = z.object({
  ...probeFields,
  method: z.enum(PROBE_METHODS),
  healthyThreshold: probeThreshold,
  unhealthyThreshold: probeThreshold,
})
