import { parsedOpenapi, parseOpenapiBody } from '@farebox/wire/openapi-import'
import type { App } from '../../app.ts'
import { limitPerClient } from '../../http/limits/rate-limit.ts'
import { contract } from '../../http/openapi/contract.ts'
import type { Deps } from '../../ports.ts'
import { ownerGuard } from '../auth/require-owner.ts'
import { createOpenApiReader } from './openapi/parse-openapi.ts'

/** Documents read per client address and minute. */
const DOCUMENTS_PER_MINUTE = 20

/** Drafts services from OpenAPI documents. Registered below `/api/v1`, before `/services/:id`. */
export function openapiRoutes(app: App, deps: Deps): void {
  const limit = limitPerClient(deps.clock, {
    name: 'parse-openapi',
    quota: DOCUMENTS_PER_MINUTE,
    windowSeconds: 60,
  })
  const read = createOpenApiReader()

  app.post(
    '/services/parse-openapi',
    {
      ...contract(
        {
          id: 'draftServicesFromOpenapi',
          summary: 'Draft services from an OpenAPI document',
          description:
            'Lists the operations of the document, and drafts a manifest from each one that `operations` names: method, target, path, query, encoding, headers and schemas. References must lead within the document; nothing is fetched, stored or registered.',
          tag: 'Services',
          access: 'wallet',
          errors: ['RATE_LIMITED'],
          answer: parsedOpenapi,
        },
        { body: parseOpenapiBody },
      ),
      onRequest: [ownerGuard(deps), limit],
    },
    async ({ body: { document, operations, serverUrl } }) => ({
      status: 'success',
      ...(await read({ document, operations, serverUrl: serverUrl ?? undefined })),
    }),
  )
}
