import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sendJson, startProvider, type TestProvider } from '../../gateway/test/kit/provider/provider.ts'
import { until } from '../../gateway/test/kit/until.ts'
import { newWallet, signIn } from '../../gateway/test/kit/world/wallets.ts'
import { invoke, mint, ownerWith, register } from '../../gateway/test/kit/world/world.ts'
import { expectAccessibleInBothThemes } from './kit/axe.ts'
import { type ConsoleFixture, openConsole, visitAs } from './kit/browser.ts'

const PRICE = '0.250000'

let fixture: ConsoleFixture
let provider: TestProvider
let page: Page
let faults: readonly string[]
let cities: string
const account = newWallet()

beforeAll(async () => {
  ;[fixture, provider] = await Promise.all([openConsole(), startProvider()])
  const { on } = fixture
  const seller = { account, token: await signIn(on.url, account) }
  const sell = (serviceName: string) =>
    register(on, seller, { targets: [provider.url], priceUsdc: PRICE, manifest: { serviceName } })
  const weather = await sell('Weather')
  cities = await sell('Cities')
  const agent = await mint(on, await ownerWith(on, '20'))
  const call = (serviceId: string) => invoke(on, agent, { serviceId, costUsdc: PRICE, payload: { body: {} } })
  for (let count = 0; count < 8; count += 1) await call(weather)
  await call(cities)
  provider.respondWith((_, response) => sendJson(response, 503, { error: 'The model is overloaded.' }))
  await call(weather)
  provider.respondWith((_, response) => sendJson(response, 404, { error: 'There is no such city.' }))
  await call(cities)
  await until('the attempts are counted', async () => {
    const [sum] = await on.sql<{ calls: number }>('select sum(calls)::int as calls from target_calls')
    return sum?.calls === 11
  })
  ;({ page, faults } = await visitAs(fixture, '/provider/traffic', account))
}, 180_000)
afterAll(async () => {
  await fixture.stop()
  await provider.stop()
})

const figure = (label: string) =>
  page.locator('dt').getByText(label, { exact: true }).locator('xpath=following-sibling::dd[1]')
const shows = (label: string, text: string) =>
  expect.poll(() => figure(label).textContent(), { timeout: 30_000 }).toBe(text)
const press = (group: string, name: string) =>
  page.getByRole('group', { name: group }).getByRole('button', { name, exact: true }).click()

test('shows calls, who called, who caused errors, latency and earnings, and what callers received', async () => {
  await shows('Calls', '11')
  await shows('Succeeded', '90%')
  await shows('Your errors', '1')
  await shows('Callers’ errors', '1')
  await shows('Earned', '2.25USDC')
  await page
    .getByRole('slider', { name: /^Calls by hour: 9 succeeded, 1 your errors, 1 callers’ errors/ })
    .waitFor()
  await page.getByRole('slider', { name: /^Latency by hour: median/ }).waitFor()
  const failures = page.getByRole('table', { name: 'Failures' })
  await failures.getByRole('row', { name: /HTTP 503.*Yours.*502 UPSTREAM_ERROR.*overloaded/ }).waitFor()
  await failures.getByRole('row', { name: /HTTP 404.*Caller’s.*no such city/ }).waitFor()
  const targets = page.getByRole('table', { name: 'Traffic by target' })
  await targets
    .getByRole('row', { name: new RegExp(`${provider.url}.*Weather.*9.*88\\.8%.*2\\.00`, 's') })
    .waitFor()
  await targets.getByRole('row', { name: new RegExp(`${provider.url}.*Cities.*2.*0\\.25`, 's') }).waitFor()
  await page.getByText('From 1 wallet', { exact: true }).waitFor()
  await page
    .getByRole('table', { name: 'Traffic by caller' })
    .getByRole('row', { name: /Caller 1.*11.*100%.*9.*2\.25/s })
    .waitFor()
  await expectAccessibleInBothThemes(page)
})

test('keeps period, bucket and service in the URL across a reload', async () => {
  await press('Period', '30 days')
  await page.getByRole('slider', { name: /^Calls by day: / }).waitFor()
  await press('Bucket', 'Week')
  await page.getByRole('slider', { name: /^Calls by week: / }).waitFor()
  await page.getByRole('combobox', { name: 'Service' }).click()
  await page.getByRole('option', { name: 'Cities' }).click()
  await shows('Calls', '2')
  const { searchParams } = new URL(page.url())
  expect(Object.fromEntries(searchParams)).toEqual({ period: 'month', bucket: 'week', service: cities })
  await page.reload()
  await page.getByRole('slider', { name: /^Calls by week: 1 succeeded, 0 your errors, 1 callers’/ }).waitFor()
  await shows('Calls', '2')
  await page
    .getByRole('table', { name: 'Traffic by service' })
    .getByRole('link', { name: 'Cities' })
    .waitFor()
})

test('falls back to hourly buckets of a day for a URL with an invalid bucket', async () => {
  await page.goto('/provider/traffic?period=day&bucket=week')
  await page.getByRole('slider', { name: /^Calls by hour: / }).waitFor()
})

test('fits a phone and reports no error', async () => {
  await page.setViewportSize({ width: 360, height: 800 })
  await page.getByRole('slider', { name: /^Calls by hour: / }).waitFor()
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360)
  expect(faults).toEqual([])
})

test('hides the first steps permanently once something is earned', async () => {
  await page.goto('/provider')
  const steps = page.getByRole('list', { name: 'First steps' })
  await steps.waitFor()
  await page.getByRole('button', { name: 'Hide first steps' }).click()
  await steps.waitFor({ state: 'detached' })
  await page.reload()
  await page.getByRole('table', { name: 'Services' }).getByRole('link', { name: 'Weather' }).waitFor()
  expect(await steps.count()).toBe(0)
})
