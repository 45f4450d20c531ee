import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

const REQUEST_TIMEOUT_MS = 10_000

/** Signs a wallet in and returns the token of its session. */
export async function signIn(baseUrl: string, key: Hex): Promise<string> {
  const { address, signMessage } = privateKeyToAccount(key)
  const { challenge } = await call<{ challenge: string }>(baseUrl, `/auth/challenge?address=${address}`)
  const body = { address, message: challenge, signature: await signMessage({ message: challenge }) }
  return (await call<{ token: string }>(baseUrl, '/auth/verify', { method: 'POST', body })).token
}

/**
 * Calls the public API.
 *
 * @param path below `/api/v1`
 * @throws Error with the gateway's answer, if that is an error
 */
export async function call<Answer>(
  baseUrl: string,
  path: string,
  options: { token?: string; method?: string; body?: object } = {},
): Promise<Answer> {
  const { token, method = 'GET', body } = options
  const response = await fetch(`${baseUrl}/api/v1${path}`, {
    method,
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${text}`)
  return JSON.parse(text) as Answer
}
