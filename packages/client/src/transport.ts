import { GatewayError, readError } from './errors.ts'

const TIMEOUT_MS = 30_000
/** Further attempts at a request that may be sent again. */
const RETRIES = 2
const PAUSE_MS = 300
/** A gateway that asks for more patience than this is not waited for: its word is handed on. */
const PATIENCE_SECONDS_MAX = 5

/** How a client reaches its gateway, and as whom. */
export type ClientOptions = {
  /** Where the gateway is; in a browser, '' is where the page came from. */
  readonly baseUrl: string
  /** The wallet's session token at this moment, or null. */
  readonly token?: () => string | null
  /** An agent credential; goes with every request. */
  readonly credential?: string
  /**
   * Called when the gateway does not take the session token any more. May bring a new one, by which the request is
   * sent once again; null gives it up.
   */
  readonly onUnauthorized?: (signal: AbortSignal | undefined) => Promise<string | null>
  /** Longest wait for the head of an answer, in ms; default 30,000. */
  readonly timeoutMs?: number
  /** Further attempts at reads, and at writes that bear an idempotency key; default 2. */
  readonly retries?: number
  /** Another `fetch`. */
  readonly fetch?: typeof globalThis.fetch
}

/** One request, as sent. */
export type Outgoing = {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  readonly signal: AbortSignal | undefined
  readonly timeoutMs: number | undefined
  /** Whether sending it twice does no more than sending it once. */
  readonly isRepeatable: boolean
}

/**
 * Sends requests, repeatedly where that does no harm.
 *
 * @returns the answer to each, which is a success
 * @throws GatewayError what the gateway says, or why it does not
 */
export function createTransport(options: ClientOptions): (request: Outgoing) => Promise<Response> {
  const retries = options.retries ?? RETRIES

  async function attempt(request: Outgoing, renewed?: string): Promise<Response> {
    const isSomebodyElse = request.headers.authorization !== undefined
    const token = isSomebodyElse ? null : (renewed ?? options.token?.() ?? null)
    const headers = {
      ...request.headers,
      ...(options.credential !== undefined && { 'x-credential': options.credential }),
      ...(token !== null && { authorization: `Bearer ${token}` }),
    }
    const response = await reach({ ...request, headers }, options)
    if (response.ok || response.status === 304) return response
    const error = await readError(response)
    const mayRenew = error.code === 'UNAUTHORIZED' && token !== null && renewed === undefined
    if (!mayRenew || options.onUnauthorized === undefined) throw error
    const next = await options.onUnauthorized(request.signal)
    if (next === null) throw error
    return attempt(request, next)
  }

  return async request => {
    for (let failures = 0; ; failures++) {
      try {
        return await attempt(request)
      } catch (error) {
        const isWorthIt = error instanceof GatewayError && error.isPassing && request.isRepeatable
        if (!isWorthIt || failures >= retries || (error.retryAfter ?? 0) > PATIENCE_SECONDS_MAX) throw error
        await pause(error.retryAfter, failures, request.signal)
      }
    }
  }
}

/** One attempt; its timeout ends with the head of the answer, so that streams may take their time. */
async function reach(request: Outgoing, options: ClientOptions): Promise<Response> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), request.timeoutMs ?? options.timeoutMs ?? TIMEOUT_MS)
  const { method, headers, body, signal } = request
  try {
    return await (options.fetch ?? globalThis.fetch)(request.url, {
      ...{ method, headers },
      ...(body !== undefined && { body }),
      signal: signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]),
    })
  } catch (cause) {
    if (signal?.aborted) throw signal.reason
    if (late.signal.aborted)
      throw new GatewayError('TIMEOUT', 'The gateway did not answer in time.', { cause })
    throw new GatewayError('UNREACHABLE', 'The gateway cannot be reached.', { cause })
  } finally {
    clearTimeout(timer)
  }
}

/** Waits as the gateway asks, or longer with each failure, and never in step with others. */
function pause(seconds: number | null, failures: number, signal: AbortSignal | undefined): Promise<void> {
  const ms = seconds === null ? PAUSE_MS * 2 ** failures * (0.5 + Math.random()) : seconds * 1_000
  return new Promise((resolve, reject) => {
    const give = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', give)
      resolve()
    }, ms)
    signal?.addEventListener('abort', give, { once: true })
  })
}
