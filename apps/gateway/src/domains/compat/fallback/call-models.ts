import type { GatewayError } from '@farebox/wire/errors'
import type { FastifyRequest } from 'fastify'
import type { Rate } from '../../credentials/draw-budgets.ts'
import type { Agent } from '../../credentials/require-agent.ts'
import {
  type Call,
  type InvocationDeps,
  type Invoked,
  invokeService,
} from '../../invocation/invoke-service.ts'
import { callOf } from '../../invocation/read-call.ts'
import { readCalledService } from '../../invocation/records/read-called-service.ts'
import type { EventSink } from '../event-sink.ts'
import { failureIn } from '../find-failure.ts'
import type { Choice, ModelCall } from '../read-model-call.ts'
import { type Attempt, isNextTried, keyOfAttempt } from './fallback-rules.ts'

/** Attempts of all requests with one idempotency key: the services of a family may change between them. */
const ATTEMPTS_MAX = 20
/** Name of no service: a call of it is answered only if its key is known. */
const NO_SERVICE = ''

/** A request to a model API that is to be called. */
export type AskedModels = {
  readonly agent: Agent
  readonly request: FastifyRequest
  readonly call: ModelCall
  readonly sink: EventSink | undefined
  /** Called with the models that did not answer, whenever that changes. */
  readonly onAttempts: (attempts: readonly Attempt[]) => void
  /** True once nobody waits for the answer. */
  readonly isGone: () => boolean
}

/** Returns the call of a request that could not be read. It still counts towards the rate limit. */
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
  let counted: Rate | null = null
  let attempts: readonly Attempt[] = []
  let last: Invoked | null = null
  for (;;) {
    const choice = left.at(0) ?? nobody(call)
    const invoked: Invoked = await invokeService(deps, attemptOf(asked, choice, { held, counted }))
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
    // Why it failed is no longer known, so no other model is tried unless one was.
    if ('answer' in invoked && invoked.answer.isExpired === true) left = []
    if ('answer' in invoked) held += 1
    counted = invoked.rate ?? counted
    attempts = [...attempts, { model: tried.model, failure }]
    last = invoked
    onAttempts(attempts)
  }
}

function attemptOf(
  { agent, request, call, sink }: AskedModels,
  { model, input }: Choice,
  { held, counted }: { held: number; counted: Rate | null },
): Call {
  const made = callOf({ agent, request, input, assertsPrice: false, model: call.api, sink })
  const { fallbackHash: requestHash } = call
  if (requestHash === null) return made
  const key = made.idempotencyKey
  const idempotencyKey = key === null ? null : keyOfAttempt(key, held)
  const attempt = { ...made, idempotencyKey, requestHash, reportedModel: model }
  return counted === null ? attempt : { ...attempt, counted }
}

/** Returns the model that an earlier request with the same key was tried at; it may not be among those of this one. */
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
