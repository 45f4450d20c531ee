import { setTimeout as delay } from 'node:timers/promises'
import { GatewayError } from '@farebox/wire/errors'
import {
  BaseError,
  type BlockNotFoundError,
  createPublicClient,
  HttpRequestError,
  http,
  type PublicClient,
  RpcRequestError,
  TimeoutError,
  type TransactionReceiptNotFoundError,
} from 'viem'

const REQUEST_TIMEOUT_MS = 4_000
const RETRY_DELAY_MS = 100
const BATCH_REQUESTS_MAX = 8
const RETRY_AFTER_SECONDS = 2

/** Error codes by which a node says that it does not want to work now (EIP-1474 and what providers send). */
const REFUSALS: ReadonlySet<number> = new Set([-32005, -32007, -32002, 429])

/** Clients of one node: requests one by one, and requests of one moment in one HTTP exchange. */
export type Rpc = {
  readonly single: PublicClient
  /** One exchange is answered by one node also where a balancer stands before many, so its parts agree. */
  readonly together: PublicClient
}

/**
 * Opens clients on a JSON-RPC endpoint. Touches no network.
 *
 * @param timeout of one request, in ms
 */
export function openRpc(rpcUrl: string, timeout = REQUEST_TIMEOUT_MS): Rpc {
  const settings = { timeout, retryCount: 0 } // viem would wait for as long as the node asks for
  return {
    single: createPublicClient({ transport: http(rpcUrl, settings), cacheTime: 0 }),
    together: createPublicClient({
      transport: http(rpcUrl, { ...settings, batch: { batchSize: BATCH_REQUESTS_MAX } }),
      cacheTime: 0,
    }),
  }
}

/**
 * Runs one call of the node; a second time when the first was refused or cut off.
 *
 * @throws GatewayError UNAVAILABLE when the node is out of reach, refuses, or answers with an error
 */
export async function ask<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work().catch(async (error: unknown) => {
      if (!isCutOff(error)) throw error
      await delay(RETRY_DELAY_MS)
      return work()
    })
  } catch (error) {
    throw error instanceof GatewayError ? error : unavailable(error)
  }
}

/** A node that did not answer in time is not asked again: whoever waits has waited long enough. */
function isCutOff(error: unknown): boolean {
  return error instanceof BaseError && error.walk(cause => cause instanceof HttpRequestError) !== null
}

/**
 * {@link ask} for a thing that the node may not have.
 *
 * @param absent viem's error for that
 * @returns null when the node does not have it
 */
export async function askFor<T>(
  work: () => Promise<T>,
  absent: typeof BlockNotFoundError | typeof TransactionReceiptNotFoundError,
): Promise<T | null> {
  return ask(() =>
    work().catch((error: unknown) => {
      if (error instanceof absent) return null
      throw error
    }),
  )
}

/**
 * {@link ask} for the answer of a contract that may not know the question.
 *
 * @returns null when it reverts, answers nothing, or something else
 */
export async function askContract<T>(work: () => Promise<T>): Promise<T | null> {
  return ask(() =>
    work().catch((error: unknown) => {
      if (isFailedExecution(error) || isUnreadable(error)) return null
      throw error
    }),
  )
}

/** The node cannot be had now, or says two things that cannot both be true. */
export function unavailable(cause: unknown): GatewayError {
  return new GatewayError(
    'UNAVAILABLE',
    { dependency: 'chain' },
    {
      cause: new Error(described(cause)),
      message: 'The chain cannot be reached now. Retry shortly.',
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    },
  )
}

/** What happened, without the URL of the node, which viem's messages carry and which often holds a key. */
function described(error: unknown): string {
  if (!(error instanceof BaseError)) return String(error)
  const root = error.walk()
  const reason = root instanceof BaseError ? root.details : `${root.message} ${String(root.cause ?? '')}`
  return `${error.shortMessage} ${reason}`.trim()
}

/** {@link unavailable}, for a node that contradicts itself or us. */
export function contradiction(what: string): GatewayError {
  return unavailable(new Error(`The node contradicts itself: ${what}`))
}

/**
 * Whether the node did execute a call and says that it failed (reverted, ran out of gas, ...), as against not
 * having been reached or not wanting to execute it.
 */
export function isFailedExecution(error: unknown): boolean {
  if (!(error instanceof BaseError)) return false
  const lost = error.walk(cause => cause instanceof HttpRequestError || cause instanceof TimeoutError)
  if (lost !== null) return false
  const answer = error.walk(cause => cause instanceof RpcRequestError)
  return answer instanceof RpcRequestError && !REFUSALS.has(answer.code)
}

/** Whether the node did answer, and the answer is none to the question. */
function isUnreadable(error: unknown): boolean {
  const isOfNode = (cause: unknown) =>
    cause instanceof HttpRequestError || cause instanceof TimeoutError || cause instanceof RpcRequestError
  return error instanceof BaseError && error.walk(isOfNode) === null
}
