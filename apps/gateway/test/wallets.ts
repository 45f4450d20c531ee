import type { ChallengeAnswer, SessionAnswer } from '@farebox/wire/auth'
import sql from 'sql-template-tag'
import type { Address, Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import type { App } from '../src/app.ts'
import { signSession } from '../src/domains/auth/session-token.ts'
import type { Deps } from '../src/ports.ts'

/** A wallet with a key of its own, never used before. `address` is checksummed. */
export function newWallet() {
  return privateKeyToAccount(generatePrivateKey())
}

/** Whatever can sign a challenge in the name of an address. */
export type Signer = {
  readonly address: Address
  signMessage(input: { message: string }): Promise<Hex>
}

/** An answer of the gateway, its body read as JSON. */
export type Answer<Body = Record<string, unknown>> = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Body
}

/** What goes into a request. `token` becomes `Authorization: Bearer`. */
export type Sent = {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly body?: unknown
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * Sends one request and reads the answer as JSON, whatever its status.
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
    const answer = await fetch(gateway + path, { method, headers, ...body })
    return {
      status: answer.status,
      headers: Object.fromEntries(answer.headers),
      body: (await answer.json()) as Body,
    }
  }
  const answer = await gateway.inject({ method, url: path, headers, ...body })
  const entries = Object.entries(answer.headers).map(([name, value]) => [name, String(value)])
  return { status: answer.statusCode, headers: Object.fromEntries(entries), body: answer.json() }
}

/** Asks for a sign-in challenge. */
export async function askChallenge(gateway: string | App, address: string): Promise<string> {
  const { status, body } = await send<ChallengeAnswer>(gateway, `/api/v1/auth/challenge?address=${address}`)
  if (status !== 200) throw new Error(`No challenge: ${JSON.stringify(body)}`)
  return body.challenge
}

/**
 * Signs a wallet in by the door that clients use: challenge, signature, verify.
 *
 * @returns the session token
 */
export async function signIn(gateway: string | App, signer: Signer): Promise<string> {
  const message = await askChallenge(gateway, signer.address)
  const signature = await signer.signMessage({ message })
  const { status, body } = await send<SessionAnswer>(gateway, '/api/v1/auth/verify', {
    method: 'POST',
    body: { address: signer.address, message, signature },
  })
  if (status !== 200) throw new Error(`Not signed in: ${JSON.stringify(body)}`)
  return body.token
}

/**
 * A session token without the door: for tests that need many wallets, and no chain to verify their signatures.
 *
 * @returns the session token, as {@link signIn} does
 */
export async function sessionFor(
  deps: Pick<Deps, 'config' | 'db' | 'clock' | 'ids'>,
  address: Address,
): Promise<string> {
  const wallet = address.toLowerCase() as Address
  await deps.db.query(
    sql`insert into wallets (address, username) values (${wallet}, 'tester') on conflict do nothing`,
  )
  return signSession(deps, wallet)
}
