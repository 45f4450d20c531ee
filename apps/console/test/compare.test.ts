import type { MarketService } from '@farebox/wire/market'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { recordCalls } from '../../gateway/src/domains/services/discovery/record-calls.ts'
import { registerModel } from '../../gateway/test/kit/llm/llm-market.ts'
import { get } from '../../gateway/test/kit/network/http.ts'
import { type LlmTestProvider, startLlmProvider } from '../../gateway/test/kit/provider/llm-provider.ts'
import { arrive, ownerWith } from '../../gateway/test/kit/world/world.ts'
import { expectAccessibleInBothThemes } from './kit/axe.ts'
import { type ConsoleFixture, openConsole } from './kit/browser.ts'
import { SHIFT_MAX, shiftedOf, watchShifts } from './kit/shifts.ts'

const TEST_MS = 90_000
const PHONE = { width: 360, height: 740 }
const NAMES = ['Charon', 'Phlegyas', 'Urshanabi', 'Njord', 'Vaitarna']

let fixture: ConsoleFixture
let model: LlmTestProvider

beforeAll(async () => {
  fixture = await openConsole({ env: { PROBE_INTERVAL_SECONDS: '86400' } })
  model = await startLlmProvider()
  const provider = await arrive(fixture.on)
  for (const [index, serviceName] of NAMES.entries()) {
    await registerModel(fixture.on, provider, {
      url: `${model.url}/v1/chat/completions`,
      manifest: {
        serviceName,
        agentToolName: serviceName.toLowerCase(),
        inputPricePer1MTokensUsdc: `${index + 1}`,
        ...(index === 4 && { outputPricePer1MTokensUsdc: '10' }),
        ...(index === 1 && {
          cacheReadPricePer1M: '0.2',
          contextTokens: 128_000,
          inputModalities: ['text', 'image'],
        }),
      },
    })
  }
}, 240_000)
afterAll(async () => {
  await fixture.stop()
  await model.stop()
})

/** Returns true if a table needs no scrolling to the side. */
const isWhole = (page: Page, label: string) =>
  page.evaluate(
    `(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)(document.querySelector(
      'section[aria-label="${label}"]'))`,
  )

test(
  'filters models by price and context at once, in the address, and says which filter leaves nothing',
  async () => {
    const { page, faults } = await fixture.visit('/market?sort=lowest_price')
    const rows = page.getByRole('table', { name: 'Services' }).locator('tbody').getByRole('link')
    const found = (names: readonly string[]) => expect.poll(() => rows.allTextContents()).toEqual(names)
    const input = page.getByRole('textbox', { name: /^Input price at most/ })
    const output = page.getByRole('textbox', { name: /^Output price at most/ })
    await found(NAMES)
    await input.focus()
    await page.keyboard.type('3.0')
    await page.keyboard.press('Tab')
    await page.keyboard.type('6')
    await found(NAMES.slice(0, 3))
    expect(await input.inputValue()).toBe('3.0')
    await page.waitForURL('**/market?kind=llm&maxInput=3&maxOutput=6&sort=lowest_price')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('option', { name: 'Context ≥ 128K' }).click()
    await found(['Phlegyas'])
    await page.reload()
    await found(['Phlegyas'])
    expect(await input.inputValue()).toBe('3')

    await input.fill('three')
    await page.getByRole('alert').filter({ hasText: 'Enter a number' }).waitFor()
    await input.fill('1')
    await page.getByText('No service matches all filters.').waitFor()
    const filter = (label: string) => page.getByRole('listitem').filter({ hasText: label })
    await filter('input ≤ 1 USDC').getByText('1 service', { exact: true }).waitFor()
    await filter('context ≥ 128,000').getByText('1 service', { exact: true }).waitFor()
    await filter('output ≤ 6').getByText('0 services').waitFor()
    await expectAccessibleInBothThemes(page)
    await page.setViewportSize(PHONE)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(PHONE.width)
    await filter('context ≥ 128,000').getByRole('button').click()
    await found(['Charon'])
    await page.getByRole('button', { name: 'Clear limits' }).click()
    await found(NAMES)
    expect(await isWhole(page, 'Services')).toBe(true)
    expect(await input.inputValue()).toBe('')

    await output.fill('5')
    await page.getByText('No service matches output ≤ 5 USDC / 1M.').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await found(NAMES)
    await page.waitForURL('**/market?sort=lowest_price')
    expect(faults).toEqual([])
  },
  TEST_MS,
)

test(
  'names every filter of a search that matches nothing, and clears all of them at once',
  async () => {
    const { page, faults } = await fixture.visit('/market')
    const filters = page
      .getByRole('listitem')
      .filter({ hasText: / services?$/ })
      .getByRole('button')
    const named = async (search: string, labels: readonly string[]) => {
      await page.goto(`/market?q=nothing&tag=none&provider=0x${'a'.repeat(40)}&${search}`)
      await expect
        .poll(() => filters.allTextContents())
        .toEqual([
          'the search “nothing”',
          'the tag “none”',
          expect.stringMatching(/^the provider 0x/),
          ...labels,
        ])
    }
    await named('kind=api', ['the kind “APIs”'])
    await named('kind=api&maxCall=0.5', ['price ≤ 0.5 USDC / call'])
    await named('kind=llm&maxInput=1&maxOutput=2&minContext=8000', [
      'input ≤ 1 USDC / 1M',
      'output ≤ 2 USDC / 1M',
      'context ≥ 8,000 tokens',
    ])
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.waitForURL('**/market')
    await page.getByRole('link', { name: 'Phlegyas' }).waitFor()
    expect(faults).toEqual([])
  },
  TEST_MS,
)

test(
  'ticks a model at once, and takes two that are chosen one right after the other',
  async () => {
    const { page } = await fixture.visit('/market?kind=llm')
    await page.getByRole('checkbox', { name: 'Compare Charon' }).waitFor()
    // Both in one task: the address follows later.
    const ticked = await page.evaluate(`['Charon', 'Phlegyas'].map(name => {
      const box = document.querySelector('[aria-label="Compare ' + name + '"]')
      box.click()
      return box.checked
    })`)
    expect(ticked).toEqual([true, true])
    await page.getByRole('link', { name: 'Compare 2' }).waitFor()
    await page.getByRole('button', { name: 'Clear' }).click()
    await expect.poll(() => page.getByRole('checkbox', { name: 'Compare Charon' }).isChecked()).toBe(false)
  },
  TEST_MS,
)

test(
  'compares models chosen in the market, and marks the lowest price',
  async () => {
    const { page, faults } = await fixture.visit('/market?kind=llm')
    await page.getByRole('checkbox', { name: 'Compare Charon' }).check()
    await page.getByRole('checkbox', { name: 'Compare Phlegyas' }).check()
    await page.getByRole('link', { name: 'Compare 2' }).click()
    await page.waitForURL('**/models/compare?ids=*')
    const row = (name: string) => page.getByRole('row', { name: new RegExp(`^${name}`) }).textContent()
    await expect.poll(() => row('Input, 1M')).toMatch(/1\.00USDC Best2\.00USDC$/)
    await expect.poll(() => row('Output, 1M')).not.toContain('Best')
    expect(await row('Cache read')).toMatch(/as input0\.20USDC$/)
    expect(await row('Context')).toMatch(/–128,000 tokens$/)
    expect(await row('Input(?!,)')).toMatch(/–text, image$/)

    await page.setViewportSize(PHONE)
    await page.reload()
    await page.getByRole('link', { name: 'Phlegyas' }).waitFor()
    expect(await isWhole(page, 'Compared models')).toBe(true)
    const context = page.getByRole('row', { name: /^Context/ })
    const head = await context.getByRole('rowheader').boundingBox()
    const value = await context.getByText('128,000 tokens').boundingBox()
    expect((head?.y ?? 0) + (head?.height ?? 0)).toBeLessThanOrEqual(value?.y ?? 0)
    await expectAccessibleInBothThemes(page)
    await page.getByRole('button', { name: 'Remove Charon' }).click()
    await expect.poll(() => page.getByRole('link', { name: 'Charon' }).count()).toBe(0)
    await page.getByRole('link', { name: 'Choose models' }).click()
    await expect.poll(() => page.getByRole('checkbox', { name: 'Compare Phlegyas' }).isChecked()).toBe(true)
    expect(faults).toEqual([])
  },
  TEST_MS,
)

test(
  'shows the throughput of models by day, and marks the fastest',
  async () => {
    const { on } = fixture
    const payer = await ownerWith(on, '1')
    const prices = { owner: payer.account.address.toLowerCase(), price: 9_000_000n, outputPrice: 90_000_000n }
    const idOf = async (name: string) =>
      (await get<{ service: MarketService }>(on, `/market/services/${name}`)).body.service.serviceId
    const calls = { good: 6, bad: 0, latencyMs: 6_000, ratedAs: prices }
    await recordCalls(on.gateway.deps, [
      { ...calls, serviceId: await idOf('charon'), outputTokens: 120 },
      { ...calls, serviceId: await idOf('njord'), outputTokens: 7_407 },
    ])
    const { page, faults } = await fixture.visit('/health')
    await watchShifts(page)
    await page.goto(`/models/compare?ids=${encodeURIComponent('["charon","njord","phlegyas"]')}`)
    const row = page.getByRole('row', { name: /^Throughput/ })
    await expect.poll(() => row.textContent()).toBe('Throughput, 7 days20 tokens/s1,234.5 tokens/s Best–')
    expect(await shiftedOf(page)).toBeLessThan(SHIFT_MAX)
    await page.getByRole('link', { name: 'Njord' }).click()
    const figure = page.getByText('Throughput, 7 days').locator('..')
    await expect.poll(() => figure.textContent()).toBe('Throughput, 7 days1,234.5 tokens/s')
    const chart = page.getByRole('slider', { name: 'Throughput by day: last 1,234.5 tokens/s' })
    await chart.press('End')
    await chart.getByText(/ · 1,234\.5 tokens\/s$/).waitFor()
    await expectAccessibleInBothThemes(page)
    await page.setViewportSize(PHONE)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(PHONE.width)
    expect(faults).toEqual([])
  },
  TEST_MS,
)

test(
  'compares at most four models, and names those that do not exist',
  async () => {
    const four = NAMES.slice(0, 4).map(name => name.toLowerCase())
    const { page } = await fixture.visit(`/market?kind=llm&compare=${four.join(',')}`)
    await page.getByRole('link', { name: 'Compare 4' }).waitFor()
    expect(await page.getByRole('checkbox', { name: 'Compare Vaitarna' }).isDisabled()).toBe(true)

    await page.goto(`${fixture.on.url}/models/compare?ids=${['nobody', ...four].join(',')}`)
    await page.getByText('Unknown model: nobody.').waitFor()
    await page.getByRole('link', { name: 'Urshanabi' }).waitFor()
    expect(await page.getByRole('link', { name: 'Njord' }).count()).toBe(0)
    await expectAccessibleInBothThemes(page)
    await page.setViewportSize(PHONE)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(PHONE.width)
    await page.goto(`${fixture.on.url}/models/compare`)
    await page.getByText('No models chosen').waitFor()
  },
  TEST_MS,
)
