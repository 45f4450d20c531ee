import { trafficAnswer, trafficIn } from '@farebox/wire/traffic'
import type { App } from '../../app.ts'
import { contract } from '../../http/openapi/contract.ts'
import type { Deps } from '../../ports.ts'
import { ownerGuard, ownerOf } from '../auth/require-owner.ts'
import * as examples from './examples.ts'
import { readTraffic } from './records/read-traffic.ts'

/** Registers the route of a provider's traffic below `/api/v1`. */
export function trafficRoutes(app: App, deps: Deps): void {
  app.get(
    '/providers/traffic',
    {
      ...contract(
        {
          id: 'readTraffic',
          summary: 'Count the calls of my services',
          description:
            'Calls, failures by whose fault they were, latency and earnings over time, by service and by target, and what callers got when calls failed. The newest 100,000 calls are counted, and the answers of the newest 10,000 failures read; older failures count as `otherFaults`. Callers are not identified.',
          tag: 'Provider side',
          access: 'wallet',
          answer: trafficAnswer,
          example: examples.traffic,
        },
        { querystring: trafficIn },
      ),
      onRequest: ownerGuard(deps),
    },
    async request => ({
      status: 'success',
      ...(await readTraffic(deps, { ...request.query, provider: ownerOf(request).wallet })),
    }),
  )
}
