import {
  marketAnswer,
  marketQuery,
  marketServiceAnswer,
  marketStatsAnswer,
  marketTagsAnswer,
} from '@farebox/wire/market'
import { serviceParams } from '@farebox/wire/services'
import type { App } from '../../../app.ts'
import { limitPublic } from '../../../http/limits/shared-rate-limit.ts'
import { contract } from '../../../http/openapi/contract.ts'
import type { Deps } from '../../../ports.ts'
import type { Discovery } from './create-discovery.ts'
import * as examples from './market-examples.ts'
import { readTags } from './market-store.ts'
import { readMarketService } from './read-market-service.ts'
import { createMarketStats } from './read-market-stats.ts'
import { searchMarket } from './search-market.ts'

const JSON_TYPE = 'application/json; charset=utf-8'
const common = { tag: 'Discovery', access: 'public', errors: ['RATE_LIMITED'] } as const

type MarketDeps = Deps & {
  readonly discovery: Discovery
  /** Median time that this gateway adds to a paid call, in seconds; null before the first. */
  readonly medianOverhead: () => Promise<number | null>
}

/** Public routes of the market, below `/market`. */
export function marketRoutes(app: App, deps: MarketDeps): void {
  const quota = deps.config.SEARCHES_PER_MINUTE
  const onRequest = limitPublic(deps, { name: 'market', quota, windowSeconds: 60 })
  listRoutes(app, deps, onRequest)
  detailRoutes(app, deps, onRequest)
}

type Guard = ReturnType<typeof limitPublic>

function listRoutes(app: App, deps: MarketDeps, onRequest: Guard): void {
  const { catalogue } = deps.discovery

  app.get(
    '/market/services',
    {
      ...contract(
        {
          ...common,
          id: 'searchMarket',
          summary: 'Browse the market',
          description:
            'Services that can be called now, with statistics of their calls of the last seven days. Agents use `POST /agent/discovery/search`.',
          answer: marketAnswer,
          example: examples.market,
        },
        { querystring: marketQuery },
      ),
      onRequest,
    },
    async (request, reply) =>
      reply.header('content-type', JSON_TYPE).send(await searchMarket({ ...deps, catalogue }, request.query)),
  )

  app.get(
    '/market/tags',
    {
      ...contract({
        ...common,
        id: 'listMarketTags',
        summary: 'List the tags of the market',
        description: 'Of services that can be called now, the most used first.',
        answer: marketTagsAnswer,
        example: examples.tags,
      }),
      onRequest,
    },
    async () => ({ status: 'success', tags: await readTags(deps.db) }),
  )
}

function detailRoutes(app: App, deps: MarketDeps, onRequest: Guard): void {
  const readStats = createMarketStats(deps, deps.medianOverhead)

  app.get(
    '/market/services/:id',
    {
      ...contract(
        {
          ...common,
          id: 'readMarketService',
          summary: 'Read a service of the market',
          description: 'How to call it, and statistics of its calls.',
          errors: [...common.errors, 'SERVICE_NOT_FOUND'],
          answer: marketServiceAnswer,
          example: examples.shown,
        },
        { params: serviceParams },
      ),
      onRequest,
    },
    async request => ({ status: 'success', service: await readMarketService(deps, request.params.id) }),
  )

  app.get(
    '/market/stats',
    {
      ...contract({
        ...common,
        id: 'readMarketStats',
        summary: 'Read the statistics of the market',
        description: 'Some seconds old at most.',
        answer: marketStatsAnswer,
        example: examples.stats,
      }),
      onRequest,
    },
    () => readStats(),
  )
}
