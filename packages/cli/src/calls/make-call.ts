import { type AnswerOf, type Client, createClient } from '@farebox/client'
import { GatewayError, readObject } from '@farebox/client/errors'
import { EXIT } from '../exit-codes.ts'
import { type Failure, toFailure } from '../failure.ts'
import { forgetCall, type PendingCall, storeCall } from '../state/pending-calls.ts'
import { nextCommand, quote } from '../terminal/next-command.ts'
import { note } from '../terminal/output.ts'
import { askAgain } from './ask-again.ts'
import { isOutcomeOpen, mayHaveArrived } from './outcome.ts'
import type { EventPrinter } from './print-events.ts'

/** The answer of a call that was charged; `replayed` if an earlier command was charged for it. */
export type Answer = AnswerOf<'invokeService'> & { readonly replayed?: true }

/** How a call is made. */
export type Making = {
  readonly credential: string
  readonly patienceMs: number
  /** Receives the events of a stream, each once, however often the stream is asked for. */
  readonly printer: EventPrinter
  /** True if an earlier process may have sent the call. */
  readonly isRepeated: boolean
}

/**
 * Makes a call, and repeats it under its key while errors are passing. The call is stored until its end is known.
 *
 * @throws Failure that says whether money may have moved, and how to ask again
 */
export async function makeCall(call: PendingCall, making: Making): Promise<Answer> {
  const { credential, patienceMs, isRepeated } = making
  // This repeats by itself, and says so.
  const api = createClient({ baseUrl: call.gateway, credential, retries: 0 })
  const interrupted = new AbortController()
  const onInterrupt = () => interrupted.abort()
  process.once('SIGINT', onInterrupt)
  let hasArrived = false
  const send = call.isStream
    ? streamer(api, call, making, interrupted.signal)
    : sender(api, call, interrupted.signal)
  storeCall(call)
  try {
    const answer = await askAgain(send, {
      patienceMs,
      signal: interrupted.signal,
      onFailure(error, pauseMs) {
        hasArrived ||= mayHaveArrived(error)
        if (pauseMs === null) return
        const seconds = (pauseMs / 1_000).toFixed(1)
        note(`${error.message} (${error.code}) Retrying with the same key in ${seconds} s.`)
      },
    })
    forgetCall(call)
    // A repetition of this command gets the answer that it was charged for itself.
    const { replayed, ...paid } = answer
    return replayed && !hasArrived ? answer : paid
  } catch (error) {
    if (interrupted.signal.aborted) throw interruption(call)
    throw explain(error, call, isRepeated || hasArrived)
  } finally {
    process.removeListener('SIGINT', onInterrupt)
  }
}

function sender(api: Client, { key, body }: PendingCall, signal: AbortSignal): () => Promise<Answer> {
  return async () => {
    const response = await api.raw('invokeService', { body, idempotencyKey: key, signal })
    const answer = await readAnswer(response, signal)
    return response.headers.get('idempotent-replayed') === 'true' ? { ...answer, replayed: true } : answer
  }
}

/** Reads an answer. A call may have been charged although its answer breaks off or cannot be read. */
async function readAnswer(response: Response, signal: AbortSignal): Promise<Answer> {
  const { status, headers } = response
  const about = { status, requestId: headers.get('x-request-id') }
  const text = await response.text().catch((cause: unknown) => {
    signal.throwIfAborted()
    throw new GatewayError('UNREACHABLE', 'The answer broke off.', { ...about, cause })
  })
  const answer = readObject(text)
  if (answer === null) throw new GatewayError('UNREADABLE', 'The answer cannot be read.', about)
  return answer as Answer
}

/** Returns a function that reads a stream to its end. A repeated stream is the same one: events that were passed on are skipped. */
function streamer(
  api: Client,
  { key, body }: PendingCall,
  { printer }: Making,
  signal: AbortSignal,
): () => Promise<Answer> {
  let passedOn = 0
  return async () => {
    const stream = await api.stream('invokeService', { body, idempotencyKey: key, signal })
    let answer: Record<string, unknown> | null = null
    let count = 0
    for await (const event of stream) {
      if (event.event === 'gateway') {
        answer = readObject(event.data)
        continue
      }
      count += 1
      if (count <= passedOn) continue
      passedOn = count
      printer.event(event)
    }
    if (answer === null) throw new GatewayError('UNREACHABLE', 'The stream ended without its bill.')
    if (count < passedOn) note('The gateway did not store the whole stream. The rest is not shown.')
    return answer as Answer
  }
}

/** Returns what asks for the same call again. */
const again = ({ key }: PendingCall) => nextCommand(`invoke --again ${quote(key)}`)

function interruption(call: PendingCall): Failure {
  const hints = mayHavePaid(call)
  return toFailure(new GatewayError('UNREACHABLE', 'Interrupted.', { status: 200 }), hints, EXIT.interrupted)
}

/** Returns a failed call as a failure that says what happened to the money. Forgets the call if its end is known. */
function explain(error: unknown, call: PendingCall, isAttemptOpen: boolean): Failure {
  if (error instanceof GatewayError && error.detail.status === 'PROCESSING') {
    const hints = [
      'The model has responded, but its provider has not reported the usage yet. The hold remains for up to 15 minutes.',
      `Check the outcome: ${again(call)}`,
    ]
    return toFailure(error, hints, EXIT.later)
  }
  if (isOutcomeOpen(error, isAttemptOpen)) return toFailure(error, mayHavePaid(call))
  forgetCall(call)
  const retryAfter = error instanceof GatewayError ? error.retryAfter : null
  const next = retryAfter === null ? '' : ` Try again in ${retryAfter} s.`
  return toFailure(error, [`Nothing was charged for this call.${next}`])
}

function mayHavePaid(call: PendingCall): string[] {
  const { costUsdc, maxCostUsdc } = call.body
  const most = costUsdc ?? maxCostUsdc
  const amount = most === undefined ? 'its cost' : `${most} USDC`
  return [
    `The gateway may have made the call and charged ${amount}, once.`,
    `Get the answer, or make the call if it was not made: ${again(call)}`,
    'The same key is never charged twice.',
  ]
}
