import { registrationGuide as guideAnswer, parseCurlBody, parsedCurl } from '@farebox/wire/authoring'
import type { App } from '../../app.ts'
import { limitPerClient } from '../../http/limits/rate-limit.ts'
import { contract } from '../../http/openapi/contract.ts'
import type { Deps } from '../../ports.ts'
import { ownerGuard } from '../auth/require-owner.ts'
import { openapiRoutes } from './openapi-routes.ts'
import { parseCurl } from './parse-curl.ts'
import { registrationGuide } from './registration-guide.ts'

/** Parsed commands per client address and minute. */
const COMMANDS_PER_MINUTE = 60

/** Routes that help to write manifests. Registered below `/api/v1`, before `/services/:id`. */
export function authoringRoutes(app: App, deps: Deps): void {
  const limit = limitPerClient(deps.clock, {
    name: 'parse-curl',
    quota: COMMANDS_PER_MINUTE,
    windowSeconds: 60,
  })
  const guide = registrationGuide(deps)

  app.post(
    '/services/parse-curl',
    {
      ...contract(
        {
          id: 'draftService',
          summary: 'Draft a service from a curl command',
          description:
            'Parses the command like a shell without running it: no file, variable or substitution is read, and the URL is not called. Nothing is stored. Headers go to `upstreamHeaders`; those that look like secrets are flagged.',
          tag: 'Services',
          access: 'wallet',
          errors: ['RATE_LIMITED'],
          answer: parsedCurl,
        },
        { body: parseCurlBody },
      ),
      onRequest: [ownerGuard(deps), limit],
    },
    async request => ({ status: 'success', ...parseCurl(request.body.curlCommand) }),
  )
  openapiRoutes(app, deps)

  app.get(
    '/services/registration-guide',
    {
      ...contract({
        id: 'readRegistrationGuide',
        summary: 'Read how to register a service',
        description:
          'For programs: the manifest with its limits, examples, health rules, the format and verification of calls, and the next steps.',
        tag: 'Services',
        access: 'public',
        answer: guideAnswer,
      }),
    },
    async () => guide,
  )
}
