import { exampleId } from '@farebox/wire/common'
import { healthHistory, healthHistoryQuery } from '@farebox/wire/health'
import { serviceParams } from '@farebox/wire/services'
import type { App } from '../../app.ts'
import { contract } from '../../http/openapi/contract.ts'
import type { Deps } from '../../ports.ts'
import { type ProviderGuard, providerOf, requireProvider } from '../secrets/require-provider.ts'
import { readHistory } from './read-history.ts'

/** Registers the routes by which a provider's servers read the health of its services below `/api/v1`. */
export function providerHealthRoutes(app: App, deps: Deps & { providers: ProviderGuard }): void {
  app.get(
    '/provider/services/:id/health',
    {
      ...contract(
        {
          id: 'readProviderServiceHealth',
          summary: "Read the probe results of the provider's service",
          description: 'By target and for all targets together, newest first.',
          tag: 'Provider side',
          access: 'providerSecret',
          errors: ['SERVICE_NOT_FOUND'],
          answer: healthHistory,
          example: {
            status: 'success',
            serviceId: exampleId('svc'),
            history: [
              {
                url: 'https://api.weather.example/v1/now',
                status: 'healthy',
                latencyMs: 84,
                checkedAt: '2026-11-21T09:30:00.000Z',
                source: 'probe',
              },
            ],
            targets: [
              {
                url: 'https://api.weather.example/v1/now',
                history: [
                  {
                    status: 'healthy',
                    latencyMs: 84,
                    checkedAt: '2026-11-21T09:30:00.000Z',
                    source: 'probe',
                  },
                ],
              },
            ],
          },
        },
        { params: serviceParams, querystring: healthHistoryQuery },
      ),
      onRequest: requireProvider(deps.providers),
    },
    async request =>
      readHistory(deps, {
        ...request.query,
        reference: request.params.id,
        owner: providerOf(request).wallet,
      }),
  )
}
