import { afterAll, beforeAll, expect, test } from 'vitest'
import { startProvider, type TestProvider } from '../../gateway/test/kit/provider/provider.ts'
import { arrive, register } from '../../gateway/test/kit/world/world.ts'
import { faultsOf, measurePage, SCORE_MIN, scoresOf } from '../scripts/measure-page.ts'
import { openMeasuredLine } from '../scripts/measured-line.ts'
import { type ConsoleFixture, openConsole } from './kit/browser.ts'
import { startDebuggedBrowser } from './kit/launch.ts'

const TEST_MS = 120_000

// Performance depends on the load of the machine: `npm run lighthouse` measures it.

let fixture: ConsoleFixture
let provider: TestProvider
let browser: Awaited<ReturnType<typeof startDebuggedBrowser>>
let line: Awaited<ReturnType<typeof openMeasuredLine>>
beforeAll(async () => {
  fixture = await openConsole()
  provider = await startProvider()
  for (const agentToolName of ['weather', 'geocode'])
    await register(fixture.on, await arrive(fixture.on), {
      targets: [provider.url],
      priceUsdc: '0.01',
      manifest: {
        agentToolName,
        serviceName: agentToolName,
        summary: 'A service of the test.',
        tags: ['data'],
      },
    })
  line = await openMeasuredLine(fixture.on.url)
  browser = await startDebuggedBrowser()
}, 240_000)
afterAll(async () => {
  await browser.stop()
  await line.stop()
  await fixture.stop()
  await provider.stop()
})

test.each(['/', '/market', '/services/weather', '/docs/reference', '/proof', '/app'])(
  'scores at least 95 for accessibility, best practices and search engines at %s',
  async path => {
    const result = await measurePage(browser.port, line.url + path, 'without performance')
    expect(belowMin(scoresOf(result)), faultsOf(result).join('\n')).toEqual([])
  },
  TEST_MS,
)

const belowMin = (scores: Readonly<Record<string, number>>) =>
  Object.entries(scores).filter(([, score]) => score < SCORE_MIN)
