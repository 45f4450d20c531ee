import type { ServiceRecord } from '@farebox/wire/services'
import type { Address } from 'viem'
import type { App } from '../../../src/app.ts'
import { createAgentGuard } from '../../../src/domains/credentials/require-agent.ts'
import { credentialRoutes } from '../../../src/domains/credentials/routes.ts'
import { providerHealthRoutes } from '../../../src/domains/health/provider-routes.ts'
import { healthRoutes } from '../../../src/domains/health/routes.ts'
import { createProviderGuard, type ProviderGuard } from '../../../src/domains/secrets/require-provider.ts'
import { secretRoutes } from '../../../src/domains/secrets/routes.ts'
import { createServiceDirectory } from '../../../src/domains/services/find-callable.ts'
import { providerServiceRoutes } from '../../../src/domains/services/provider-routes.ts'
import { findUnknownServices } from '../../../src/domains/services/resolve-service-id.ts'
import { serviceRoutes } from '../../../src/domains/services/routes.ts'
import type { Deps } from '../../../src/ports.ts'
import { type Answer, type Sent, send } from '../network/http.ts'
import { newWallet, sessionFor } from '../world/wallets.ts'
import { startAuthGateway } from './partial-gateway.ts'
import { manifestOf } from './service-gateway.ts'

/** Nobody listens there: what is registered here is never called. */
const TARGET = 'http://127.0.0.1:9/call'

/** An issued provider secret, as the issue endpoint answered it. */
export type TestSecret = { readonly id: string; readonly secretKey: string; readonly maskedKey: string }

/** A signed-in wallet that offers services. `wallet` is lower-case; `ask` goes below `/api/v1`. */
export type TestProvider = {
  readonly address: Address
  readonly wallet: Address
  readonly token: string
  ask(method: NonNullable<Sent['method']>, path: string, body?: unknown): Promise<Answer>
  /** Issues a secret by the door. */
  issue(body?: object): Promise<TestSecret>
  /** Registers a service by the door. */
  register(manifest?: object): Promise<ServiceRecord>
}

/** A gateway that knows wallets, credentials, provider secrets and services, on a database of its own. */
export async function startSecretGateway() {
  let providers: ProviderGuard | undefined
  const gateway = await startAuthGateway({
    routes: (app: App, given) => {
      providers = createProviderGuard(given)
      const directory = createServiceDirectory(given)
      const deps = { ...given, providers, directory, agents: createAgentGuard(given) }
      credentialRoutes(app, { ...deps, services: { findUnknown: findUnknownServices } })
      secretRoutes(app, deps)
      serviceRoutes(app, deps)
      healthRoutes(app, deps)
      providerServiceRoutes(app, deps)
      providerHealthRoutes(app, deps)
    },
  })
  if (providers === undefined) throw new Error('The routes were not registered.')
  const { deps, url } = gateway

  return {
    ...gateway,
    providers,
    provider: () => newProvider(deps, url),
    /** Asks with a provider secret, or whatever else is taken for one. */
    askAs: (secretKey: string, path: string, sent: Sent = {}) =>
      send(url, `/api/v1${path}`, { ...sent, token: secretKey }),
  }
}

/** What {@link startSecretGateway} starts. */
export type SecretGateway = Awaited<ReturnType<typeof startSecretGateway>>

async function newProvider(deps: Deps, url: string): Promise<TestProvider> {
  const { address } = newWallet()
  const token = await sessionFor(deps, address)
  const ask: TestProvider['ask'] = (method, path, body) =>
    send(url, `/api/v1${path}`, { method, token, ...(body !== undefined && { body }) })
  const demand = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const answer = await ask('POST', path, body)
    if (answer.status !== 200) throw new Error(`Refused: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  return {
    address,
    token,
    ask,
    wallet: address.toLowerCase() as Address,
    issue: async body =>
      (await demand('/secrets/provider/issue', { name: 'server', ...body })).secret as TestSecret,
    register: async manifest =>
      (await demand('/services', manifestOf(TARGET, manifest))).service as ServiceRecord,
  }
}
