import { retryKeyPrefix } from '../../invocation/attempt-keys.ts'
import type { InvocationDeps, Invoked } from '../../invocation/invoke-service.ts'
import { callOf } from '../../invocation/read-call.ts'
import { listEarlierCalls } from '../../invocation/records/list-earlier-calls.ts'
import { isRetryBarred } from '../failure-rules.ts'
import { type AskedModels, callModels } from '../fallback/call-models.ts'
import { failureIn } from '../find-failure.ts'
import type { RefusedRequests } from './refused-requests.ts'
import { type CountedRetry, countedRetryOf, keyToJoin } from './retry-rules.ts'

/** How long ago a request that is still open can have come: official clients wait for 10 minutes by default. */
const OPEN_SECONDS_MAX = 900
/** How long ago a request can have ended that a retry repeats. */
const ENDED_SECONDS_MAX = 60
/** How long a retry waits for the request that it repeats, in ms. */
const WAIT_MS_MAX = 120_000
const FIRST_PAUSE_MS = 50
const LAST_PAUSE_MS = 1_000

/**
 * Calls the models of a request of a client that counts its retries (docs/adr/0017). A retry repeats the request before
 * it: it waits for the answer, or gets the stored one, and is called anew only if that request failed. Requests without a
 * count, or with an idempotency key, are called as they are.
 */
export async function callCounted(
  deps: InvocationDeps & { readonly refused: RefusedRequests },
  asked: AskedModels,
): Promise<Invoked> {
  const { agent, request, call } = asked
  const { headers, routeOptions } = request
  const { idempotencyKey } = call
  const retry = countedRetryOf({ headers, path: routeOptions.url ?? '', idempotencyKey })
  if (retry === null) return callModels(deps, asked)
  const anew = { ...asked, retry }
  const key = retry.count === 0 ? null : await keyJoined(deps, asked, retry)
  if (key !== null) return repeat(deps, anew, key)
  const invoked = await callModels(deps, anew)
  const hash = 'error' in invoked && isRetried(invoked) ? hashOf(asked) : null
  if (hash !== null) deps.refused.note(`${agent.credentialId} ${retryKeyPrefix(hash, retry)}`)
  return invoked
}

/** Returns the key of the request that a retry repeats; null if it is to be called anew. */
async function keyJoined(
  deps: InvocationDeps & { readonly refused: RefusedRequests },
  asked: AskedModels,
  { count, path }: CountedRetry,
): Promise<string | null> {
  const { credentialId, owner } = asked.agent
  const requestHash = hashOf(asked)
  if (requestHash === null) return null
  const prefixes = Array.from({ length: count + 1 }, (_, each) =>
    retryKeyPrefix(requestHash, { count: each, path }),
  )
  if (deps.refused.take(`${credentialId} ${prefixes.at(-2)}`)) return null
  const bounds = { openSeconds: OPEN_SECONDS_MAX, endedSeconds: ENDED_SECONDS_MAX }
  const calls = await listEarlierCalls(deps, { credentialId, owner, prefixes, requestHash, ...bounds })
  return keyToJoin(calls, count)
}

/** Answers a retry as the request with a key is answered, once that is over; calls it anew if it failed. */
async function repeat(deps: InvocationDeps, asked: AskedModels, key: string): Promise<Invoked> {
  const { clock } = deps
  const until = clock.elapsed() + WAIT_MS_MAX
  let { counted = null } = asked
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LAST_PAUSE_MS)) {
    const invoked = await callModels(deps, {
      ...asked,
      counted,
      call: { ...asked.call, idempotencyKey: key },
    })
    counted = invoked.rate ?? counted
    const isLate = asked.isGone() || clock.elapsed() >= until
    if (isPending(invoked) && !isLate) await clock.pause(pauseMs)
    else if (isLate || 'error' in invoked || !isRetried(invoked)) return invoked
    else return callModels(deps, { ...asked, counted })
  }
}

function isPending(invoked: Invoked): boolean {
  if ('answer' in invoked) return false
  const { code, context } = invoked.error
  return code === 'IDEMPOTENCY_IN_PROGRESS' && context.status === 'PENDING'
}

/** Returns true if clients retry after the failure of a call. */
function isRetried(invoked: Invoked): boolean {
  const failure = failureIn(invoked)
  if (failure === null || isRetryBarred(failure, false)) return false
  return 'answer' in invoked || failure.status === 429 || failure.status >= 500
}

/** Returns the hash of a request; null if it cannot be called. */
function hashOf({ agent, request, call }: AskedModels): Buffer | null {
  const [{ input }] = call.choices
  if (input instanceof Error) return null
  return (
    call.fallbackHash ?? callOf({ agent, request, input, assertsPrice: false, model: call.api }).requestHash
  )
}
