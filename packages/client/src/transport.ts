import { GatewayError, readError } from './errors.ts'
import { pause } from './pause.ts'

/** Default number of retries of a repeatable request. */
const RETRIES = 2
const PAUSE_MS = 300
/** The client does not retry when the gateway asks it to wait longer than this. */
const PATIENCE_SECONDS_MAX = 5

/** Address, credentials and limits of a client. */
export type ClientOptions = {
  /** Base URL of the gateway; in a browser, '' is the origin of the page. */
  readonly baseUrl: string
  /** Returns the current session token of the wallet, or null. */
  readonly token?: (() => string | null) | undefined
  /** Agent credential, sent with every request that does not specify its own. */
  readonly credential?: string | undefined
  /**
   * Called when the gateway rejects a session token, which it gets as `refused`. Returns a new token, with which the
   * request is sent once more, or null to give up.
   */
  readonly onUnauthorized?:
    | ((signal: AbortSignal | undefined, refused: string) => Promise<string | null>)
    | undefined
  /**
   * Timeout for the response, in ms. Covers only the response headers for streams and responses other than JSON.
   * Default 30,000; 135,000 for operations that call a service, as a call may take 120 s.
   */
  readonly timeoutMs?: number | undefined
  /**
   * Number of retries of reads, and of writes with an idempotency key. Default 2. A request whose first attempt still
   * runs at the gateway (IDEMPOTENCY_IN_PROGRESS) is repeated for as long as its timeout instead; 0 turns both off.
   */
  readonly retries?: number | undefined
  /** Replacement for the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

/** A request as it is sent. */
export type Outgoing = {
  readonly method: string
  readonly url: string
  readonly headers: Headers
  readonly body: string | undefined
  readonly signal: AbortSignal | undefined
  readonly timeoutMs: number
  /** True if sending it twice has the same effect as sending it once. */
  readonly isRepeatable: boolean
}

/**
 * Reads a response as part of the attempt: the timeout covers it, and a retry repeats it. A reader that returns the
 * response unread ends the attempt at the headers, so a stream may take longer.
 */
export type Read<Answer> = (response: Response) => Answer | Promise<Answer>

/**
 * Returns a function that sends a request, with retries if it is repeatable, and reads the successful response.
 *
 * @throws GatewayError for an error response, or when no response arrived
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
      const next = mayRenew ? await options.onUnauthorized?.(request.signal, token) : null
      if (next === null || next === undefined) throw error
      return attempt(request, read, next)
    }
  }

  return async (request, read) => {
    const end = Date.now() + request.timeoutMs
    for (let failures = 0; ; ) {
      try {
        return await attempt(request, read)
      } catch (error) {
        if (!isWorthRetrying(error, request)) throw error
        const isRunning = retries > 0 && isUnderWay(error)
        if (isRunning ? Date.now() >= end : failures >= retries) throw error
        await pause(pauseMs(error.retryAfter, failures), request.signal)
        if (!isRunning) failures += 1
      }
    }
  }
}

/** Returns true if an attempt under the same key, or the payment that was sent, is under way: its end is awaited. */
function isUnderWay({ code, detail }: GatewayError): boolean {
  return code === 'IDEMPOTENCY_IN_PROGRESS' || detail.reason === 'payment_pending'
}

function isWorthRetrying(error: unknown, { isRepeatable }: Outgoing): error is GatewayError {
  const isPassing = error instanceof GatewayError && error.isPassing
  return isPassing && isRepeatable && (error.retryAfter ?? 0) <= PATIENCE_SECONDS_MAX
}

/** Sends a request once. */
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
    const place = URL.canParse(request.url) ? ` at ${new URL(request.url).origin}` : ''
    throw new GatewayError('UNREACHABLE', `The gateway cannot be reached${place}.`, { cause })
  } finally {
    clearTimeout(timer)
  }
}

/** Returns the pause that the gateway asks for, or one of exponential backoff with jitter, in ms. */
function pauseMs(seconds: number | null, failures: number): number {
  return seconds === null ? PAUSE_MS * 2 ** failures * (0.5 + Math.random()) : seconds * 1_000
}
