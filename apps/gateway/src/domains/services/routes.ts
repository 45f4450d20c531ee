import { registerServiceBody, updateServiceBody } from '@farebox/wire/manifest'
import {
  deletedService,
  listServicesQuery,
  registeredService,
  serviceParams,
  servicesPage,
  shownService,
  updatedService,
} from '@farebox/wire/services'
import type { App } from '../../app.ts'
import { limitPublic } from '../../http/limits/shared-rate-limit.ts'
import { forRequest } from '../../http/observe.ts'
import { contract } from '../../http/openapi/contract.ts'
import type { Deps } from '../../ports.ts'
import { optionalOwnerGuard, ownerGuard, ownerOf } from '../auth/require-owner.ts'
import { deleteService } from './delete-service.ts'
import * as examples from './examples.ts'
import type { ServiceDirectory } from './find-callable.ts'
import { listServices } from './list-services.ts'
import { readOwnService, showService } from './read-service.ts'
import { registerService } from './register-service.ts'
import { type AdmitProbe, createAskedOrigins, type ProofDeps } from './targets/prove-targets.ts'
import { updateService } from './update-service.ts'

/** Maximum wait for the first probe of a new service before its registration is answered, in ms. */
const FIRST_PROBE_WAIT_MS = 2_000

/** Dependencies besides the ports. */
export type ServiceRouteDeps = Deps & {
  readonly directory: ServiceDirectory
  readonly admitProbe: AdmitProbe
  /** Called to probe a service's targets now; the answer waits for it, up to a limit. */
  readonly onRegistered?: (serviceId: string) => Promise<unknown>
}

type ChangingDeps = ServiceRouteDeps & ProofDeps

const common = { tag: 'Services' } as const
/** Faults of a manifest beyond the form of its members. */
const MANIFEST_FAULTS = ['INVALID_ADDRESS', 'UNSAFE_TARGET_URL', 'DUPLICATE_SERVICE_ID'] as const
/** Reasons why a service cannot be changed. */
const UNCHANGEABLE = ['SERVICE_NOT_FOUND', 'SERVICE_ALREADY_DELETED', 'SERVICE_SUSPENDED'] as const

/** `/services`: registration, changes and reads. */
export function serviceRoutes(app: App, deps: ServiceRouteDeps): void {
  const changing = { ...deps, askedOrigins: createAskedOrigins(deps.clock) }
  register(app, changing)
  list(app, deps)
  read(app, { ...deps, db: deps.publicDb })
  change(app, changing)
}

function register(app: App, deps: ChangingDeps): void {
  app.post(
    '/services',
    {
      ...contract(
        {
          ...common,
          id: 'registerService',
          summary: 'Register a service',
          description:
            'Lists it at once, unless `isActive` is false or `status` is `paused`; it can be called once a probe has found a target healthy. Only `serviceName` and `invoke.targets` are required; without `pricing` calls are free. `serviceKind: "llm"` requires both token prices. The wallet becomes a provider.',
          access: 'wallet',
          invalidBodyCode: 'INVALID_MANIFEST',
          errors: [...MANIFEST_FAULTS, 'LIMIT_EXCEEDED'],
          answer: registeredService,
          example: examples.registered,
          exampleBody: examples.manifest,
        },
        { body: registerServiceBody },
      ),
      onRequest: ownerGuard(deps),
    },
    async request => {
      const owner = ownerOf(request).wallet
      const { serviceId, needsProbe, warnings } = await registerService(deps, {
        owner,
        manifest: request.body,
      })
      if (needsProbe) await firstProbe(forRequest(deps, request), serviceId)
      const service = await readOwnService(deps, { owner, reference: serviceId })
      return { serviceId, status: service.status, agentToolName: service.agentToolName, service, warnings }
    },
  )
}

function list(app: App, deps: ServiceRouteDeps): void {
  app.get(
    '/services',
    {
      ...contract(
        {
          ...common,
          id: 'listServices',
          summary: 'List my services',
          description: 'Newest first, without deleted ones.',
          access: 'wallet',
          answer: servicesPage,
          example: examples.listed,
        },
        { querystring: listServicesQuery },
      ),
      onRequest: ownerGuard(deps),
    },
    async request => {
      const { limit, cursor } = request.query
      const page = await listServices(deps, { owner: ownerOf(request).wallet, limit, cursor })
      return { status: 'success', services: page.items, nextCursor: page.nextCursor }
    },
  )
}

function read(app: App, deps: ServiceRouteDeps): void {
  app.get(
    '/services/:id',
    {
      ...contract(
        {
          ...common,
          id: 'readService',
          summary: 'Read a service',
          description:
            'The full record for its owner, in any state; the summary for others, unless it is deleted, or it or its owner suspended.',
          access: 'anyone',
          errors: ['SERVICE_NOT_FOUND', 'RATE_LIMITED'],
          answer: shownService,
          example: examples.shown,
        },
        { params: serviceParams },
      ),
      onRequest: [
        limitPublic(deps, { name: 'services', quota: deps.config.SEARCHES_PER_MINUTE, windowSeconds: 60 }),
        optionalOwnerGuard(deps),
      ],
    },
    async request => {
      const viewer = request.owner?.wallet ?? null
      const service = await showService(deps, { reference: request.params.id, viewer })
      return { status: 'success', serviceId: service.serviceId, service }
    },
  )
}

function change(app: App, deps: ChangingDeps): void {
  const onRequest = ownerGuard(deps)

  app.put(
    '/services/:id',
    {
      ...contract(
        {
          ...common,
          id: 'updateService',
          summary: 'Change a service',
          description:
            'Each member present replaces the stored one as a whole; null clears an optional one. The kind of a service cannot change. Calls in flight keep their quote. Higher prices of a model, and of a fixed price for callers who send none (MCP), take effect after `PRICE_NOTICE_SECONDS`, one hour by default; until then answers have `scheduledPricing`. Lower prices take effect at once.',
          access: 'wallet',
          invalidBodyCode: 'INVALID_MANIFEST',
          errors: [...UNCHANGEABLE, ...MANIFEST_FAULTS, 'LIMIT_EXCEEDED'],
          answer: updatedService,
          example: examples.updated,
          exampleBody: { isActive: false },
        },
        { params: serviceParams, body: updateServiceBody },
      ),
      onRequest,
    },
    async request => {
      const owner = ownerOf(request).wallet
      const input = { owner, reference: request.params.id, changes: request.body }
      const { serviceId, needsProbe } = await updateService(deps, input)
      deps.directory.forget(serviceId)
      if (needsProbe) await firstProbe(deps, serviceId)
      const service = await readOwnService(deps, { owner, reference: serviceId })
      return { status: 'success', serviceId, isActive: service.isActive, service }
    },
  )

  app.delete(
    '/services/:id',
    {
      ...contract(
        {
          ...common,
          id: 'deleteService',
          summary: 'Delete an inactive service',
          description: 'Permanent. Its names stay taken.',
          access: 'wallet',
          errors: [...UNCHANGEABLE, 'SERVICE_DELETE_ACTIVE_CONFLICT'],
          answer: deletedService,
          example: examples.deleted,
        },
        { params: serviceParams },
      ),
      onRequest,
    },
    async request => {
      const input = { owner: ownerOf(request).wallet, reference: request.params.id }
      const { serviceId } = await deleteService(deps, input)
      deps.directory.forget(serviceId)
      return { status: 'success', serviceId, message: 'The service is deleted.' }
    },
  )
}

/** Makes a healthy service visible to the client that just got its id. If the probe fails, the job repeats it. */
async function firstProbe(deps: ServiceRouteDeps, serviceId: string): Promise<void> {
  if (deps.onRegistered === undefined) return
  const probe = deps.onRegistered(serviceId).catch((error: unknown) => {
    deps.log.warn({ serviceId, err: error }, 'the first probe of a service failed')
  })
  await Promise.race([probe, deps.clock.pause(FIRST_PROBE_WAIT_MS)])
}
