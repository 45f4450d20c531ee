import { createServer } from 'node:http'
import type { PublishedKey } from '@farebox/wire/operations'
import { expect } from 'vitest'
import { startTestGateway, type TestGateway } from '../gateway/test-gateway.ts'
import { listen } from '../network/loopback.ts'
import { type Judged, type SignedProvider, startSignedProvider } from '../provider/signed-provider.ts'
import { newPayer } from './payer.ts'
import { arrive, invoke, type Person, register } from './world.ts'

/** Path at which a gateway publishes its keys. */
export const DIRECTORY = '/.well-known/http-message-signatures-directory'
/** Price of a call of every service in the fixture. */
export const PRICE = '0.010000'

/** A gateway, and a provider with a service that verifies the requests it receives. */
export type SigningFixture = {
  readonly on: TestGateway
  readonly upstream: SignedProvider
  readonly provider: Person
  readonly credential: { readonly token: string }
  readonly service: string
  /** Calls a service whose target is `upstream`; returns the request that `upstream` received. */
  seenOf(call: { serviceId: string; payload: object }, priceUsdc?: string): Promise<Judged>
  /** Does the same with `service`, and with a query and a body beyond ASCII. */
  aCall(): Promise<Judged>
  stop(): Promise<void>
}

/** Starts it. Only requested probes are sent. */
export async function startSigningFixture(): Promise<SigningFixture> {
  const on = await startTestGateway({ env: { PROBE_INTERVAL_SECONDS: '3600' } })
  const provider = await arrive(on)
  const upstream = await startSignedProvider(on.url, { wallet: provider.account.address })
  const credential = await newPayer(on, '5')
  const targets = [`${upstream.url}/v1/quote?lang=de`]
  const service = await register(on, provider, { targets, priceUsdc: PRICE })

  const seenOf = async (call: { serviceId: string; payload: object }, costUsdc = PRICE) => {
    const before = upstream.seen.length
    const answer = await invoke(on, credential, { ...call, costUsdc })
    expect(answer.body).toMatchObject({ status: 'SUCCEEDED' })
    const isCall = ({ headers }: Judged) => headers['farebox-invocation-id'] !== undefined
    const judged = upstream.seen.slice(before).find(isCall)
    if (judged === undefined) throw new Error('The provider saw no call.')
    return judged
  }
  const payload = { query: { city: 'Zürich & Genève' }, body: { q: 'é' } }
  return {
    on,
    upstream,
    provider,
    credential,
    service,
    seenOf,
    aCall: () => seenOf({ serviceId: service, payload }),
    async stop() {
      await on.assertBooks()
      await upstream.stop()
      await on.stop()
    },
  }
}

/** Returns headers of a probe addressed to a wallet. */
export function addressed(wallet: string): Record<string, string> {
  return { 'farebox-service-id': 'svc_1', 'farebox-provider': wallet, 'farebox-purpose': 'probe' }
}

/** Returns the keys that a gateway publishes. */
export async function publishedKeys(on: { readonly url: string }): Promise<PublishedKey[]> {
  const response = await fetch(on.url + DIRECTORY)
  const { keys } = (await response.json()) as { keys: PublishedKey[] }
  return keys
}

/** Returns the reason of a rejection, or the resolved value. */
export function refusalOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.catch((error: { reason: string }) => error.reason)
}

/** Starts a proxy that counts the requests for a gateway's key directory. */
export async function countingDirectory(of: { readonly url: string }) {
  let count = 0
  const server = createServer(async (request, response) => {
    count += 1
    response.end(await (await fetch(of.url + request.url)).text())
  })
  const { origin, stop } = await listen(server)
  return { url: origin, fetches: () => count, stop }
}
