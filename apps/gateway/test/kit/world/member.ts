import type { Address } from 'viem'
import type { Deps } from '../../../src/ports.ts'
import { type Answer, type Sent, send } from '../network/http.ts'
import { newWallet, sessionFor } from './wallets.ts'

/** A signed-in wallet and its requests. Their paths are below `/api/v1`. */
export type Member = {
  /** Checksummed. */
  readonly address: Address
  /** Lower-case. */
  readonly wallet: Address
  readonly token: string
  send<Body = Record<string, unknown>>(
    path: string,
    sent?: Sent,
  ): Promise<Answer<Body & Record<string, unknown>>>
  /** The same with the method first. */
  ask<Body = Record<string, unknown>>(
    method: NonNullable<Sent['method']>,
    path: string,
    body?: unknown,
  ): Promise<Answer<Body>>
}

/** Gives a wallet, a new one by default, a session without a challenge. */
export async function signInMember(
  { url, deps }: { readonly url: string; readonly deps: Deps },
  { address }: { readonly address: Address } = newWallet(),
): Promise<Member> {
  const token = await sessionFor(deps, address)
  return {
    address,
    wallet: address.toLowerCase() as Address,
    token,
    send: (path, sent) => send(url, `/api/v1${path}`, { token, ...sent }),
    ask: (method, path, body) => send(url, `/api/v1${path}`, { method, token, body }),
  }
}
