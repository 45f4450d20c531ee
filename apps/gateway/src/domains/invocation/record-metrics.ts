import type { GatewayError } from '@farebox/wire/errors'
import type { Metrics } from '../../ports.ts'
import type { LabelsOf, UpstreamTrouble } from '../../telemetry/instruments.ts'
import type { CallableService } from '../services/find-callable.ts'
import type { InvocationStatus, Settlement } from './rules.ts'

type CallLabels = LabelsOf<'farebox_calls_total'>
type Kind = LabelsOf<'farebox_provider_seconds'>['kind']
type Status = LabelsOf<'farebox_settlements_total'>['status']

/** States, as labels. */
const LABEL = {
  PENDING: 'processing',
  PROCESSING: 'processing',
  SUCCEEDED: 'succeeded',
  FAILED_RETRYABLE: 'failed_retryable',
  FAILED_FINAL: 'failed_final',
} as const satisfies Record<InvocationStatus, Status>

const FROM = { PENDING: 'pending', PROCESSING: 'processing' } as const

/** Called once for every committed settlement. */
export function recordSettled(metrics: Metrics, { from, status, charge, fee }: Settlement): void {
  metrics.count('farebox_settlements_total', { from: FROM[from], status: LABEL[status] })
  if (charge > 0n) metrics.count('farebox_charged_micro_usdc_total', {}, Number(charge))
  if (fee > 0n) metrics.count('farebox_fees_micro_usdc_total', {}, Number(fee))
}

/** Label for metered calls. */
export const kindOf = (metering: unknown): Kind => (metering === null ? 'fixed' : 'metered')

/** Records a finished call to a provider: its outcome, and the duration of each part in seconds. */
export function recordEnded(
  metrics: Metrics,
  ended: { kind: Kind; status: InvocationStatus | null; totalSeconds: number; providerSeconds: number },
): void {
  const { kind, status, totalSeconds, providerSeconds } = ended
  const outcome: CallLabels['outcome'] = status === null ? 'interrupted' : LABEL[status]
  metrics.count('farebox_calls_total', { kind, outcome })
  metrics.observe('farebox_provider_seconds', { kind }, providerSeconds)
  metrics.observe('farebox_call_overhead_seconds', { kind }, Math.max(0, totalSeconds - providerSeconds))
}

/** Records a call answered without its provider: refused, or replayed. */
export function recordUnheld(
  metrics: Metrics,
  reported: { service: CallableService | null; answer: 'known' | 'refused'; error: GatewayError | null },
): void {
  const { service, answer, error } = reported
  const isKnown = answer === 'known'
  const kind = service === null ? 'unknown' : service.pricing.model === 'fixed' ? 'fixed' : 'metered'
  const outcome = !isKnown ? 'refused' : error === null ? 'replayed' : 'in_progress'
  metrics.count('farebox_calls_total', { kind, outcome })
  if (!isKnown && error !== null) metrics.count('farebox_call_refusals_total', { code: error.code })
}

/** Records an attempt at a provider without a usable answer. */
export function recordTrouble(metrics: Metrics, reason: UpstreamTrouble): void {
  metrics.count('farebox_upstream_failures_total', { reason })
}

/** Faults that are detected after an answer has begun. */
const LATE_TROUBLES: ReadonlySet<unknown> = new Set<UpstreamTrouble>([
  'invalid_json',
  'usage_missing',
  'stream_cut',
])

/** Returns the fault of an answer that arrived, if an error is about that. */
export function recordLateTrouble(metrics: Metrics, { context }: GatewayError): void {
  if (LATE_TROUBLES.has(context.reason)) recordTrouble(metrics, context.reason as UpstreamTrouble)
}
