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
  if (status === 'suspended')
    return { label: 'Suspended', tone: 'bad', hint: 'The operator of this gateway has suspended it.' }
  if (status === 'inactive') return { label: 'Off', tone: 'neutral', hint: 'It cannot be called.' }
  const states = {
    healthy: { label: 'Healthy', tone: 'good', hint: 'Every target answers.' },
    degraded: { label: 'Degraded', tone: 'warn', hint: 'Some targets do not answer; the others are called.' },
    unhealthy: { label: 'Down', tone: 'bad', hint: 'No target answers: it is not listed until one does.' },
    unknown: { label: 'Not probed yet', tone: 'info', hint: 'Waiting for the first probe.' },
  } as const
  return states[health.overallStatus]
}

const probeReasons: Readonly<Record<string, string>> = {
  timeout: 'No answer in time',
  connect: 'Nothing answers at this address',
  reset: 'The connection was cut',
  redirect: 'Redirects are not followed',
  blocked_address: 'Its address is not allowed',
  too_large: 'The answer is too large',
  encoding: 'The answer cannot be read',
  stopping: 'The gateway was stopping',
}

/** Describes the result of a probe. */
export function describeProbe(found: {
  readonly httpStatus: number | null
  readonly reason: string | null
}): string {
  if (found.reason !== null) return probeReasons[found.reason] ?? found.reason
  return found.httpStatus === null ? 'No answer' : `HTTP ${found.httpStatus}`
}

/** Returns the host and path of a target. */
export function targetLabel(url: string): string {
  return url.replace(/^https?:\/\//, '').replace(/\/$/, '')
}
