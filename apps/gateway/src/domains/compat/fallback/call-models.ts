import type { GatewayError } from '@farebox/wire/errors'
import type { FastifyRequest } from 'fastify'
import type { Rate } from '../../credentials/draw-budgets.ts'
import type { Agent } from '../../credentials/require-agent.ts'
import { attemptKey, retryKeyPrefix } from '../../invocation/attempt-keys.ts'
import {
  type Call,
  type InvocationDeps,
  type Invoked,
  invokeService,
} from '../../invocation/invoke-service.ts'
import { callOf } from '../../invocation/read-call.ts'
import { readCalledService } from '../../invocation/records/read-called-service.ts'
import type { EventSink } from '../event-sink.ts'
import type { Failure } from '../failure-rules.ts'
import { failureIn } from '../find-failure.ts'
import type { Choice, ModelCall } from '../read-model-call.ts'
import type { CountedRetry } from '../retries/retry-rules.ts'
import { type Attempt, isNextTried } from './fallback-rules.ts'

/** Attempts of all requests with one idempotency key: the services of a family may change between them. */
const ATTEMPTS_MAX = 20
/** A name that no service has: a call of it is answered only if its key is known. */
const NO_SERVICE = ''

/** A model request to call. */
export type AskedModels = {
  readonly agent: Agent
  readonly request: FastifyRequest
  readonly call: ModelCall
  readonly sink: EventSink | undefined
  /** The rate that the request was counted at; absent: it is counted now. */
  readonly counted?: Rate | null
  /** Set for a request without an idempotency key whose client counts its retries. */
  readonly retry?: CountedRetry
  /** Called with the models that did not answer, whenever that changes. */
  readonly onAttempts: (attempts: readonly Attempt[]) => void
  /** True once nobody waits for the answer. */
  readonly isGone: () => boolean
}

/** Returns the call of an unreadable request. It still counts towards the rate limit. */
export function unreadable(error: GatewayError): ModelCall {
  const choice = { model: NO_SERVICE, serviceId: null, input: error }
  return { choices: [choice], idempotencyKey: null, isStreamed: false, fallbackHash: null }
}

/**
 * Calls the models of a request in order until one answers; each attempt is a call of its own. The request counts towards
 * the rate limit once.
 *
 * The first attempt that is held takes the idempotency key, and each later one a key derived from it. An attempt begins
 * only after the one before has ended without a charge, whichever request made it, so that at most one is charged.
 */
export async function callModels(deps: InvocationDeps, asked: AskedModels): Promise<Invoked> {
  const { call, sink, onAttempts } = asked
  let left: readonly Choice[] = call.choices
  let held = 0
  let { idempotencyKey } = call
  let counted = asked.counted ?? null
  let attempts: readonly Attempt[] = []
  let last: Invoked | null = null
  for (;;) {
    const choice = left.at(0) ?? nobody(call)
    const attempt = attemptOf(asked, choice, { idempotencyKey, held, counted })
    const invoked: Invoked = await invokeService(deps, attempt)
    const isKnown = 'answer' in invoked && invoked.answer.isReplay
    if (last !== null && left.length === 0 && !isKnown) {
      // No other request has tried more models than this one.
      onAttempts(attempts.slice(0, -1))
      return last
    }
    const failure = failureIn(invoked)
    const isOpen = sink !== undefined && sink.head !== null
    const isOver =
      call.fallbackHash === null || isOpen || (!isKnown && asked.isGone()) || held >= ATTEMPTS_MAX
    if (failure === null || isOver || !isNextTried(failure, isKnown)) return invoked
    const tried = isKnown ? await knownChoice(deps, left, failure.context.invocationId) : choice
    left = left.filter(each => each !== tried)
    if (left.length === 0 && !isKnown) return invoked
    // The reason of its failure is no longer known, so no other model is tried unless one was.
    if ('answer' in invoked && invoked.answer.isExpired === true) left = []
    if ('answer' in invoked) held += 1
    idempotencyKey ??= keyTaken(attempt, failure)
    counted = invoked.rate ?? counted
    attempts = [...attempts, { model: tried.model, failure }]
    last = invoked
    onAttempts(attempts)
  }
}

function attemptOf(
  { agent, request, call, sink, retry }: AskedModels,
  { model, input }: Choice,
  made: { idempotencyKey: string | null; held: number; counted: Rate | null },
): Call {
  const { idempotencyKey: key, held, counted } = made
  const one = callOf({ agent, request, input, assertsPrice: false, model: call.api, sink })
  const requestHash = call.fallbackHash ?? one.requestHash
  const isKeyed = key !== null && !(input instanceof Error)
  return {
    ...one,
    requestHash,
    idempotencyKey: isKeyed ? attemptKey(key, held) : null,
    ...(retry !== undefined && key === null && { keyPrefix: retryKeyPrefix(requestHash, retry) }),
    ...(call.fallbackHash !== null && { reportedModel: model }),
    ...(counted !== null && { counted }),
  }
}

/** Returns the key of an attempt without an idempotency key, which those after it follow; null if it was not held. */
function keyTaken({ keyPrefix = '' }: Call, { context }: Failure): string | null {
  const { invocationId } = context
  return invocationId === undefined ? null : keyPrefix + String(invocationId)
}

/** Returns the model of an earlier request with the same key; it may not be among those of this one. */
async function knownChoice(
  deps: InvocationDeps,
  choices: readonly Choice[],
  invocationId: unknown,
): Promise<Pick<Choice, 'model'>> {
  const serviceId = await readCalledService(deps, String(invocationId))
  return choices.find(choice => choice.serviceId === serviceId) ?? { model: serviceId ?? 'unknown' }
}

/** Returns a choice that is never held. */
function nobody({ choices }: ModelCall): Choice {
  const [{ input }] = choices
  const model = NO_SERVICE
  return { model, serviceId: null, input: input instanceof Error ? input : { ...input, serviceId: model } }
}
