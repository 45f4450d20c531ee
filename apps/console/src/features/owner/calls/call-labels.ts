import type { AnswerOf } from '@farebox/client'
import { upstreamReasons } from '@farebox/wire/error-messages'
import type { Tone } from '../../../ui/badge.tsx'

/** A call in the list. */
export type Call = AnswerOf<'listUsage'>['logs'][number]
/** A call with all its details. */
export type CallDetail = AnswerOf<'readInvocation'>

type State = { readonly label: string; readonly tone: Tone }
const states: Readonly<Record<Call['status'], State>> = {
  PENDING: { label: 'Running', tone: 'info' },
  PROCESSING: { label: 'Awaiting usage', tone: 'info' },
  SUCCEEDED: { label: 'Succeeded', tone: 'good' },
  FAILED_RETRYABLE: { label: 'Failed', tone: 'bad' },
  FAILED_FINAL: { label: 'Failed', tone: 'bad' },
}

/** Returns the label of a status. */
export function stateOfCall(status: string): State {
  return states[status as Call['status']] ?? { label: status, tone: 'neutral' }
}

/** Returns whether the status can still change. */
export const isOpen = (status: string): boolean => status === 'PENDING' || status === 'PROCESSING'

/** `842 ms`, `1.27 s`. */
export function formatLatency(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(2)} s`
}

/** Why a call failed and what its payer can do. */
export type Advice = { readonly why: string; readonly next: string }

const AGAIN = 'Call again with a new key. The key of this call returns the same error without a charge.'
const OTHERS: Readonly<Record<string, Advice>> = {
  GATEWAY_INTERRUPTED: {
    why: 'The gateway was interrupted during the call. It is unknown whether the provider completed it.',
    next: 'Call again with a new key if it is safe to repeat the call.',
  },
  SERVICE_NOT_FOUND: {
    why: 'The service became unavailable before the call was made.',
    next: 'Choose another service in the market.',
  },
}

/** Explains a failure by the status of the call and its error. */
export function adviseOn(status: string, error: Readonly<Record<string, unknown>>): Advice {
  const code = String(error.code ?? '')
  const known = OTHERS[code]
  if (known !== undefined) return known
  const reason = upstreamReasons[String(error.reason ?? '')]
  const reported = typeof error.message === 'string' ? error.message : `The call ended with ${code}.`
  const upstream =
    typeof error.upstreamStatus === 'number' ? ` It returned status ${error.upstreamStatus}.` : ''
  return {
    why: `${reason ?? reported}${upstream}`,
    next:
      status === 'FAILED_RETRYABLE'
        ? `It may succeed later. ${AGAIN}`
        : `The same call would probably fail again, so check the request first. ${AGAIN}`,
  }
}
