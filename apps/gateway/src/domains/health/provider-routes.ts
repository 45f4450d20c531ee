import { healthHistoryQuery } from '@farebox/wire/health'
import { serviceParams } from '@farebox/wire/services'
import type { App } from '../../app.ts'
import type { Deps } from '../../ports.ts'
import { type ProviderGuard, providerOf, requireProvider } from '../secrets/require-provider.ts'
import { readHistory } from './read-history.ts'

/** What a provider's own servers may ask about the health of its services. To be registered below `/api/v1`. */
export function providerHealthRoutes(app: App, deps: Deps & { providers: ProviderGuard }): void {
  const onRequest = requireProvider(deps.providers)

  app.get(
    '/provider/services/:id/health',
    { onRequest, schema: { params: serviceParams, querystring: healthHistoryQuery } },
    async request =>
      readHistory(deps, {
        ...request.query,
        reference: request.params.id,
        owner: providerOf(request).wallet,
      }),
  )
}
