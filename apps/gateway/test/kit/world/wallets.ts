import type { ChallengeAnswer, SessionAnswer } from '@farebox/wire/auth'
import sql from 'sql-template-tag'
import type { Address, Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import type { App } from '../../../src/app.ts'
import { signSession } from '../../../src/domains/auth/session-token.ts'
import type { Deps } from '../../../src/ports.ts'
import { send } from '../network/http.ts'

/** Returns a wallet with a new key. `address` is checksummed. */
export function newWallet() {
  return privateKeyToAccount(generatePrivateKey())
}

/** Signs challenges for an address. */
export type Signer = {
  readonly address: Address
  signMessage(input: { message: string }): Promise<Hex>
}

/** Requests a sign-in challenge. */
export async function askChallenge(gateway: string | App, address: string): Promise<string> {
  const { status, body } = await send<ChallengeAnswer>(gateway, `/api/v1/auth/challenge?address=${address}`)
  if (status !== 200) throw new Error(`No challenge: ${JSON.stringify(body)}`)
  return body.challenge
}

/**
 * Signs a wallet in over HTTP: challenge, signature, verify.
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
 * Returns a session token without a challenge, for tests with many wallets and no chain to verify their signatures.
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
