import { setTimeout as delay } from 'node:timers/promises'
import { GatewayError } from '@farebox/wire/errors'
import {
  BaseError,
  type BlockNotFoundError,
  createPublicClient,
  HttpRequestError,
  type HttpTransportConfig,
  http,
  type PublicClient,
  ResponseBodyTooLargeError,
  RpcRequestError,
  TimeoutError,
  type TransactionReceiptNotFoundError,
} from 'viem'
import { RETRY_AFTER_SECONDS } from '../../runtime/retry-after.ts'

const REQUEST_TIMEOUT_MS = 4_000
const RETRY_DELAY_MS = 100
const BATCH_REQUESTS_MAX = 8
/** Maximum size of an answer about one block, in bytes: its logs cannot be read in parts. Of others: viem's, 10 MiB. */
const BLOCK_ANSWER_BYTES_MAX = 128 * 1024 * 1024
/** Time for such an answer, as a multiple of that for others. */
const BLOCK_ANSWER_TIMES = 5

/** Error codes of nodes that are temporarily unwilling (EIP-1474, and those of providers). */
const REFUSALS: ReadonlySet<number> = new Set([-32005, -32007, -32002, 429])

/** Clients of one node: single requests, and requests batched into one HTTP exchange. */
export type Rpc = {
  readonly single: PublicClient
  /** One exchange is answered by one node, even behind a load balancer, so its parts are consistent. */
  readonly together: PublicClient
  /** {@link Rpc.together} for everything in one block. */
  readonly ofBlock: PublicClient
}

/**
 * Opens clients of a JSON-RPC endpoint. No network access.
 *
 * @param timeout of one request, in ms
 */
export function openRpc(rpcUrl: string, timeout = REQUEST_TIMEOUT_MS): Rpc {
  const settings = { retryCount: 0 } // viem would wait for as long as the node asks for
  const open = (more: HttpTransportConfig) =>
    createPublicClient({ transport: http(rpcUrl, Object.assign(more, settings)), cacheTime: 0 })
  const batch = { batchSize: BATCH_REQUESTS_MAX }
  return {
    single: open({ timeout }),
    together: open({ batch, timeout }),
    ofBlock: open({
      batch,
      timeout: BLOCK_ANSWER_TIMES * timeout,
      maxResponseBodySize: BLOCK_ANSWER_BYTES_MAX,
    }),
  }
}

/**
 * Runs one call of the node; repeats it once if it was refused or cut off.
 *
 * @throws GatewayError UNAVAILABLE if the node is unreachable, refuses, or answers with an error
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

/** No retry after a timeout: the caller has waited long enough. */
function isCutOff(error: unknown): boolean {
  return error instanceof BaseError && error.walk(cause => cause instanceof HttpRequestError) !== null
}

/**
 * {@link ask} for something that may not exist.
 *
 * @param absent viem's error in that case
 * @returns null if it does not exist
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
 * {@link ask} for the answer of a contract that may lack the function.
 *
 * @returns null if it reverts or answers nothing or something else
 */
export async function askContract<T>(work: () => Promise<T>): Promise<T | null> {
  return ask(() =>
    work().catch((error: unknown) => {
      if (isFailedExecution(error) || isUnreadable(error)) return null
      throw error
    }),
  )
}

/**
 * Returns {@link ask} for what a node may refuse because it is too much.
 *
 * @param rpc clients of the node
 * @returns null if the node answers with an error, or too much, or not in time although it answers other requests
 */
export function askForMuch({ single }: Rpc) {
  return <T>(work: () => Promise<T>): Promise<T | null> =>
    ask(() =>
      work().catch(async (error: unknown) => {
        if (isErrorAnswer(error)) return null
        if (!isLate(error)) throw error
        await single.getBlockNumber()
        return null
      }),
    )
}

const isLate = (error: unknown): boolean =>
  error instanceof BaseError && error.walk(cause => cause instanceof TimeoutError) !== null

/** The error for an unreachable or inconsistent node. */
export function unavailable(cause: unknown): GatewayError {
  return new GatewayError(
    'UNAVAILABLE',
    { dependency: 'chain' },
    {
      cause: new Error(describeNodeError(cause)),
      message: 'The chain cannot be reached now. Retry shortly.',
      retryAfterSeconds: RETRY_AFTER_SECONDS.pending,
    },
  )
}

/** Returns what happened, without the URL of the node, which viem's messages contain and which often has a key. */
export function describeNodeError(error: unknown): string {
  if (!(error instanceof BaseError)) return String(error)
  const root = error.walk()
  const reason = root instanceof BaseError ? root.details : `${root.message} ${String(root.cause ?? '')}`
  return `${error.shortMessage} ${reason}`.trim()
}

/** {@link unavailable}, for an inconsistent node. */
export function contradiction(what: string): GatewayError {
  return unavailable(new Error(`The node contradicts itself: ${what}`))
}

/**
 * Returns true if the node executed a call that failed (reverted, ran out of gas, ...), false if it was not reached or
 * refused.
 */
export function isFailedExecution(error: unknown): boolean {
  if (!(error instanceof BaseError)) return false
  const lost = error.walk(cause => cause instanceof HttpRequestError || cause instanceof TimeoutError)
  if (lost !== null) return false
  const answer = error.walk(cause => cause instanceof RpcRequestError)
  return answer instanceof RpcRequestError && !REFUSALS.has(answer.code)
}

/** HTTP states of nodes for a request that asks for too much. */
const TOO_MUCH: ReadonlySet<number | undefined> = new Set([400, 413])

/** Returns true if the node was reached and refused this request, or answered too much. */
function isErrorAnswer(error: unknown): boolean {
  const isAnswer = (cause: unknown) =>
    cause instanceof RpcRequestError ||
    cause instanceof ResponseBodyTooLargeError ||
    (cause instanceof HttpRequestError && TOO_MUCH.has(cause.status))
  return error instanceof BaseError && error.walk(isAnswer) !== null
}

/** Returns true if the node answered with something else. */
function isUnreadable(error: unknown): boolean {
  const isOfNode = (cause: unknown) =>
    cause instanceof HttpRequestError || cause instanceof TimeoutError || cause instanceof RpcRequestError
  return error instanceof BaseError && error.walk(isOfNode) === null
}
