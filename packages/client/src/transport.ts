import { GatewayError, readError } from './errors.ts'

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
  readonly token?: (() => string | null) | undefined
  /** An agent credential; goes with every request that is not given another one. */
  readonly credential?: string | undefined
  /**
   * Called when the gateway does not take the session token any more. May bring a new one, by which the request is
   * sent once again; null gives it up.
   */
  readonly onUnauthorized?: ((signal: AbortSignal | undefined) => Promise<string | null>) | undefined
  /**
   * Longest wait for an answer, in ms; for the head of one that is a stream, or not JSON. Default 30,000, and 135,000
   * where a service is called: those may take 120 s.
   */
  readonly timeoutMs?: number | undefined
  /** Further attempts at reads, and at writes that bear an idempotency key; default 2. */
  readonly retries?: number | undefined
  /** Another `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

/** One request, as sent. */
export type Outgoing = {
  readonly method: string
  readonly url: string
  readonly headers: Headers
  readonly body: string | undefined
  readonly signal: AbortSignal | undefined
  readonly timeoutMs: number
  /** Whether sending it twice does no more than sending it once. */
  readonly isRepeatable: boolean
}

/**
 * Reads an answer, as part of the attempt: within its time, and again with it. What hands the answer on unread ends
 * both with its head, so that streams may take their time.
 */
export type Read<Answer> = (response: Response) => Answer | Promise<Answer>

/**
 * Sends requests, repeatedly where that does no harm.
 *
 * @returns what is read of the answer to each, which is a success
 * @throws GatewayError what the gateway says, or why it does not
 */
export function createTransport(
  options: ClientOptions,
): <Answer>(request: Outgoing, read: Read<Answer>) => Promise<Answer> {
  const retries = options.retries ?? RETRIES

  async function attempt<Answer>(request: Outgoing, read: Read<Answer>, renewed?: string): Promise<Answer> {
    const headers = new Headers(request.headers)
    const isSomebodyElse = headers.has('authorization')
    const token = isSomebodyElse ? null : (renewed ?? options.token?.() ?? null)
    if (token !== null) headers.set('authorization', `Bearer ${token}`)
    if (options.credential !== undefined && !headers.has('x-credential')) {
      headers.set('x-credential', options.credential)
    }
    try {
      return await reach({ ...request, headers }, read, options)
    } catch (error) {
      const isOver = error instanceof GatewayError && error.code === 'UNAUTHORIZED'
      const mayRenew = isOver && token !== null && renewed === undefined
      const next = mayRenew ? await options.onUnauthorized?.(request.signal) : null
      if (next === null || next === undefined) throw error
      return attempt(request, read, next)
    }
  }

  return async (request, read) => {
    for (let failures = 0; ; failures++) {
      try {
        return await attempt(request, read)
      } catch (error) {
        const isWorthIt = error instanceof GatewayError && error.isPassing && request.isRepeatable
        if (!isWorthIt || failures >= retries || (error.retryAfter ?? 0) > PATIENCE_SECONDS_MAX) throw error
        await pause(error.retryAfter, failures, request.signal)
      }
    }
  }
}

/** One attempt. */
async function reach<Answer>(request: Outgoing, read: Read<Answer>, options: ClientOptions): Promise<Answer> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), request.timeoutMs)
  const { method, headers, body, signal } = request
  try {
    const response = await (options.fetch ?? globalThis.fetch)(request.url, {
      method,
      headers,
      ...(body !== undefined && { body }),
      signal: signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]),
    })
    if (!response.ok && response.status !== 304) throw await readError(response)
    return await read(response)
  } catch (cause) {
    if (cause instanceof GatewayError) throw cause
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
