import { type Client, createClient } from '@farebox/client'
import { type ErrorDetail, GatewayError } from '@farebox/client/errors'
import { signIn } from '@farebox/client/sign-in'
import type { ErrorCode } from '@farebox/wire/errors'
import type { LocalAccount } from 'viem/accounts'

const TIMEOUT_MS = 30_000

/**
 * A client of the gateway that is toured. Every request is sent once and never again by itself, so that what is counted
 * at the provider is what the tour has asked.
 */
export function connect(baseUrl: string, who: { token?: string; credential?: string } = {}): Client {
  const { token = null, credential } = who
  return createClient({ baseUrl, credential, token: () => token, retries: 0, timeoutMs: TIMEOUT_MS })
}

/** A wallet's own client, by the session that its signature opens. */
export async function arrive(baseUrl: string, account: LocalAccount): Promise<Client> {
  const { token } = await signIn(connect(baseUrl), account)
  return connect(baseUrl, { token })
}

/** A request that must be refused with this code; returns what the refusal says beside it. */
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

/** Development mode alone has a faucet and a mailbox, so the contract does not know them. */
async function askDevelopment<Body>(url: string, init: RequestInit = {}): Promise<Body> {
  const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) })
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as Body
}

/** Test ether, and this much test USDC; returns the transaction. */
export async function pour(baseUrl: string, address: string, amountUsdc: string): Promise<string> {
  const { txHash } = await askDevelopment<{ txHash: string }>(`${baseUrl}/dev/faucet`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ address, amountUsdc }),
  })
  return txHash
}

/** The mails that an address was sent, the newest first. */
export async function mailsTo(baseUrl: string, to: string): Promise<{ subject: string; text: string }[]> {
  const { mails } = await askDevelopment<{ mails: { subject: string; text: string }[] }>(
    `${baseUrl}/dev/mailbox?to=${encodeURIComponent(to)}`,
  )
  return mails
}
