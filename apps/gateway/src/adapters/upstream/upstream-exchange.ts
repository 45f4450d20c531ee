import type { Dispatcher } from 'undici'
import type {
  StreamLimits,
  UpstreamAnswer,
  UpstreamFailureReason,
  UpstreamRequest,
  UpstreamStream,
} from '../../upstream-ports.ts'
import { readRetryAfter } from './retry-after.ts'
import { UpstreamBody } from './upstream-body.ts'
import { BlockedAddressError } from './upstream-connector.ts'

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\b/i
const EVENT_STREAM = /^text\/event-stream\b/i

/** Error that aborts running requests when the gateway stops. */
export class StoppingError extends Error {
  override readonly name = 'StoppingError'
}

/** Codes of undici's errors that mean more than a broken connection. */
const reasonByCode: Readonly<Record<string, UpstreamFailureReason>> = {
  UND_ERR_CONNECT_TIMEOUT: 'connect',
  UND_ERR_HEADERS_OVERFLOW: 'too_large',
}

/**
 * One request and its answer: collects the answer, or hands it over as it arrives, enforces its limits, and settles
 * once, with a value. It is undici's handler itself, so a call needs no further stream, abort signal or promise.
 */
export class UpstreamExchange implements Dispatcher.DispatchHandler {
  /** Settles with the outcome; never rejects. That of a streamed answer has no body. */
  readonly outcome: Promise<UpstreamAnswer>
  readonly #settle: (outcome: UpstreamAnswer) => void
  readonly #onStream: ((stream: UpstreamStream) => void) | null
  readonly #jsonBytesMax: number
  #bytesMax: number
  readonly #onClosed: () => void
  readonly #streamLimits: StreamLimits | null
  #deadline: NodeJS.Timeout
  #idle: NodeJS.Timeout | undefined
  #controller: Dispatcher.DispatchController | null = null
  #isSettled = false
  #isClosed = false
  #status = 0
  #contentType = ''
  #retryAfterSeconds: number | null = null
  #chunks: Buffer[] = []
  #bytes = 0
  #stream: UpstreamBody | null = null

  /**
   * @param limits.timeoutMs until the last byte or the head of a stream, waits for a connection included
   * @param on.stream        takes a successful event stream at its head; null: it is collected
   * @param on.closed        called once undici is done with the request, possibly after the outcome
   */
  constructor(
    limits: Pick<UpstreamRequest, 'timeoutMs' | 'stream' | 'responseBytesMax' | 'jsonBytesMax'>,
    on: { stream: ((stream: UpstreamStream) => void) | null; closed: () => void },
  ) {
    const { promise, resolve } = Promise.withResolvers<UpstreamAnswer>()
    this.outcome = promise
    this.#settle = resolve
    this.#onStream = on.stream
    this.#bytesMax = limits.responseBytesMax
    this.#jsonBytesMax = limits.jsonBytesMax ?? limits.responseBytesMax
    this.#onClosed = on.closed
    this.#streamLimits = limits.stream ?? null
    this.#deadline = setTimeout(() => this.#fail('timeout'), Math.max(0, limits.timeoutMs))
  }

  /** Called when there is a connection, just before the first byte is written. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Thrown, not aborted: an abort would close a connection that the next request could use.
    if (this.#isSettled) throw new Error('The deadline passed before a connection was free.')
    this.#controller = controller
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return
    this.#status = status
    this.#contentType = firstOf(headers['content-type'])
    if (status < 300 && JSON_TYPE.test(this.#contentType))
      this.#bytesMax = Math.min(this.#bytesMax, this.#jsonBytesMax)
    const encoding = firstOf(headers['content-encoding']).trim().toLowerCase()
    if (status >= 400) this.#retryAfterSeconds = readRetryAfter(firstOf(headers['retry-after']), Date.now())
    if (status >= 300 && status < 400) this.#fail('redirect')
    else if (encoding !== '' && encoding !== 'identity') this.#fail('encoding')
    else if (status < 300 && this.#onStream !== null && EVENT_STREAM.test(this.#contentType)) {
      this.#onStream(this.#openStream(controller))
    }
  }

  /** Hands the body over. From now on the limits of streams count; a stream that its reader holds back is not idle. */
  #openStream(controller: Dispatcher.DispatchController): UpstreamStream {
    const head = { status: this.#status, contentType: this.#contentType }
    const cancel = () => this.#fail('reset')
    const limits = this.#streamLimits
    if (limits === null) {
      this.#stream = new UpstreamBody(head, controller, cancel)
      return this.#stream
    }
    clearTimeout(this.#deadline)
    this.#deadline = setTimeout(() => this.#fail('timeout'), limits.maxMs)
    this.#bytesMax = limits.bytesMax
    const awaitMore = () => {
      this.#idle = setTimeout(() => this.#fail('timeout', { isIdle: true }), limits.idleMs)
    }
    const flow = {
      pause: () => {
        clearTimeout(this.#idle)
        controller.pause()
      },
      resume: () => {
        if (this.#isSettled) return
        awaitMore()
        controller.resume()
      },
    }
    awaitMore()
    this.#stream = new UpstreamBody(head, flow, cancel)
    return this.#stream
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isSettled) return
    this.#bytes += chunk.length
    this.#idle?.refresh()
    if (this.#bytes > this.#bytesMax) this.#fail('too_large')
    else if (this.#stream !== null) this.#stream.push(chunk)
    else this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    const [only] = this.#chunks
    const body = this.#chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.#chunks)
    const head = { status: this.#status, contentType: this.#contentType }
    this.#end({ ...head, retryAfterSeconds: this.#retryAfterSeconds, body })
    this.#close()
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    this.#fail(this.#reasonOf(error))
    this.#close()
  }

  #reasonOf(error: Error): UpstreamFailureReason {
    if (error instanceof BlockedAddressError) return 'blocked_address'
    if (error instanceof StoppingError) return 'stopping'
    const code = 'code' in error ? String(error.code) : ''
    return reasonByCode[code] ?? (this.#controller === null ? 'connect' : 'reset')
  }

  #fail(reason: UpstreamFailureReason, idle: { isIdle?: true } = {}): void {
    // A finished request is not aborted: its connection may already serve the next one.
    if (this.#isSettled) return
    const head = this.#status === 0 ? { answered: false } : { answered: true, status: this.#status }
    this.#end({ failure: { reason, sent: this.#controller !== null, ...head, ...idle } })
    this.#controller?.abort(new Error(reason))
  }

  #end(outcome: UpstreamAnswer): void {
    if (this.#isSettled) return
    this.#isSettled = true
    clearTimeout(this.#deadline)
    clearTimeout(this.#idle)
    this.#chunks = []
    this.#stream?.finish('failure' in outcome ? outcome.failure : null)
    this.#settle(outcome)
  }

  #close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#onClosed()
  }
}

function firstOf(header: string | string[] | undefined): string {
  return (Array.isArray(header) ? header[0] : header) ?? ''
}
