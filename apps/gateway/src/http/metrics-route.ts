import { createHash, timingSafeEqual } from 'node:crypto'
import { GatewayError } from '@farebox/wire/errors'
import type { App } from '../app.ts'
import type { Config } from '../config.ts'
import { contract } from './openapi/contract.ts'

const BEARER = /^bearer +/i

/**
 * `GET /metrics`, outside of `/api/v1`, in the text format of Prometheus. Metrics show how much money moves, so they
 * require `METRICS_TOKEN`; development mode allows everybody if it is not set.
 *
 * @param source.contentType of the result of `scrape`
 */
export function metricsRoute(
  app: App,
  config: Pick<Config, 'FAREBOX_MODE' | 'METRICS_TOKEN'>,
  source: { readonly contentType: string; readonly scrape: () => Promise<string> },
): void {
  const { METRICS_TOKEN: token, FAREBOX_MODE: mode } = config
  const isOpen = token === undefined && mode === 'dev'

  app.get(
    '/metrics',
    {
      ...contract({
        id: 'readMetrics',
        summary: 'Read the metrics of this gateway',
        description:
          'For Prometheus, with `METRICS_TOKEN` as bearer token. Without that setting access is refused, except in development mode.',
        tag: 'Operations',
        access: 'public',
        errors: ['UNAUTHORIZED'],
        otherTypes: { 'text/plain': 'Metrics in the text format of Prometheus, version 0.0.4' },
      }),
      onRequest: async request => {
        if (isOpen || (token !== undefined && isSame(token, request.headers.authorization))) return
        const message = 'Send METRICS_TOKEN as bearer token.'
        throw new GatewayError('UNAUTHORIZED', {}, { message })
      },
    },
    async (_request, reply) => reply.header('content-type', source.contentType).send(await source.scrape()),
  )
}

/** Compares in constant time. */
function isSame(token: string, authorization: string | undefined): boolean {
  if (authorization === undefined || !BEARER.test(authorization)) return false
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(token), digest(authorization.replace(BEARER, '')))
}
