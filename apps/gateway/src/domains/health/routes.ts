import { healthHistory, healthHistoryQuery, pingAnswer } from '@farebox/wire/health'
import { serviceParams } from '@farebox/wire/services'
import type { App } from '../../app.ts'
import { limitPerClient } from '../../http/limits/rate-limit.ts'
import { contract } from '../../http/openapi/contract.ts'
import type { Deps } from '../../ports.ts'
import { ownerGuard, ownerOf } from '../auth/require-owner.ts'
import { pingService } from './ping-service.ts'
import type { ProbeDeps } from './probe-service.ts'
import { readHistory } from './read-history.ts'

/** Maximum number of pings per minute and client address, over all services; admit-ping.ts has the other limits. */
const PINGS_PER_CLIENT = 60

/** Registers the routes by which owners read and probe the health of a service. */
export function healthRoutes(app: App, deps: Deps & ProbeDeps): void {
  const onRequest = ownerGuard(deps)
  const limit = limitPerClient(deps.clock, { name: 'ping', quota: PINGS_PER_CLIENT, windowSeconds: 60 })

  app.get(
    '/services/:id/health/history',
    {
      ...contract(
        {
          id: 'readHealthHistory',
          summary: 'Read the probe results of a service',
          description:
            'By target and, in `history`, for all targets together; newest first. All probes of the last 24 hours; for up to seven days, changes and one probe per ten minutes.',
          tag: 'Services',
          access: 'wallet',
          errors: ['SERVICE_NOT_FOUND'],
          answer: healthHistory,
        },
        { params: serviceParams, querystring: healthHistoryQuery },
      ),
      onRequest,
    },
    async request =>
      readHistory(deps, {
        ...request.query,
        reference: request.params.id,
        owner: ownerOf(request).wallet,
      }),
  )

  app.post(
    '/services/:id/ping',
    {
      ...contract(
        {
          id: 'pingService',
          summary: 'Probe a service now',
          description:
            'Probes every target. The results count like those of regular probes. Allowed a few times a minute per service and per host of its targets.',
          tag: 'Services',
          access: 'wallet',
          errors: ['SERVICE_NOT_FOUND', 'SERVICE_ALREADY_DELETED', 'SERVICE_SUSPENDED', 'RATE_LIMITED'],
          answer: pingAnswer,
        },
        { params: serviceParams },
      ),
      onRequest: [onRequest, limit],
    },
    async request => {
      const input = { reference: request.params.id, owner: ownerOf(request).wallet }
      const { findings, service } = await pingService(deps, input)
      const targets = findings.map(({ isHealthy, checkedAt, ...finding }) => ({
        ...finding,
        status: isHealthy ? 'healthy' : 'unhealthy',
        checkedAt: checkedAt.toISOString(),
      }))
      const { serviceId, runtimeAvailable, health } = service
      return { status: 'success', serviceId, runtimeAvailable, health, targets, service }
    },
  )
}
