import { request } from 'undici'
import type { App } from '../../../src/app.ts'

/** An answer of a gateway with its JSON body. */
export type Answer<Body = Record<string, unknown>> = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Body
}

/** The parts of a request. `token` becomes `Authorization: Bearer`. */
export type Sent = {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly body?: unknown
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * Sends a request and parses the answer as JSON, whatever its status.
 *
 * @param gateway base URL of a listening gateway, or an app
 * @param path    from the root, e.g. `/api/v1/auth/me`
 */
export async function send<Body = Record<string, unknown>>(
  gateway: string | App,
  path: string,
  sent: Sent = {},
): Promise<Answer<Body>> {
  const method = sent.method ?? 'GET'
  const headers: Record<string, string> = {
    ...(sent.body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(sent.token === undefined ? {} : { authorization: `Bearer ${sent.token}` }),
    ...sent.headers,
  }
  const body = sent.body === undefined ? {} : { body: JSON.stringify(sent.body) }
  if (typeof gateway === 'string') {
    // Whole tests take a sixth less processor time than with `fetch`.
    const answer = await request(gateway + path, { method, headers, ...body })
    return {
      status: answer.statusCode,
      headers: textsOf(answer.headers),
      body: (await answer.body.json()) as Body,
    }
  }
  const answer = await gateway.inject({ method, url: path, headers, ...body })
  return { status: answer.statusCode, headers: textsOf(answer.headers), body: answer.json() }
}

const textsOf = (headers: object): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))

/** Sends a POST to a path below `/api/v1`. */
export function post<Body = Record<string, unknown>>(
  on: { readonly url: string },
  path: string,
  sent: { token?: string; headers?: Record<string, string>; body?: unknown },
): Promise<Answer<Body>> {
  return send<Body>(on.url, `/api/v1${path}`, { method: 'POST', ...sent })
}

/** Sends a GET to a path below `/api/v1`. */
export function get<Body = Record<string, unknown>>(
  on: { readonly url: string },
  path: string,
  sent: { token?: string; headers?: Record<string, string> } = {},
): Promise<Answer<Body>> {
  return send<Body>(on.url, `/api/v1${path}`, sent)
}

/** Returns the answer of a call, or null when its connection was cut. */
export function answerOrCut<Body>(call: Promise<Answer<Body>>): Promise<Answer<Body> | null> {
  return call.catch(() => null)
}

/** Returns the members of an answer that reports an error code, for `toMatchObject`. */
export const refusal = (code: string, status: number) => ({ status, body: { code, detail: { code } } })
