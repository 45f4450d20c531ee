import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Fixture, startFixture } from '../faults/fixture.ts'
import { scrape } from '../kit/gateway/prometheus.ts'
import { until } from '../kit/until.ts'

const TOKEN = 'what the scraper of these tests brings'
/** Every reading is waited for this long at most, all at once. */
const SCRAPE_MS_MAX = 10_000

let fixture: Fixture
beforeAll(async () => {
  fixture = await startFixture({ METRICS_TOKEN: TOKEN })
})
afterAll(() => fixture.stop())

test('a scrape succeeds without the values of an unreachable or silent database', async () => {
  const { on, proxy } = fixture
  await until('the metrics of the books are there', async () =>
    (await scrape(on, TOKEN)).has('farebox_holds_open'),
  )
  const counted = (await scrape(on, TOKEN)).value('farebox_http_requests_total')

  for (const fault of ['refuse', 'swallow'] as const) {
    proxy[fault]()
    await until(`a sample failed after ${fault}`, async () => {
      const from = performance.now()
      const now = await scrape(on, TOKEN)
      expect(performance.now() - from).toBeLessThan(SCRAPE_MS_MAX)
      expect(now.value('farebox_sample_up', { sample: 'process' })).toBe(1)
      expect(now.value('farebox_http_requests_total')).toBeGreaterThanOrEqual(counted)
      return !now.has('farebox_holds_open') && now.value('farebox_sample_up', { sample: 'holds' }) === 0
    })
    proxy.pass()
    await until(`all metrics are there again after ${fault}`, async () =>
      (await scrape(on, TOKEN)).has('farebox_holds_open'),
    )
  }
}, 60_000)
