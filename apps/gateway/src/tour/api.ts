import type { LocalAccount } from 'viem/accounts'

const TIMEOUT_MS = 30_000

/** An answer of the gateway: its status, headers and JSON body. */
export type Reply<Body> = { readonly status: number; readonly headers: Headers; readonly body: Body }

/** The error body of every endpoint, as far as the tour looks at it. */
export type ErrorReply = {
  readonly code: string
  readonly message: string
  readonly detail: Record<string, unknown>
}

/** What goes with a request. */
type Sent = { token?: string; credential?: string; idempotencyKey?: string; body?: unknown }

/** Calls a gateway. A member of `auth` becomes the header that carries it. */
export function createApi(baseUrl: string) {
  const send = (method: string, path: string, options: Sent): Promise<Response> => {
    const headers: Record<string, string> = {}
    if (options.token !== undefined) headers.authorization = `Bearer ${options.token}`
    if (options.credential !== undefined) headers['x-credential'] = options.credential
    if (options.idempotencyKey !== undefined) headers['x-idempotency-key'] = options.idempotencyKey
    if (options.body !== undefined) headers['content-type'] = 'application/json'
    return fetch(`${baseUrl}${path}`, {
      method,
      headers,
      ...(options.body !== undefined && { body: JSON.stringify(options.body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
  }
  const call = async <Body>(method: string, path: string, options: Sent = {}): Promise<Reply<Body>> => {
    const response = await send(method, path, options)
    return { status: response.status, headers: response.headers, body: (await response.json()) as Body }
  }

  return {
    url: baseUrl,
    call,
    /** A call that must be answered by a stream; its events, as they come. */
    async *events(
      method: string,
      path: string,
      options: Sent,
    ): AsyncGenerator<{ name: string; data: string }> {
      const { status, body } = await send(method, path, options)
      if (status !== 200 || body === null) throw new Error(`${method} ${path} answered ${status}`)
      let rest = ''
      for await (const text of body.pipeThrough(new TextDecoderStream())) {
        const blocks = (rest + text).split('\n\n')
        rest = blocks.pop() ?? ''
        for (const block of blocks) yield readEvent(block)
      }
    },
    /** A call that must succeed. */
    async ok<Body>(...request: Parameters<typeof call>): Promise<Body> {
      const { status, body } = await call<Body>(...request)
      if (status !== 200)
        throw new Error(`${request[0]} ${request[1]} answered ${status}: ${JSON.stringify(body)}`)
      return body
    },
    /** A call that must be refused with this code. */
    async refused(code: string, ...request: Parameters<typeof call>): Promise<ErrorReply> {
      const { status, body } = await call<ErrorReply>(...request)
      if (status < 400 || body.code !== code) {
        throw new Error(
          `${request[0]} ${request[1]} should be refused with ${code}, but: ${status} ${JSON.stringify(body)}`,
        )
      }
      return body
    },
    /** Signs a wallet in by an EIP-4361 message; returns its session token. */
    async signIn(account: LocalAccount): Promise<string> {
      const { challenge } = await this.ok<{ challenge: string }>(
        'GET',
        `/api/v1/auth/challenge?address=${account.address}`,
      )
      const signature = await account.signMessage({ message: challenge })
      const body = { address: account.address, message: challenge, signature }
      return (await this.ok<{ token: string }>('POST', '/api/v1/auth/verify', { body })).token
    },
  }
}

/** A server-sent event of the gateway: one name, one piece of data. */
function readEvent(block: string): { name: string; data: string } {
  const lines = block.split('\n')
  const of = (field: string) =>
    lines.flatMap(line => (line.startsWith(`${field}: `) ? [line.slice(field.length + 2)] : []))
  return { name: of('event')[0] ?? '', data: of('data').join('\n') }
}

/** See {@link createApi}. */
export type Api = ReturnType<typeof createApi>
