import type { ServiceRecord } from '@farebox/wire/services'
import { type ClosableUpstream, createUpstream } from '../../../src/adapters/upstream/upstream.ts'
import type { Lookup } from '../../../src/adapters/upstream/upstream-connector.ts'
import type { App } from '../../../src/app.ts'
import { createAgentGuard } from '../../../src/domains/credentials/require-agent.ts'
import { credentialRoutes } from '../../../src/domains/credentials/routes.ts'
import { admitProbe } from '../../../src/domains/health/admit-ping.ts'
import { type ProbeDeps, probeService } from '../../../src/domains/health/probe-service.ts'
import { providerHealthRoutes } from '../../../src/domains/health/provider-routes.ts'
import { healthRoutes } from '../../../src/domains/health/routes.ts'
import { createProviderGuard, type ProviderGuard } from '../../../src/domains/secrets/require-provider.ts'
import { secretRoutes } from '../../../src/domains/secrets/routes.ts'
import { createDiscovery } from '../../../src/domains/services/discovery/create-discovery.ts'
import { discoveryRoutes } from '../../../src/domains/services/discovery/discovery-routes.ts'
import { createServiceDirectory, type ServiceDirectory } from '../../../src/domains/services/find-callable.ts'
import { providerServiceRoutes } from '../../../src/domains/services/provider-routes.ts'
import { findUnknownServices } from '../../../src/domains/services/resolve-service-id.ts'
import { serviceRoutes } from '../../../src/domains/services/routes.ts'
import type { Deps } from '../../../src/ports.ts'
import { type Sent, send } from '../network/http.ts'
import { startTarget } from '../provider/test-target.ts'
import { manifestOf, UNREACHABLE } from '../world/manifests.ts'
import type { Member } from '../world/member.ts'
import { startPartialGateway } from './partial-gateway.ts'

/** An issued provider secret. */
export type TestSecret = { readonly id: string; readonly secretKey: string; readonly maskedKey: string }

/** A wallet that offers services. */
export type Provider = Member & {
  /** Registers a service over HTTP, by default one that cannot be reached; throws if it is refused. */
  register(manifest?: object): Promise<ServiceRecord>
  /** Issues a provider secret over HTTP; throws if it is refused. */
  issue(body?: object): Promise<TestSecret>
}

/** A gateway of services: credentials, provider secrets, registration, discovery and health. */
export type ServiceGateway = Awaited<ReturnType<typeof startServiceGateway>>

/**
 * Starts it on a database of its own.
 *
 * @param options.lookup      resolves the names of targets
 * @param options.probesAtOnce whether a service is probed as soon as it is registered; default true
 */
export async function startServiceGateway(
  options: { env?: Record<string, string>; lookup?: Lookup; probesAtOnce?: boolean } = {},
) {
  const { env, lookup, probesAtOnce = true } = options
  let more: { providers: ProviderGuard; directory: ServiceDirectory; upstream: ClosableUpstream } | undefined
  const gateway = await startPartialGateway({
    ...(env !== undefined && { env }),
    routes: (app: App, given: Deps) => {
      more = {
        providers: createProviderGuard(given),
        directory: createServiceDirectory(given),
        upstream: createUpstream(given.config, lookup === undefined ? {} : { lookup }),
      }
      const deps = { ...given, ...more, agents: createAgentGuard(given), discovery: createDiscovery(given) }
      const onRegistered = (serviceId: string) => probeService(deps, serviceId)
      credentialRoutes(app, { ...deps, services: { findUnknown: findUnknownServices } })
      secretRoutes(app, deps)
      const admits = (probe: Parameters<typeof admitProbe>[1]) => admitProbe(deps, probe)
      serviceRoutes(app, { ...deps, admitProbe: admits, ...(probesAtOnce && { onRegistered }) })
      discoveryRoutes(app, deps)
      healthRoutes(app, deps)
      providerServiceRoutes(app, deps)
      providerHealthRoutes(app, deps)
    },
  })
  if (more === undefined) throw new Error('The routes were not registered.')
  const { providers, directory, upstream } = more
  const { url } = gateway
  const ask = (method: NonNullable<Sent['method']>, path: string, body?: unknown) =>
    send(url, `/api/v1${path}`, { method, body })
  const deps: Deps & ProbeDeps & { directory: ServiceDirectory } = { ...gateway.deps, upstream, directory }

  return {
    ...gateway,
    deps,
    directory,
    providers,
    /** Sends a request without a session. */
    ask,
    /** Returns the ids of discovered services. */
    async discovered(query = ''): Promise<string[]> {
      const { body } = await ask('GET', `/services/discover?limit=100${query}`)
      return (body as unknown as { serviceId: string }[]).map(({ serviceId }) => serviceId)
    },
    /** Sends a request with a provider secret. */
    askAs: (secretKey: string, path: string, sent: Sent = {}) =>
      send(url, `/api/v1${path}`, { ...sent, token: secretKey }),
    async provider(): Promise<Provider> {
      const member = await gateway.member()
      const demand = async (path: string, body: object): Promise<Record<string, unknown>> => {
        const answer = await member.ask('POST', path, body)
        if (answer.status !== 200) throw new Error(`POST ${path} failed: ${JSON.stringify(answer.body)}`)
        return answer.body
      }
      return {
        ...member,
        register: async (manifest = manifestOf(UNREACHABLE)) =>
          (await demand('/services', manifest)).service as ServiceRecord,
        issue: async body =>
          (await demand('/secrets/provider/issue', { name: 'server', ...body })).secret as TestSecret,
      }
    },
    async stop() {
      await gateway.stop()
      await upstream.close()
    },
  }
}

/** Starts a gateway of services with a target that answers and two providers. */
export async function startServiceFixture() {
  const [on, target] = await Promise.all([startServiceGateway(), startTarget()])
  const [alice, bob] = await Promise.all([on.provider(), on.provider()])
  return {
    on,
    target,
    alice,
    bob,
    async stop() {
      await target.stop()
      await on.stop()
    },
  }
}
