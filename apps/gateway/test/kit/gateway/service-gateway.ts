import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { ServiceRecord } from '@farebox/wire/services'
import type { Address } from 'viem'
import { type ClosableUpstream, createUpstream } from '../../../src/adapters/upstream.ts'
import type { Lookup } from '../../../src/adapters/upstream-connector.ts'
import type { App } from '../../../src/app.ts'
import { createAgentGuard } from '../../../src/domains/credentials/require-agent.ts'
import { type ProbeDeps, probeService } from '../../../src/domains/health/probe-service.ts'
import { healthRoutes } from '../../../src/domains/health/routes.ts'
import { createDiscovery } from '../../../src/domains/services/create-discovery.ts'
import { discoveryRoutes } from '../../../src/domains/services/discovery-routes.ts'
import { createServiceDirectory, type ServiceDirectory } from '../../../src/domains/services/find-callable.ts'
import { serviceRoutes } from '../../../src/domains/services/routes.ts'
import type { Deps } from '../../../src/ports.ts'
import { type Answer, type Sent, send } from '../network/http.ts'
import { listen } from '../network/loopback.ts'
import { newWallet, sessionFor } from '../world/wallets.ts'
import { startAuthGateway } from './partial-gateway.ts'

/** A signed-in wallet and what it asks of the gateway, below `/api/v1`. `wallet` is lower-case. */
export type Provider = {
  readonly address: Address
  readonly wallet: Address
  readonly token: string
  ask(method: NonNullable<Sent['method']>, path: string, body?: unknown): Promise<Answer>
  /** Registers a service by the door; fails the test when that is refused. */
  register(manifest: object): Promise<ServiceRecord>
}

/** A gateway that knows wallets, services and their health, on a database of its own. */
export async function startServiceGateway(options: { env?: Record<string, string>; lookup?: Lookup } = {}) {
  let directory: ServiceDirectory | undefined
  let upstream: ClosableUpstream | undefined
  const gateway = await startAuthGateway({
    ...(options.env !== undefined && { env: options.env }),
    routes: (app: App, given: Deps) => {
      upstream = createUpstream(given.config, options.lookup === undefined ? {} : { lookup: options.lookup })
      directory = createServiceDirectory(given)
      const deps = { ...given, upstream, directory }
      serviceRoutes(app, { ...deps, onRegistered: serviceId => probeService(deps, serviceId) })
      discoveryRoutes(app, { ...deps, discovery: createDiscovery(given), agents: createAgentGuard(given) })
      healthRoutes(app, deps)
    },
  })
  if (directory === undefined || upstream === undefined) throw new Error('The routes were not registered.')
  const reached = upstream
  const deps: Deps & ProbeDeps & { directory: ServiceDirectory } = { ...gateway.deps, upstream, directory }
  const ask = (method: NonNullable<Sent['method']>, path: string, token?: string, body?: unknown) =>
    send(gateway.url, `/api/v1${path}`, {
      method,
      ...(token !== undefined && { token }),
      ...(body !== undefined && { body }),
    })

  return {
    ...gateway,
    deps,
    directory,
    /** Asks as a stranger. */
    ask: (method: NonNullable<Sent['method']>, path: string, body?: unknown) =>
      ask(method, path, undefined, body),
    async provider(): Promise<Provider> {
      const { address } = newWallet()
      const token = await sessionFor(deps, address)
      return {
        address,
        wallet: address.toLowerCase() as Address,
        token,
        ask: (method, path, body) => ask(method, path, token, body),
        async register(manifest) {
          const { status, body } = await ask('POST', '/services', token, manifest)
          if (status !== 200) throw new Error(`Not registered: ${JSON.stringify(body)}`)
          return body.service as ServiceRecord
        },
      }
    },
    async stop() {
      await gateway.stop()
      await reached.close()
    },
  }
}

/** A target on a real socket that can be told how to answer. */
export type TestTarget = {
  readonly url: string
  readonly origin: string
  readonly requests: { method: string; url: string; headers: IncomingMessage['headers'] }[]
  /** Answers with this status from now on, or as the function does. */
  answer(how: number | ((request: IncomingMessage, response: ServerResponse) => void)): void
  /** How it answers from now on who asks whose services may be here; such questions are no requests above. */
  prove(how: { status: number; body: string; location?: string }): void
  stop(): Promise<void>
}

/** Starts a target on a free loopback port. It answers 200 until told otherwise, and names no providers. */
export async function startTarget(): Promise<TestTarget> {
  const requests: TestTarget['requests'] = []
  let respond: (request: IncomingMessage, response: ServerResponse) => void = (_, response) =>
    response.end('{}')
  let proof: Parameters<TestTarget['prove']>[0] = { status: 404, body: '' }
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request
    if (url === '/.well-known/farebox.json') {
      const { status, body, location } = proof
      const type = { 'content-type': 'application/json' }
      response.writeHead(status, { ...type, ...(location !== undefined && { location }) }).end(body)
      return
    }
    requests.push({ method, url, headers })
    respond(request, response)
  })
  const { origin, stop } = await listen(server)
  return {
    url: `${origin}/call`,
    origin,
    requests,
    answer(how) {
      respond =
        typeof how === 'function'
          ? how
          : (_, response) => response.writeHead(how, { location: '/' }).end('{}')
    },
    prove(how) {
      proof = how
    },
    stop,
  }
}

/** A manifest with what must be there and a price. */
export const manifestOf = (url: string, more: object = {}) => ({
  serviceName: 'Weather',
  summary: 'Tells the weather.',
  pricing: { currency: 'USDC', amount: '0.05' },
  invoke: { method: 'POST', targets: [{ url }] },
  ...more,
})

/** A manifest of an LLM service at 3 and 15 USDC per million tokens; what else it may say is as assumed. */
export const llmManifestOf = (url: string, more: object = {}) => ({
  serviceName: 'Small Model',
  summary: 'Writes on.',
  serviceKind: 'llm',
  inputPricePer1MTokensUsdc: '3',
  outputPricePer1MTokensUsdc: '15',
  invoke: { targets: [{ url }] },
  ...more,
})
