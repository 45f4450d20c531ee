import type { LocalAccount } from 'viem/accounts'

const TIMEOUT_MS = 30_000

/** A JSON client of the gateway, for all that is not measured. */
export function createApi(baseUrl: string) {
  const call = async <Body>(
    method: 'GET' | 'POST' | 'PUT',
    path: string,
    options: { token?: string; body?: unknown; idempotencyKey?: string } = {},
  ): Promise<{ status: number; body: Body }> => {
    const headers: Record<string, string> = {}
    if (options.token !== undefined) headers.authorization = `Bearer ${options.token}`
    if (options.body !== undefined) headers['content-type'] = 'application/json'
    if (options.idempotencyKey !== undefined) headers['x-idempotency-key'] = options.idempotencyKey
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers,
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(options.body !== undefined && { body: JSON.stringify(options.body) }),
    })
    return { status: response.status, body: (await response.json()) as Body }
  }
  const ok = async <Body>(...request: Parameters<typeof call>): Promise<Body> => {
    const { status, body } = await call<Body>(...request)
    if (status !== 200)
      throw new Error(`${request[0]} ${request[1]} answered ${status}: ${JSON.stringify(body)}`)
    return body
  }
  return {
    /** A call that may be refused. */
    call,
    /** A call that must succeed. */
    ok,
    /** Signs a wallet in by an EIP-4361 message; returns its session token. */
    async signIn(account: LocalAccount): Promise<string> {
      const asked = `/api/v1/auth/challenge?address=${account.address}`
      const { challenge } = await ok<{ challenge: string }>('GET', asked)
      const signature = await account.signMessage({ message: challenge })
      const body = { address: account.address, message: challenge, signature }
      return (await ok<{ token: string }>('POST', '/api/v1/auth/verify', { body })).token
    },
  }
}

/** See {@link createApi}. */
export type Api = ReturnType<typeof createApi>
