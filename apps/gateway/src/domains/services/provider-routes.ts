import { listServicesQuery } from '@farebox/wire/services'
import type { App } from '../../app.ts'
import type { Deps } from '../../ports.ts'
import { type ProviderGuard, providerOf, requireProvider } from '../secrets/require-provider.ts'
import { listServices } from './list-services.ts'

/** What a provider's own servers may ask about its services. To be registered below `/api/v1`. */
export function providerServiceRoutes(app: App, deps: Deps & { providers: ProviderGuard }): void {
  const onRequest = requireProvider(deps.providers)

  app.get('/provider/services', { onRequest, schema: { querystring: listServicesQuery } }, async request => {
    const { limit, cursor } = request.query
    const page = await listServices(deps, { owner: providerOf(request).wallet, limit, cursor })
    return { status: 'success', services: page.items, nextCursor: page.nextCursor }
  })
}
