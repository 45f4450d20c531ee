import { marketHealthAnswer } from '@farebox/wire/market'
import { serviceParams } from '@farebox/wire/services'
import type { App } from '../../app.ts'
import { limitPublic } from '../../http/limits/shared-rate-limit.ts'
import { contract } from '../../http/openapi/contract.ts'
import type { Deps } from '../../ports.ts'
import { type ReadTargetDays, readShownHealth } from './read-shown-health.ts'

/** Registers `/market/services/:id/health`, the public result of a service's probes and calls by target. */
export function marketHealthRoutes(app: App, deps: Deps & { readonly readTargetDays: ReadTargetDays }): void {
  const quota = deps.config.SEARCHES_PER_MINUTE
  app.get(
    '/market/services/:id/health',
    {
      ...contract(
        {
          id: 'readMarketHealth',
          summary: 'Read how healthy a service is',
          description: 'Probe results of the last day for each target, and its calls of 30 days.',
          tag: 'Discovery',
          access: 'public',
          errors: ['RATE_LIMITED', 'SERVICE_NOT_FOUND'],
          answer: marketHealthAnswer,
        },
        { params: serviceParams },
      ),
      onRequest: limitPublic(deps, { name: 'market-health', quota, windowSeconds: 60 }),
    },
    async request => readShownHealth(deps, request.params.id),
  )
}
