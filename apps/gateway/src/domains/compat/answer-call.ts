import { formatUsdc, ZERO } from '@farebox/money'
import { GatewayError } from '@farebox/wire/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { asGatewayError } from '../../http/errors.ts'
import { openEventStream } from '../../http/event-stream.ts'
import type { Rate } from '../credentials/draw-budgets.ts'
import type { Agent } from '../credentials/require-agent.ts'
import type { Answer, InvocationDeps, Invoked } from '../invocation/invoke-service.ts'
import { rateOf, writeRate } from '../invocation/rate-headers.ts'
import { type Bill, billOf, resultOf } from '../invocation/records/read-answer.ts'
import type { StreamHead } from '../invocation/stream/stream-sink.ts'
import type { FamilyRanking } from '../services/rank-family.ts'
import type { CompatApi, Streaming } from './compat-api.ts'
import { createEventSink, type EventSink, eventOf } from './event-sink.ts'
import { failureOfAnswer } from './failure-rules.ts'
import { unreadable } from './fallback/call-models.ts'
import { attemptsText } from './fallback/fallback-rules.ts'
import { failureIn } from './find-failure.ts'
import { readModelCall } from './read-model-call.ts'
import { callCounted } from './retries/call-counted.ts'
import type { RefusedRequests } from './retries/refused-requests.ts'
import { sendFailure } from './send-failure.ts'

/** Dependencies of calls through the compatible APIs. */
export type CompatDeps = InvocationDeps & {
  readonly families: FamilyRanking
  readonly refused: RefusedRequests
}

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
export async function answerCall(deps: CompatDeps, api: CompatApi, visit: Visit): Promise<FastifyReply> {
  const { request, reply, agent } = visit
  const call = visit.unread ?? (await readModelCall(deps, api, visit))
  const isStreamed = !(call instanceof GatewayError) && call.isStreamed
  const streaming = isStreamed ? api.streaming : null
  const sink =
    streaming === null
      ? undefined
      : createEventSink(openEventStream(reply), streaming.grammarFor(request.body, request.id), ({ rate }) =>
          writeRates(reply, rate, deps.clock.now()),
        )

  const invoked = await callCounted(deps, {
    agent,
    request,
    call: call instanceof GatewayError ? unreadable(call) : call,
    sink,
    onAttempts: attempts => {
      if (attempts.length === 0) reply.removeHeader('farebox-attempts')
      else reply.header('farebox-attempts', attemptsText(attempts))
    },
    isGone: () => reply.raw.destroyed,
  }).catch((error: unknown): Invoked => {
    // Once the stream is open, the error must be reported inside it.
    if (sink === undefined || sink.head === null) throw error
    deps.log.error({ requestId: request.id, err: error }, 'request failed')
    return { rate: null, error: asGatewayError(error) }
  })

  const failure = failureIn(invoked)
  if (sink !== undefined && streaming !== null && failure === null) await sendWhole(sink, streaming, invoked)
  if (sink !== undefined && sink.head !== null) {
    sink.finish({ bill: billFor(invoked, sink.head), failure })
    return reply
  }
  writeRates(reply, rateOf(invoked), deps.clock.now())
  if ('answer' in invoked && invoked.answer.isReplay) reply.header('idempotent-replayed', 'true')
  if (failure !== null) return sendFailure(reply, request, { failure, formatFailure: api.formatFailure })
  return 'answer' in invoked ? sendResult(reply, invoked.answer) : reply
}

/** Sets the rate limit headers of an answer: ours, and those of OpenAI and of Anthropic. */
function writeRates(reply: FastifyReply, rate: Rate | null, now: number): void {
  writeRate(reply, rate)
  if (rate === null) return
  const { rpm, remaining, seconds } = rate
  const left = Math.max(0, remaining)
  reply.headers({
    'x-ratelimit-limit-requests': rpm,
    'x-ratelimit-remaining-requests': left,
    'x-ratelimit-reset-requests': `${seconds}s`,
    'anthropic-ratelimit-requests-limit': rpm,
    'anthropic-ratelimit-requests-remaining': left,
    'anthropic-ratelimit-requests-reset': new Date(now + seconds * 1_000).toISOString(),
  })
}

/** Opens a stream although the provider's response was not streamed, and writes the response as events. */
async function sendWhole(sink: EventSink, streaming: Streaming, invoked: Invoked): Promise<void> {
  if (sink.head !== null || 'error' in invoked) return
  const { rate, answer } = invoked
  const { invocationId, holdUsdc } = billOf(answer.body)
  sink.open({ invocationId, holdUsdc, isReplay: answer.isReplay, rate })
  for (const event of streaming.eventsOf(JSON.parse(resultOf(answer.body)))) {
    const room = sink.write([eventOf(event)])
    if (room !== undefined) await room
  }
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
