import { z } from 'zod'
import { clamped, idOut, isoTime, type Output, success } from '../common.ts'
import { TARGETS_MAX } from './service-limits.ts'
import { serviceHealth, serviceRecord, targetUrlOut } from './services.ts'

/** Maximum number of probes returned for each target. */
const HISTORY_LIMIT_MAX = 500
/** Maximum age of the history, in hours: seven days. */
export const HISTORY_HOURS_MAX = 168

/** Query of `GET /services/:id/health/history`. */
export const healthHistoryQuery = z.object({
  limitPerTarget: clamped({ min: 1, max: HISTORY_LIMIT_MAX, absent: 100 }).meta({
    description: 'Maximum records per target, newest first.',
  }),
  hours: clamped({ min: 1, max: HISTORY_HOURS_MAX, absent: 24 }).meta({
    description: 'Length of the period, in hours.',
  }),
})

const healthStatus = z.enum(['healthy', 'unhealthy'])
const latencyMs = z.int().min(0).max(600_000)

/** Result of a probe of a target. */
export const healthProbe = z.object({
  status: healthStatus,
  latencyMs: latencyMs.meta({ description: 'Whole milliseconds; 0 where `source` is `traffic`.' }),
  checkedAt: isoTime,
  source: z.enum(['probe', 'traffic']).meta({
    description: '`probe`, the only source of health; `traffic` in older records.',
  }),
})
export type HealthProbe = Output<typeof healthProbe>

/** Answer of `GET /services/:id/health/history` and `GET /provider/services/:id/health`: newest first. */
export const healthHistory = z.object({
  status: success,
  serviceId: idOut('svc'),
  targets: z
    .array(z.object({ url: targetUrlOut, history: z.array(healthProbe).max(HISTORY_LIMIT_MAX) }))
    .max(TARGETS_MAX),
  history: z
    .array(healthProbe.extend({ url: targetUrlOut }))
    .max(TARGETS_MAX * HISTORY_LIMIT_MAX)
    .meta({ description: 'The same records of all targets in one list.' }),
})
export type HealthHistory = Output<typeof healthHistory>

/** Answer of `POST /services/:id/ping`: the result for each target, and the resulting state of the service. */
export const pingAnswer = z.object({
  status: success,
  serviceId: idOut('svc'),
  runtimeAvailable: z.boolean(),
  health: serviceHealth,
  targets: z
    .array(
      z.object({
        url: targetUrlOut,
        status: healthStatus,
        latencyMs,
        httpStatus: z
          .int()
          .min(100)
          .max(999)
          .nullable()
          .meta({ description: 'Status of the response; null if there was none.' }),
        reason: z
          .enum([
            'timeout',
            'connect',
            'reset',
            'redirect',
            'blocked_address',
            'too_large',
            'encoding',
            'stopping',
          ])
          .nullable()
          .meta({ description: 'Why there was no response, or why it was not read to its end.' }),
        checkedAt: isoTime,
      }),
    )
    .max(TARGETS_MAX),
  service: serviceRecord,
})
