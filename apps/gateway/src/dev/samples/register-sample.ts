import type { Hex } from 'viem'
import { call, signIn } from '../call-gateway.ts'
import type { SampleManifest } from './sample-services.ts'

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
