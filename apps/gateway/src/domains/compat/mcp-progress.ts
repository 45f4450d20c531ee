import { ErrorCode } from '@modelcontextprotocol/sdk/types.js'
import type { FastifyReply } from 'fastify'
import { z } from 'zod'
import { asGatewayError, logFailure } from '../../http/errors.ts'
import { type EventStream, openEventStream } from '../../http/event-stream.ts'
import type { Log } from '../../ports.ts'

/** Time between notifications, in ms. Calls that end before the first are answered with JSON. */
const PROGRESS_INTERVAL_MS = 1_000
/** Maximum length of a progress token; calls with a longer one get no notifications. */
const TOKEN_LENGTH_MAX = 256

const calledWithToken = z.object({
  id: z.union([z.string(), z.number()]),
  method: z.literal('tools/call'),
  params: z.object({
    _meta: z.object({ progressToken: z.union([z.string().max(TOKEN_LENGTH_MAX), z.int()]) }),
  }),
})

/** A tool call whose client asked for progress notifications. */
export type ProgressAsked = { readonly id: string | number; readonly progressToken: string | number }

/** Returns what a message says of progress; null if it is another message, or a batch. */
export function readProgressAsked(body: unknown): ProgressAsked | null {
  const read = calledWithToken.safeParse(body)
  return read.success ? { id: read.data.id, progressToken: read.data.params._meta.progressToken } : null
}

/**
 * Waits for an answer and meanwhile notifies the client of progress (Model Context Protocol 2025-11-25,
 * utilities/progress): the seconds that the call has taken. The response then is an event stream that ends with the
 * answer. A client that leaves gets no more of them; its call continues.
 *
 * @returns the answer if it came before the first notification; null once it was sent as the last event
 */
export async function notifyUntilAnswered(
  reply: FastifyReply,
  { id, progressToken }: ProgressAsked,
  answering: Promise<Response>,
  log: Log,
): Promise<Response | null> {
  const stream = openEventStream(reply)
  let progress = 0
  const timer = setInterval(() => {
    if (stream.isGone) return clearInterval(timer)
    if (!stream.isOpen) stream.open({})
    progress += 1
    const params = { progressToken, progress, message: 'Waiting for the provider.' }
    writeMessage(stream, JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params }))
  }, PROGRESS_INTERVAL_MS)
  try {
    const answer = await answering
    if (!stream.isOpen) return answer
    clearInterval(timer)
    writeMessage(stream, await answer.text())
  } catch (error) {
    if (!stream.isOpen) throw error
    const failure = asGatewayError(error)
    const requestId = reply.request.id
    logFailure(log, failure, requestId)
    const reported = {
      code: ErrorCode.InternalError,
      message: failure.message,
      data: failure.toBody(requestId),
    }
    writeMessage(stream, JSON.stringify({ jsonrpc: '2.0', id, error: reported }))
  } finally {
    clearInterval(timer)
  }
  stream.end()
  return null
}

/** Writes one JSON-RPC message, which has no line breaks. Messages are few, so nobody waits for room. */
function writeMessage(stream: EventStream, json: string): void {
  void stream.write(`event: message\ndata: ${json}\n\n`)
}
