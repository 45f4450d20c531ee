import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

/** What agents call the sample service by. */
export const SAMPLE_TOOL_NAME = 'echo'
const PRICE_USDC = '0.010000'
const REQUEST_TIMEOUT_MS = 10_000
const PAGE_SIZE = 100

type Service = { serviceId: string; agentToolName: string; invoke?: { targets?: { url: string }[] } }

/**
 * Registers the sample provider's service as any provider would: signs in with a wallet of its own and calls the
 * public API. When it is there already, its target is brought up to date.
 *
 * @param input.baseUrl   of the gateway
 * @param input.key       of the sample provider's wallet
 * @param input.targetUrl where the sample provider listens
 * @throws Error that says so, with the gateway's answer, when it refuses
 */
export async function registerSampleService(input: {
  baseUrl: string
  key: Hex
  targetUrl: string
}): Promise<void> {
  const { baseUrl, key, targetUrl } = input
  const token = await signIn(baseUrl, key)
  const { services } = await call<{ services: Service[] }>(baseUrl, `/services?limit=${PAGE_SIZE}`, { token })
  const existing = services.find(service => service.agentToolName === SAMPLE_TOOL_NAME)
  const invoke = { method: 'POST', targets: [{ url: targetUrl, weight: 1 }] }
  if (existing === undefined) {
    const manifest = {
      serviceName: 'Echo',
      agentToolName: SAMPLE_TOOL_NAME,
      summary: 'Answers every call with what it was sent. The sample provider of development mode.',
      tags: ['sample'],
      pricing: { currency: 'USDC', amount: PRICE_USDC },
      invoke,
    }
    await call(baseUrl, '/services', { token, method: 'POST', body: manifest })
    return
  }
  const [target] = existing.invoke?.targets ?? []
  if (target?.url === targetUrl) return
  await call(baseUrl, `/services/${existing.serviceId}`, { token, method: 'PUT', body: { invoke } })
}

async function signIn(baseUrl: string, key: Hex): Promise<string> {
  const { address, signMessage } = privateKeyToAccount(key)
  const { challenge } = await call<{ challenge: string }>(baseUrl, `/auth/challenge?address=${address}`)
  const body = { address, message: challenge, signature: await signMessage({ message: challenge }) }
  return (await call<{ token: string }>(baseUrl, '/auth/verify', { method: 'POST', body })).token
}

async function call<Answer>(
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
  if (!response.ok) throw new Error(`The sample service could not be registered: ${method} ${path}: ${text}`)
  return JSON.parse(text) as Answer
}
