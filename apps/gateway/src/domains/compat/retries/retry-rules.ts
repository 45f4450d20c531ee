import { failureOfAnswer, isRetryBarred } from '../failure-rules.ts'

/** Header in which official clients count the retries of a request, from 0. They send no idempotency key. */
const RETRY_COUNT = 'x-stainless-retry-count'
/** One digit: official clients retry twice by default, so they never count to ten. */
const COUNT = /^\d$/

/** A request of a client that counts its retries and sends no idempotency key. */
export type CountedRetry = {
  /** 0 for the first attempt. */
  readonly count: number
  readonly path: string
}

/** Returns how often a client has sent a request before; null if it does not say, or sends an idempotency key. */
export function countedRetryOf(request: {
  headers: Readonly<Record<string, unknown>>
  path: string
  idempotencyKey: string | null
}): CountedRetry | null {
  const { headers, path, idempotencyKey } = request
  const given = headers[RETRY_COUNT]
  if (idempotencyKey !== null || typeof given !== 'string' || !COUNT.test(given)) return null
  return { count: Number(given), path }
}

/** A call of an earlier request: `key` is the key and `prefix` the retry count of that request. */
export type EarlierCall = {
  readonly prefix: number
  readonly key: string
  readonly status: 'PENDING' | 'PROCESSING' | 'SUCCEEDED' | 'FAILED_RETRYABLE' | 'FAILED_FINAL'
  readonly failure: { readonly httpStatus: number; readonly body: string } | null
}

/**
 * Returns the key of the request that a retry repeats; null if the retry is to be called anew.
 *
 * Equal requests of one credential cannot be told apart, so they are counted: as many retries are called anew as
 * requests of the count before have failed. Any other retry is of a request whose answer did not arrive: the newest that
 * is open, else the newest that was answered.
 *
 * @param calls newest first
 */
export function keyToJoin(calls: readonly EarlierCall[], count: number): string | null {
  const requests = Map.groupBy(calls, ({ key }) => key)
  const seen = [...requests].map(([key, attempts]) => ({
    key,
    count: attempts[0]?.prefix ?? 0,
    ...stateOf(attempts),
  }))
  const failed = seen.filter(request => request.count === count - 1 && request.isFailed).length
  const calledAnew = seen.filter(request => request.count === count).length
  if (failed > calledAnew) return null
  const earlier = seen.filter(request => request.count < count)
  const joined = earlier.find(({ isOpen }) => isOpen) ?? earlier.find(({ isAnswered }) => isAnswered)
  return joined?.key ?? null
}

/** A request has failed if its last attempt has, in a way that its client retries. */
function stateOf(attempts: readonly EarlierCall[]): {
  isOpen: boolean
  isAnswered: boolean
  isFailed: boolean
} {
  const isOpen = attempts.some(({ status }) => status === 'PENDING' || status === 'PROCESSING')
  const isAnswered = attempts.some(({ status }) => status === 'SUCCEEDED')
  const failure = attempts[0]?.failure ?? null
  const isRetried = failure !== null && !isRetryBarred(failureOfAnswer(failure), false)
  return { isOpen, isAnswered, isFailed: !isOpen && !isAnswered && isRetried }
}
