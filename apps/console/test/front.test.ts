import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { usdc } from '@farebox/money'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startProvider, type TestProvider } from '../../gateway/test/kit/provider/provider.ts'
import { arrive, invoke, mint, ownerWith, register } from '../../gateway/test/kit/world/world.ts'
import { giveGas, newSettler } from '../../gateway/test/kit/world/x402-client.ts'
import { expectAccessible } from './kit/axe.ts'
import { type ConsoleFixture, loaded, openConsole } from './kit/browser.ts'
import { SHIFT_MAX, shiftedOf, watchShifts } from './kit/shifts.ts'

const TEST_MS = 90_000
const TAG_LENGTH_MAX = 32
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

test(
  'calls a service reliable only if its calls succeed',
  async () => {
    const { on } = fixture
    const serviceId = await register(on, await arrive(on), {
      targets: [server.url],
      priceUsdc: '0.05',
      manifest: { agentToolName: 'shaky', serviceName: 'Shaky', summary: 'Shaky', tags: [] },
      invoke: { request: {}, response: {} },
    })
    const credential = await mint(on, await ownerWith(on, '5'))
    for (let call = 0; call < 8; call++) {
      server.respondWith((_, response) =>
        response.writeHead(call < 6 ? 200 : 500, { 'content-type': 'application/json' }).end('{}'),
      )
      await invoke(on, credential, { serviceId, costUsdc: '0.05', payload: { body: {} } })
    }
    const { page } = await fixture.visit('/market')
    await page.getByRole('row', { name: /Shaky/ }).getByText('75%').filter({ visible: true }).waitFor()
    const picked = page.waitForResponse(/highest_reliability/)
    await page.goto('/')
    expect(await (await picked).text()).toContain('Shaky')
    await loaded(page)
    await expect.poll(() => page.getByRole('region', { name: 'Most reliable this week' }).count()).toBe(0)
  },
  TEST_MS,
)

test(
  'fits a service with the longest tag',
  async () => {
    const tag = 'a'.repeat(TAG_LENGTH_MAX)
    await register(fixture.on, await arrive(fixture.on), {
      targets: [server.url],
      priceUsdc: '0',
      manifest: { agentToolName: 'tagged', serviceName: 'Tagged', summary: 'Tagged', tags: [tag] },
      invoke: { request: {}, response: {} },
    })
    const { page } = await fixture.visit('/services/tagged', { width: 1_024 })
    await page.getByRole('link', { name: tag }).waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true)
  },
  TEST_MS,
)
