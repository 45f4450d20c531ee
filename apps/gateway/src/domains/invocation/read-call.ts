import type { GatewayError } from '@farebox/wire/errors'
import type { InvokeInput } from '@farebox/wire/invocation'
import { requestHash } from '../../http/idempotency.ts'
import type { Span } from '../../telemetry/tracer.ts'
import type { Agent } from '../credentials/require-agent.ts'
import type { Call } from './invoke-service.ts'
import type { LlmShape } from './pricing/llm-request-rules.ts'
import type { StreamSink } from './stream/stream-sink.ts'

const TRACEPARENT = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/

/** A request, as far as a call needs it. */
export type CallRequest = {
  readonly id: string
  readonly headers: Readonly<Record<string, unknown>>
  /** Present if tracing is on. */
  readonly span?: Span | undefined
  /** Set to the id of its call, for its access line. */
  invocationId?: string
}

/**
 * Returns the call of a request to any API.
 *
 * @param from.input the parsed request with its idempotency key; or its fault
 * @param from.assertsPrice see {@link Call.assertsPrice}
 * @param from.renewAgent see {@link Call.renewAgent}
 * @param from.isFlat see {@link Call.isFlat}; false if absent
 * @param from.model the model API that took the request, and the headers that it passes on
 * @param from.sink  receiver of the events if the caller wants a stream
 */
export function callOf(from: {
  agent: Agent
  renewAgent?: () => Promise<Agent>
  request: CallRequest
  input: InvokeInput | GatewayError
  assertsPrice: boolean
  isFlat?: boolean
  model?: Required<Pick<Call, 'shape' | 'passedOn'>> | undefined
  sink?: StreamSink | undefined
}): Call {
  const { agent, renewAgent, request, input, assertsPrice, isFlat = false, model, sink } = from
  const { traceparent } = request.headers
  const isRead = !(input instanceof Error)
  return {
    agent,
    requestId: request.id,
    input,
    assertsPrice,
    isFlat,
    idempotencyKey: isRead ? (input.idempotencyKey ?? null) : null,
    requestHash: isRead ? hashOf(input, model) : Buffer.alloc(0),
    traceparent: typeof traceparent === 'string' && TRACEPARENT.test(traceparent) ? traceparent : undefined,
    span: request.span,
    onInvocation: invocationId => {
      request.invocationId = invocationId
    },
    ...model,
    ...(renewAgent !== undefined && { renewAgent }),
    ...(sink !== undefined && { sink }),
  }
}

/** APIs whose requests look like those of another: their names are part of what a key is bound to. */
const LOOK_ALIKES: ReadonlySet<LlmShape> = new Set(['completions', 'embeddings'])

/** Returns what an idempotency key is bound to: service, payload and agreed price. */
function hashOf(
  { serviceId, payload, costUsdc, maxCostUsdc }: InvokeInput,
  { shape }: Pick<Call, 'shape'> = {},
): Buffer {
  return requestHash({
    ...(shape !== undefined && LOOK_ALIKES.has(shape) && { shape }),
    serviceId,
    payload,
    costUsdc: costUsdc?.toString(),
    maxCostUsdc: maxCostUsdc?.toString(),
  })
}
