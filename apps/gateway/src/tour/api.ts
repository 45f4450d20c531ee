import { type Client, createClient } from '@farebox/client'
import { type ErrorDetail, GatewayError } from '@farebox/client/errors'
import { signIn } from '@farebox/client/sign-in'
import type { ErrorCode } from '@farebox/wire/errors'
import type { LocalAccount } from 'viem/accounts'

const TIMEOUT_MS = 30_000

/**
 * Returns a client of the gateway. It never retries, so that the calls counted at the provider are those of the tour.
 */
export function connect(baseUrl: string, who: { token?: string; credential?: string } = {}): Client {
  const { token = null, credential } = who
  return createClient({ baseUrl, credential, token: () => token, retries: 0, timeoutMs: TIMEOUT_MS })
}

/** Signs a wallet in and returns its client. */
export async function arrive(baseUrl: string, account: LocalAccount): Promise<Client> {
  const { token } = await signIn(connect(baseUrl), account)
  return connect(baseUrl, { token })
}

/** Sends a request that must be refused with this code; returns the detail of the refusal. */
export async function refused(code: ErrorCode, request: Promise<unknown>): Promise<ErrorDetail> {
  const [outcome] = await Promise.allSettled([request])
  if (outcome.status === 'fulfilled') {
    throw new Error(`This should be refused with ${code}, but: ${JSON.stringify(outcome.value)}`)
  }
  const error: unknown = outcome.reason
  if (!(error instanceof GatewayError) || error.code !== code) {
    throw new Error(`This should be refused with ${code}, but: ${String(error)}`, { cause: error })
  }
  return error.detail
}

/** Only development mode has a faucet and a mailbox, so the contract lacks them. */
async function askDevelopment<Body>(url: string, init: RequestInit = {}): Promise<Body> {
  const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) })
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as Body
}

/** Requests test ether and this much test USDC; returns the transaction. */
export async function pour(baseUrl: string, address: string, amountUsdc: string): Promise<string> {
  const { txHash } = await askDevelopment<{ txHash: string }>(`${baseUrl}/dev/faucet`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ address, amountUsdc }),
  })
  return txHash
}

/** Returns the mails to an address, newest first. */
export async function mailsTo(baseUrl: string, to: string): Promise<{ subject: string; text: string }[]> {
  const { mails } = await askDevelopment<{ mails: { subject: string; text: string }[] }>(
    `${baseUrl}/dev/mailbox?to=${encodeURIComponent(to)}`,
  )
  return mails
}
