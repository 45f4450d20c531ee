import type { AnswerOf } from '@farebox/client'
import type { Tone } from '../../../ui/badge.tsx'

/** A service as its provider sees it. */
export type Service = AnswerOf<'listServices'>['services'][number]

/** Returns the label of a service's state, with an explanation. */
export function stateOf(service: Service): {
  readonly label: string
  readonly tone: Tone
  readonly hint: string
} {
  const { status, health } = service
  if (status === 'deleted') return { label: 'Deleted', tone: 'neutral', hint: 'Deleted permanently.' }
  if (status === 'suspended') {
    const reason = service.suspension?.reason ?? null
    const hint = `Suspended by the operator of this gateway${reason === null ? '.' : `: “${reason}”`}`
    return { label: 'Suspended', tone: 'bad', hint }
  }
  if (status === 'inactive') return { label: 'Off', tone: 'neutral', hint: 'It cannot be called.' }
  const states = {
    healthy: { label: 'Healthy', tone: 'good', hint: 'Every target responds.' },
    degraded: {
      label: 'Degraded',
      tone: 'warn',
      hint: 'Some targets do not respond. Calls go to the others.',
    },
    unhealthy: {
      label: 'Down',
      tone: 'bad',
      hint: 'No target responds. The service is not listed until one does.',
    },
    unknown: { label: 'Not probed yet', tone: 'info', hint: 'Waiting for the first probe.' },
  } as const
  return states[health.overallStatus]
}

/** Returns true if its provider should do something about a service. */
export const needsAttention = (service: Service): boolean => urgencyOf(service) > 0

/** Sorts services that need attention before the others, without changing the order otherwise. */
export const byUrgency = (one: Service, other: Service): number => urgencyOf(other) - urgencyOf(one)

function urgencyOf({ status, health: { overallStatus } }: Service): number {
  if (status === 'suspended') return 2
  if (status !== 'active') return 0
  return { unhealthy: 3, degraded: 1, healthy: 0, unknown: 0 }[overallStatus]
}

const probeReasons: Readonly<Record<string, string>> = {
  timeout: 'Timed out',
  connect: 'Connection failed',
  reset: 'Connection closed',
  redirect: 'Redirects are not followed',
  blocked_address: 'The address is not allowed',
  too_large: 'The response is too large',
  encoding: 'The response cannot be read',
  stopping: 'The gateway was stopping',
}

/** Describes the result of a probe. */
export function describeProbe(found: {
  readonly httpStatus: number | null
  readonly reason: string | null
}): string {
  if (found.reason !== null) return probeReasons[found.reason] ?? found.reason
  return found.httpStatus === null ? 'No response' : `HTTP ${found.httpStatus}`
}

/** Returns the host and path of a target. */
export function targetLabel(url: string): string {
  return url.replace(/^https?:\/\//, '').replace(/\/$/, '')
}
