import { listServicesQuery, servicesPage } from '@farebox/wire/services'
import type { App } from '../../app.ts'
import { contract } from '../../http/openapi/contract.ts'
import type { Deps } from '../../ports.ts'
import { type ProviderGuard, providerOf, requireProvider } from '../secrets/require-provider.ts'
import * as examples from './examples.ts'
import { listServices } from './list-services.ts'

/** Routes for provider secrets: the provider's services. Registered below `/api/v1`. */
export function providerServiceRoutes(app: App, deps: Deps & { providers: ProviderGuard }): void {
  app.get(
    '/provider/services',
    {
      ...contract(
        {
          id: 'listProviderServices',
          summary: "List the provider's services",
          description: 'Newest first, without deleted ones.',
          tag: 'Provider side',
          access: 'providerSecret',
          answer: servicesPage,
          example: examples.listed,
        },
        { querystring: listServicesQuery },
      ),
      onRequest: requireProvider(deps.providers),
    },
    async request => {
      const { limit, cursor } = request.query
      const page = await listServices(deps, { owner: providerOf(request).wallet, limit, cursor })
      return { status: 'success', services: page.items, nextCursor: page.nextCursor }
    },
  )
}
