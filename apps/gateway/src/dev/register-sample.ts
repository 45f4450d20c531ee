import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { SampleManifest } from './sample-services.ts'

const REQUEST_TIMEOUT_MS = 10_000
const PAGE_SIZE = 100

type Service = { serviceId: string; agentToolName: string; invoke?: { targets?: { url: string }[] } }

/**
 * Registers the sample services like any provider: signs in with its own wallet and calls the public API. Updates the
 * targets of existing services. A refused one does not prevent the others.
 *
 * @param input.baseUrl of the gateway
 * @param input.key     of the sample provider's wallet
 * @throws Error naming the refused ones, with the gateway's answers
 */
export async function registerSampleServices(input: {
  baseUrl: string
  key: Hex
  manifests: readonly SampleManifest[]
}): Promise<void> {
  const { baseUrl, key, manifests } = input
  const token = await signIn(baseUrl, key)
  const { services } = await call<{ services: Service[] }>(baseUrl, `/services?limit=${PAGE_SIZE}`, { token })
  const results = await Promise.allSettled(
    manifests.map(manifest => {
      const existing = services.find(({ agentToolName }) => agentToolName === manifest.agentToolName)
      return existing === undefined
        ? call(baseUrl, '/services', { token, method: 'POST', body: manifest })
        : bringUpToDate({ baseUrl, token, existing, manifest })
    }),
  )
  const refused = results.flatMap(result => (result.status === 'rejected' ? [String(result.reason)] : []))
  if (refused.length > 0) throw new Error(`Sample services could not be registered: ${refused.join(' ')}`)
}

async function bringUpToDate(input: {
  baseUrl: string
  token: string
  existing: Service
  manifest: SampleManifest
}): Promise<void> {
  const { baseUrl, token, existing, manifest } = input
  const urlsOf = (targets: readonly { url: string }[] = []) => targets.map(({ url }) => url).join(' ')
  const { invoke } = manifest
  if (urlsOf(existing.invoke?.targets) === urlsOf(invoke.targets)) return
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
  if (!response.ok) throw new Error(`${method} ${path}: ${text}`)
  return JSON.parse(text) as Answer
}
