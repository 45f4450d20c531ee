import {
  discoverQuery,
  listServicesQuery,
  registerServiceBody,
  serviceParams,
  updateServiceBody,
} from '@farebox/wire/services'
import type { App } from '../../app.ts'
import type { Deps } from '../../ports.ts'
import { optionalOwnerGuard, ownerGuard, ownerOf } from '../auth/require-owner.ts'
import { deleteService } from './delete-service.ts'
import { discoverServices } from './discover-services.ts'
import type { ServiceDirectory } from './find-callable.ts'
import { listServices } from './list-services.ts'
import { readOwnService, showService } from './read-service.ts'
import { registerService } from './register-service.ts'
import { updateService } from './update-service.ts'

/** Longest wait for the first probe of a new service before its registration is answered, in ms. */
const FIRST_PROBE_WAIT_MS = 2_000

/** What the routes need beside the ports. */
export type ServiceRouteDeps = Deps & {
  readonly directory: ServiceDirectory
  /** Called when the targets of a service are to be probed now; the answer waits for it, but not for long. */
  readonly onRegistered?: (serviceId: string) => Promise<unknown>
}

/** `/services`: registration, changes, reading, discovery. */
export function serviceRoutes(app: App, deps: ServiceRouteDeps): void {
  const onRequest = ownerGuard(deps)
  const config = { invalidBodyCode: 'INVALID_MANIFEST' } as const

  app.post('/services', { onRequest, config, schema: { body: registerServiceBody } }, async request => {
    const owner = ownerOf(request).wallet
    const { serviceId } = await registerService(deps, { owner, manifest: request.body })
    await firstProbe(deps, serviceId)
    const service = await readOwnService(deps, { owner, reference: serviceId })
    return { serviceId, status: service.status, agentToolName: service.agentToolName, service }
  })

  app.get('/services', { onRequest, schema: { querystring: listServicesQuery } }, async request => {
    const { limit, cursor } = request.query
    const page = await listServices(deps, { owner: ownerOf(request).wallet, limit, cursor })
    return { status: 'success', services: page.items, nextCursor: page.nextCursor }
  })

  app.get('/services/discover', { schema: { querystring: discoverQuery } }, async request => {
    const { limit, search_query: text = '' } = request.query
    return discoverServices(deps, { limit, text })
  })

  app.get(
    '/services/:id',
    { onRequest: optionalOwnerGuard(deps), schema: { params: serviceParams } },
    async request => {
      const viewer = request.owner?.wallet ?? null
      const service = await showService(deps, { reference: request.params.id, viewer })
      return { status: 'success', serviceId: service.serviceId, service }
    },
  )

  app.put(
    '/services/:id',
    { onRequest, config, schema: { params: serviceParams, body: updateServiceBody } },
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

  app.delete('/services/:id', { onRequest, schema: { params: serviceParams } }, async request => {
    const { serviceId } = await deleteService(deps, {
      owner: ownerOf(request).wallet,
      reference: request.params.id,
    })
    deps.directory.forget(serviceId)
    return { status: 'success', serviceId, message: 'The service is deleted.' }
  })
}

/** Lets a healthy service be found by whoever was just told its id. A probe that fails is the job's to repeat. */
async function firstProbe(deps: ServiceRouteDeps, serviceId: string): Promise<void> {
  if (deps.onRegistered === undefined) return
  const probe = deps.onRegistered(serviceId).catch((error: unknown) => {
    deps.log.warn({ serviceId, err: error }, 'the first probe of a service failed')
  })
  await Promise.race([probe, deps.clock.pause(FIRST_PROBE_WAIT_MS)])
}
