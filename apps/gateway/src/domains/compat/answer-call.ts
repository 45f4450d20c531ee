import { formatUsdc, ZERO } from '@farebox/money'
import { GatewayError } from '@farebox/wire/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { asGatewayError } from '../../http/errors.ts'
import { openEventStream } from '../../http/event-stream.ts'
import type { Agent } from '../credentials/require-agent.ts'
import {
  type Answer,
  type InvocationDeps,
  type Invoked,
  invokeService,
} from '../invocation/invoke-service.ts'
import { sendRate, writeRate } from '../invocation/rate-headers.ts'
import { callOf } from '../invocation/read-call.ts'
import { type Bill, billOf, resultOf } from '../invocation/records/read-answer.ts'
import type { StreamHead } from '../invocation/stream/stream-sink.ts'
import type { CompatApi } from './compat-api.ts'
import { createEventSink, type EventSink, eventOf } from './event-sink.ts'
import { type Failure, failureOf, failureOfAnswer } from './failure-rules.ts'
import { readModelCall } from './read-model-call.ts'
import { resultlessError } from './resultless.ts'
import { sendFailure } from './send-failure.ts'

/** A request to a compatible API, with the credential that pays for it. */
export type Visit = {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly agent: Agent
  /** Error of a body that could not be parsed. The request still counts towards the rate limit. */
  readonly unread?: GatewayError
}

/**
 * Runs a paid call of a model and responds in the format of the compatible API, so that unmodified clients work. The bill
 * is in the headers, for a stream in a comment before its last event.
 */
export async function answerCall(deps: InvocationDeps, api: CompatApi, visit: Visit): Promise<FastifyReply> {
  const { request, reply, agent } = visit
  const input = visit.unread ?? (await readModelCall(deps, api, request))
  const isStreamed = !(input instanceof GatewayError) && input.payload.body?.stream === true
  const sink = isStreamed
    ? createEventSink(openEventStream(reply), api.grammarFor(request.body, request.id), ({ rate }) =>
        writeRate(reply, rate),
      )
    : undefined

  const call = callOf({ agent, request, input, assertsPrice: false, sink })
  const invoked = await invokeService(deps, call).catch((error: unknown): Invoked => {
    // Once the stream is open, the error must be reported inside it.
    if (sink === undefined || sink.head === null) throw error
    deps.log.error({ requestId: request.id, err: error }, 'request failed')
    return { rate: null, error: asGatewayError(error) }
  })

  const failure = failureIn(invoked)
  if (sink !== undefined && failure === null) await tellWhole(sink, api, invoked)
  if (sink !== undefined && sink.head !== null) {
    sink.finish({ bill: billFor(invoked, sink.head), failure })
    return reply
  }
  sendRate(reply, invoked)
  if ('answer' in invoked && invoked.answer.isReplay) reply.header('idempotent-replayed', 'true')
  if (failure !== null) return sendFailure(reply, request, { failure, tellFailure: api.tellFailure })
  return 'answer' in invoked ? sendResult(reply, invoked.answer) : reply
}

/** Opens a stream although the provider's response was not streamed, and writes the response as events. */
async function tellWhole(sink: EventSink, api: CompatApi, invoked: Invoked): Promise<void> {
  if (sink.head !== null || 'error' in invoked) return
  const { rate, answer } = invoked
  const { invocationId, holdUsdc } = billOf(answer.body)
  sink.open({ invocationId, holdUsdc, isReplay: answer.isReplay, rate })
  for (const event of api.eventsOf(JSON.parse(resultOf(answer.body)))) {
    const room = sink.write(eventOf(event))
    if (room !== undefined) await room
  }
}

/** Returns the failure of a call; null if it was delivered completely and paid. */
function failureIn(invoked: Invoked): Failure | null {
  if ('error' in invoked) return failureOf(invoked.error)
  const { answer } = invoked
  if (answer.httpStatus >= 400) return failureOfAnswer(answer)
  if (answer.streamed === 'whole') return null
  // A stream that was cut is charged by its usage, but the caller has not received all of it.
  if (answer.streamed === 'cut') {
    const { invocationId, status, chargedUsdc } = billOf(answer.body)
    const context = { invocationId, status, chargedUsdc }
    return failureOf(new GatewayError('UPSTREAM_ERROR', { reason: 'stream_cut', ...context }))
  }
  const error = resultlessError(answer)
  return error === null ? null : failureOf(error)
}

/** Returns the bill of a streamed call; null if its outcome is unknown. */
function billFor(invoked: Invoked, head: StreamHead): Bill | null {
  if ('error' in invoked) return null
  const { answer } = invoked
  if (answer.httpStatus < 400) return billOf(answer.body)
  const { status } = failureOfAnswer(answer).context
  const { invocationId, holdUsdc } = head
  const nothing = formatUsdc(ZERO)
  return {
    invocationId,
    status: String(status),
    chargedUsdc: nothing,
    holdUsdc,
    releasedUsdc: status === 'PROCESSING' ? nothing : holdUsdc,
    usage: null,
  }
}

/** Sends the provider's response unchanged. */
function sendResult(reply: FastifyReply, answer: Answer): FastifyReply {
  const { invocationId, chargedUsdc, holdUsdc } = billOf(answer.body)
  return reply
    .code(answer.httpStatus)
    .headers({
      'farebox-invocation-id': invocationId,
      'farebox-charged-usdc': chargedUsdc,
      'farebox-hold-usdc': holdUsdc,
    })
    .header('content-type', 'application/json; charset=utf-8')
    .send(resultOf(answer.body))
}
