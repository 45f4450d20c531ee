import { afterEach, describe, expect, test } from 'vitest'
import { startPartialGateway } from '../../test/kit/gateway/partial-gateway.ts'
import { readScrape } from '../../test/kit/gateway/prometheus.ts'
import { createMetrics, METRICS_TYPE } from '../adapters/metrics.ts'
import type { Chain } from '../ports.ts'

const TOKEN = 'a token of sixteen or more'
const noChain = {} as Chain
let gateway: Awaited<ReturnType<typeof startPartialGateway>>
afterEach(() => gateway.stop())

/** A gateway with the route, in the place where the whole one has it. */
async function start(env: Record<string, string>) {
  const { metricsRoute } = await import('./metrics-route.ts')
  gateway = await startPartialGateway({
    chain: noChain,
    env,
    routes: (app, deps) => {
      const { scrape } = createMetrics(deps.log)
      metricsRoute(app, deps.config, { contentType: METRICS_TYPE, scrape })
    },
  })
  return (authorization?: string) =>
    fetch(`${gateway.url}/api/v1/metrics`, {
      headers: authorization === undefined ? {} : { authorization },
    })
}

/** Required settings of production mode, unused here. */
const production = {
  FAREBOX_MODE: 'production',
  DATABASE_URL: 'postgres://127.0.0.1:1/none',
  CHAIN_RPC_URL: 'http://127.0.0.1:1',
  VAULT_ADDRESS: `0x${'0'.repeat(40)}`,
  TICKET_SIGNER_KEY: '1'.repeat(64),
  ENCRYPTION_KEY: '1'.repeat(64),
}

describe('who may read the metrics', () => {
  test('in development everybody, in the Prometheus text format', async () => {
    const answer = await (await start({}))()
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(readScrape(await answer.text()).types.size).toBeGreaterThan(40)
  })

  test('in production nobody without a configured token', async () => {
    const ask = await start(production)
    for (const authorization of [undefined, 'Bearer ', 'Bearer undefined', 'Basic Og==']) {
      const answer = await ask(authorization)
      expect(answer.status).toBe(401)
      expect(await answer.json()).toMatchObject({ code: 'UNAUTHORIZED' })
    }
  })

  test.each([{ mode: 'dev' }, { mode: 'production' }])(
    'in $mode with a token only its holder',
    async ({ mode }) => {
      const ask = await start({ ...(mode === 'production' && production), METRICS_TOKEN: TOKEN })
      expect((await ask(`Bearer ${TOKEN}`)).status).toBe(200)
      expect((await ask(`bearer  ${TOKEN}`)).status).toBe(200)
      for (const wrong of [undefined, TOKEN, `Bearer ${TOKEN}x`, `Bearer ${TOKEN.slice(1)}`, 'Bearer ']) {
        expect((await ask(wrong)).status).toBe(401)
      }
    },
  )
})
