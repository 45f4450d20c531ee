import { GatewayError } from '@farebox/wire/errors'
import type { FastifyReply } from 'fastify'
import { type EventStream, openEventStream } from '../../../http/event-stream.ts'
import type { Answer, Invoked } from '../invoke-service.ts'
import { writeRate } from '../rate-headers.ts'
import { keptNoLonger } from '../records/archived-answer.ts'
import { billOf } from '../records/read-answer.ts'
import { bytesOf, type StreamEvent, type StreamHead, type StreamSink } from './stream-sink.ts'

const DONE = 'data: [DONE]\n\n'

/** Streamed answer of POST /agent/invoke, which takes over the reply once it is opened. */
export class AgentStream implements StreamSink {
  readonly #reply: FastifyReply
  /** Created on demand: most answers are not streamed. */
  #made: EventStream | null = null

  constructor(reply: FastifyReply) {
    this.#reply = reply
  }

  open({ invocationId, holdUsdc, isReplay, rate, patienceMs }: StreamHead): void {
    writeRate(this.#reply, rate)
    const headers = { 'farebox-invocation-id': invocationId, 'farebox-hold-usdc': holdUsdc }
    this.#events.open({ ...headers, ...(isReplay && { 'idempotent-replayed': 'true' }) }, patienceMs)
  }

  write(events: readonly StreamEvent[]): Promise<void> | undefined {
    return this.#events.write(bytesOf(events))
  }

  get isGone(): boolean {
    return this.#events.isGone
  }

  get isOpen(): boolean {
    return this.#made?.isOpen === true
  }

  /** Ends an open stream: with the complete result as `event: gateway` and `[DONE]`, or with `event: error`. */
  end(invoked: Invoked, requestId: string): FastifyReply {
    this.#events.end(
      'error' in invoked ? errorEvent(invoked.error, requestId) : endOf(invoked.answer, requestId),
    )
    return this.#reply
  }

  /** Opens and ends it if the provider had nothing to stream, or its stream is no longer stored. */
  endAtOnce(answer: Answer, requestId: string): FastifyReply {
    this.#events.open({})
    const last = answer.isExpired === true ? errorEvent(keptNoLonger(answer), requestId) : DONE
    this.#events.end(gatewayEvent(answer) + last)
    return this.#reply
  }

  get #events(): EventStream {
    this.#made ??= openEventStream(this.#reply)
    return this.#made
  }
}

/** A cut stream ends with that error, whatever happened to its money. */
function endOf(answer: Answer, requestId: string): string {
  if (answer.httpStatus !== 200) return frame('error', answer.body)
  if (answer.streamed === 'whole') return gatewayEvent(answer) + DONE
  const { invocationId, status, chargedUsdc } = billOf(answer.body)
  const context = { reason: 'stream_cut', invocationId, status, chargedUsdc }
  return gatewayEvent(answer) + errorEvent(new GatewayError('UPSTREAM_ERROR', context), requestId)
}

const errorEvent = (error: GatewayError, requestId: string): string =>
  frame('error', JSON.stringify(error.toBody(requestId)))

const gatewayEvent = ({ body, isReplay }: Answer): string =>
  frame('gateway', isReplay ? `${body.slice(0, -1)},"replayed":true}` : body)

/** Returns an event with any text: one data line per line (WHATWG HTML, 9.2.6). */
const frame = (name: string, data: string): string =>
  `event: ${name}\n${data
    .split(/\r\n|\r|\n/)
    .map(line => `data: ${line}\n`)
    .join('')}\n`
