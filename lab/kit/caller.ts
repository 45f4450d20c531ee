import { Client } from 'undici'

/** Path of paid calls. */
export const INVOKE = '/api/v1/agent/invoke'

/** A call that gets no answer within this time has failed, in ms. */
const CALL_TIMEOUT_MS = 20_000

/** A call as the load sends it. */
export type OutgoingCall = {
  readonly path: string
  readonly credential: string
  readonly body: string
  /** Further headers: name, value, name, value. */
  readonly headers?: readonly string[]
  /** Called at every piece of the answer. */
  readonly onData?: () => void
}

/** Any request. `headers` are name, value, name, value. */
export type OutgoingRequest = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: readonly string[]
  readonly body: string | null
  readonly onData?: () => void
}

/** A whole answer. */
export type Answer = {
  readonly status: number
  readonly text: string
  /** The header `Retry-After`, when there was one. */
  readonly retryAfter?: string
  /** True if it is the stored answer of an earlier call with this key. */
  readonly isReplayed?: boolean
}

/** One caller: one kept connection, used for one request at a time. */
export type Caller = {
  /** @throws Error when no whole answer came */
  post(call: OutgoingCall): Promise<Answer>
  /** @throws Error when no whole answer came */
  send(request: OutgoingRequest): Promise<Answer>
  close(): Promise<void>
}

/**
 * Opens a caller. It takes undici's dispatch as it is, without a stream for each answer: the load shares its
 * processor with what it measures and had better be light.
 */
export function openCaller(origin: string): Caller {
  const client = new Client(origin, {
    pipelining: 1,
    headersTimeout: CALL_TIMEOUT_MS,
    bodyTimeout: CALL_TIMEOUT_MS,
  })
  const send = ({ method, path, headers, body, onData }: OutgoingRequest): Promise<Answer> =>
    new Promise((resolve, reject) => {
      let status = 0
      let retryAfter: string | undefined
      let isReplayed = false
      const chunks: Buffer[] = []
      client.dispatch(
        { path, method, headers: [...headers], body },
        {
          onRequestStart: () => undefined,
          onResponseStart(_controller, code, headers) {
            status = code
            if (typeof headers['retry-after'] === 'string') retryAfter = headers['retry-after']
            isReplayed = headers['idempotent-replayed'] === 'true'
          },
          onResponseData(_controller, chunk) {
            chunks.push(chunk)
            onData?.()
          },
          onResponseEnd() {
            const [only] = chunks
            const whole = chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks)
            const text = whole.toString('utf8')
            resolve({ status, text, isReplayed, ...(retryAfter !== undefined && { retryAfter }) })
          },
          onResponseError: (_controller, error) => reject(error),
        },
      )
    })
  return {
    post: ({ path, credential, body, headers = [], ...more }) =>
      send({
        method: 'POST',
        path,
        body,
        ...more,
        headers: ['content-type', 'application/json', 'x-credential', credential, ...headers],
      }),
    send,
    close: () => client.close(),
  }
}
