import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { usdc } from '@farebox/money'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startProvider, type TestProvider } from '../../gateway/test/kit/provider/provider.ts'
import { arrive, register } from '../../gateway/test/kit/world/world.ts'
import { giveGas, newSettler } from '../../gateway/test/kit/world/x402-client.ts'
import { expectAccessible } from './kit/axe.ts'
import { type ConsoleFixture, loaded, openConsole } from './kit/browser.ts'
import { SHIFT_MAX, shiftedOf, watchShifts } from './kit/shifts.ts'

const TEST_MS = 90_000
const FONT_BYTES_MAX = 32_000

let fixture: ConsoleFixture
let server: TestProvider

beforeAll(async () => {
  const settler = newSettler()
  fixture = await openConsole({
    env: { ...settler.env, LIVE_SERVICE: 'greet', PLATFORM_FEE_BPS: '150', PROBE_INTERVAL_SECONDS: '86400' },
  })
  await giveGas(fixture.on.chain, settler.address)
  server = await startProvider()
  const provider = await arrive(fixture.on)
  const request = { type: 'object', properties: { name: { type: 'string', examples: ['Ada'] } } }
  const invoke = { request, response: { type: 'object' } }
  const offers = [
    ['greet', 'Greeter', '0'],
    ['stranger', 'Free for all', '0'],
    ['paid', 'Weather now', '0.05'],
  ] as const
  for (const [agentToolName, serviceName, priceUsdc] of offers) {
    await register(fixture.on, provider, {
      targets: [server.url],
      priceUsdc,
      manifest: { agentToolName, serviceName, summary: serviceName, tags: [] },
      invoke,
    })
  }
}, 240_000)
afterAll(async () => {
  await fixture.stop()
  await server.stop()
})

test(
  "makes a visitor's call from the page, without an account",
  async () => {
    const { page, faults } = await fixture.visit('/')
    const example = page.getByRole('figure', { name: 'A first call' })
    await example.getByRole('textbox', { name: 'name' }).fill('Grace')
    await example.getByRole('button', { name: 'Call it' }).click()
    await example.getByText('Charged').waitFor()
    expect(server.calls.at(-1)?.body).toBe('{"name":"Grace"}')
    expect(await example.textContent()).toMatch(/"number": 1.*0\.00USDC.*inv_/s)
    server.respondWith((_, response) => response.writeHead(500).end())
    await example.getByRole('button', { name: 'Call it' }).click()
    await example
      .getByRole('alert')
      .getByText(/provider/)
      .waitFor()
    expect(faults).toEqual([
      'Failed to load resource: the server responded with a status of 502 (Bad Gateway)',
    ])
    await example.getByRole('button', { name: 'curl' }).click()
    await example.getByText('"serviceId"').waitFor()
  },
  TEST_MS,
)

test(
  'shows what calls cost, and the reserves as bars',
  async () => {
    const { page } = await fixture.visit('/')
    await page.getByText('1.5% of earnings').waitFor()
    await page.getByRole('img', { name: 'The vault holds 0 USDC, 0 USDC are owed' }).waitFor()
    await page
      .getByRole('region', { name: 'How it compares' })
      .getByText('Same key, same answer')
      .first()
      .waitFor()
    await expectAccessible(page)
  },
  TEST_MS,
)

test(
  'offers no call if the live service is unknown and no other is rated or verified',
  async () => {
    const { page, faults } = await fixture.visit('/health')
    await page.route('**/console/config.json', async route => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), liveService: 'nobody' } })
    })
    await page.goto('/')
    const example = page.getByRole('figure', { name: 'A first call' })
    await example.getByText('"mcpServers"').waitFor()
    expect(await example.getByRole('button', { name: /^(Try it|curl|OpenAI SDK)$/ }).count()).toBe(0)
    expect(faults).toEqual([])
  },
  TEST_MS,
)

test(
  'ships its font and uses it without a layout shift',
  async () => {
    const { page } = await fixture.visit('/health')
    await watchShifts(page)
    await page.goto('/')
    await loaded(page)
    await page.evaluate('document.fonts.ready.then(() => undefined)')
    expect(
      await page.evaluate(
        `[...document.fonts].filter(font => font.status === 'loaded').map(font => font.family)`,
      ),
    ).toContain('Geist')
    const files = await page.evaluate<{ name: string; bytes: number }[]>(
      `performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.woff2')).map(({ name, encodedBodySize }) => ({ name, bytes: encodedBodySize }))`,
    )
    expect(files).toHaveLength(1)
    expect(files[0]?.bytes).toBeLessThan(FONT_BYTES_MAX)
    expect(await shiftedOf(page)).toBeLessThan(SHIFT_MAX)
  },
  TEST_MS,
)

test(
  "the wallet code on a service's page pays for a call when run as shown",
  async () => {
    const { on } = fixture
    const key = generatePrivateKey()
    await on.chain.fund(privateKeyToAccount(key).address, usdc(1_000_000n))
    server.respondWith((_, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"sky":"clear"}'),
    )
    const { page, faults } = await fixture.visit('/services/paid')
    const code = page.getByRole('figure', { name: /Code that calls/ })
    await code.getByRole('button', { name: 'x402' }).click()
    await expect.poll(() => code.textContent()).toContain('payWithX402(')
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '-e', (await code.locator('code').textContent()) ?? ''],
      { env: { ...process.env, WALLET_KEY: key } },
    )
    expect(stdout).toContain("{ sky: 'clear' } 0.050000")
    expect(faults).toEqual([])
  },
  TEST_MS,
)
