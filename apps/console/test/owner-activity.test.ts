import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { timeText } from '../../gateway/src/runtime/id-times.ts'
import { startProvider, type TestProvider } from '../../gateway/test/kit/provider/provider.ts'
import { newWallet, signIn } from '../../gateway/test/kit/world/wallets.ts'
import { arrive, deposit, invoke, mint, type Person, register } from '../../gateway/test/kit/world/world.ts'
import { expectAccessibleInBothThemes } from './kit/axe.ts'
import { type ConsoleFixture, openConsole, visitAs } from './kit/browser.ts'

const PRICE = '0.050000'
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

let fixture: ConsoleFixture
let provider: TestProvider
let serviceId = ''
/** A credential that may spend less than a call costs. */
let narrow: { token: string; id: string }
let page: Page
let faults: readonly string[]
/** Start of the present UTC day, in Unix ms. */
const today = Math.floor(Date.now() / DAY_MS) * DAY_MS

beforeAll(async () => {
  ;[fixture, provider] = await Promise.all([openConsole(), startProvider()])
  const { on } = fixture
  const account = newWallet()
  const owner: Person = { account, token: await signIn(on.url, account) }
  const [seller] = await Promise.all([arrive(on), deposit(on, owner, '20')])
  const serviceIds = await Promise.all(
    ['Weather now', 'Maps'].map(serviceName =>
      register(on, seller, {
        targets: [provider.url],
        priceUsdc: PRICE,
        manifest: { serviceName, agentToolName: serviceName.toLowerCase().replace(' ', '_') },
      }),
    ),
  )
  const credential = await mint(on, owner)
  narrow = await mint(on, owner, { creditLimit: '0.01' })
  serviceId = serviceIds[0] ?? ''
  for (const [index, id] of serviceIds.entries()) {
    const made = await invoke(on, credential, {
      serviceId: id,
      costUsdc: PRICE,
      payload: { body: { index } },
    })
    expect(made.status).toBe(200)
    // The same call at other times: five in an hour two days ago, one nine days ago.
    const times = [-46, -46, -46, -46, -46, -9 * 24].map(hours => today + hours * HOUR_MS + 60_000 + index)
    for (const [number, at] of times.entries())
      await on.sql(
        `insert into invocations select (jsonb_populate_record(i, jsonb_build_object(
           'id', $2::text, 'idempotency_key', $2::text, 'drawn_at', $3::timestamptz))).*
         from invocations i where i.id = $1`,
        [
          made.body.invocationId,
          `inv_${timeText(at)}${index}${number}${'0'.repeat(14)}`,
          new Date(at).toISOString(),
        ],
      )
  }
  ;({ page, faults } = await visitAs(fixture, '/app/activity', account))
}, 180_000)
afterAll(async () => {
  await fixture.stop()
  await provider.stop()
})

const chart = () => page.getByRole('slider')
const totals = () => page.getByRole('region', { name: 'Totals' })
const rows = () => page.getByRole('table', { name: 'Breakdown' }).getByRole('row')
const press = (name: string, group: string) =>
  page.getByRole('group', { name: group }).getByRole('button', { name, exact: true }).click()
/** Presses a key of the chart so many times. */
async function key(name: string, times: number): Promise<void> {
  await chart().focus()
  for (let time = 0; time < times; time += 1) await page.keyboard.press(name)
}

test('shows the spend of seven days, including empty ones, against the seven days before', async () => {
  await totals().getByText('0.60').waitFor()
  await totals().getByText('+500%').first().waitFor()
  expect(await chart().getAttribute('aria-valuemax')).toBe('6')
  await key('ArrowLeft', 2)
  await expect.poll(() => chart().getAttribute('aria-valuetext')).toMatch(/: 0\.50$/)
  await key('ArrowRight', 1)
  await expect.poll(() => chart().getAttribute('aria-valuetext')).toMatch(/: 0$/)
  await expect.poll(() => rows().count()).toBe(3)
}, 120_000)

test('keeps range, bars, measure and grouping in the URL', async () => {
  await press('Hour', 'Bars')
  await expect.poll(() => chart().getAttribute('aria-valuemax')).toBe('167')
  await press('Calls', 'Show')
  await press('Credential', 'By')
  await page.waitForURL(/by=credential&show=calls&bucket=hour/)
  await expect.poll(() => rows().count()).toBe(2)
  await page.reload()
  await totals().getByText('0.60').waitFor()
  await expect.poll(() => chart().getAttribute('aria-label')).toMatch(/^Calls by hour, 168 bars/)
  await press('Week', 'Bars')
  await expect.poll(() => chart().getAttribute('aria-label')).toMatch(/^Calls by week/)
  await page.getByText('Each bar is a week in UTC, starting on Monday').waitFor()

  await page.goto('/app/activity?range=always&from=1&to=0&by=')
  await expect.poll(() => chart().getAttribute('aria-label')).toMatch(/^Spend in USDC by day, 7 bars/)
  await page.goto('/app/activity?by=credential&show=calls&bucket=week')
  await totals().getByText('0.60').waitFor()
}, 120_000)

test('zooms into a dragged selection of bars, and back', async () => {
  await page.goto('/app/activity')
  await totals().getByText('0.60').waitFor()
  const { x = 0, y = 0, width = 0, height = 0 } = (await chart().boundingBox()) ?? {}
  const at = (bar: number) => [x + (width * (bar + 0.5)) / 7, y + height / 2] as const
  await page.mouse.move(...at(3))
  await page.mouse.down()
  await page.mouse.move(...at(4), { steps: 4 })
  await page.mouse.up()
  await page.waitForURL(/range=own/)
  await expect.poll(() => chart().getAttribute('aria-label')).toMatch(/^Spend in USDC by hour, 48 bars/)
  await totals().getByText('0.50').waitFor()
  await page.getByRole('button', { name: 'Zoom out' }).click()
  await expect.poll(() => chart().getAttribute('aria-label')).toMatch(/by day, 6 bars/)
  await page.goBack()
  await expect.poll(() => chart().getAttribute('aria-label')).toMatch(/48 bars/)
}, 120_000)

test('reads a period that is typed', async () => {
  const field = (label: string) => page.getByLabel(label, { exact: true })
  const type = async (label: string, day: string, hour: string) => {
    await field(label).focus()
    await page.keyboard.type(day)
    await page.keyboard.press('ArrowRight')
    await page.keyboard.type(hour)
  }
  await page.goto('/app/activity?range=own&from=2026-11-20T00:00Z&to=2026-11-22T00:00Z')
  await expect.poll(() => field('To').inputValue()).toBe('2026-11-22T00:00')
  await type('To', '01032026', '06')
  // A period has at least an hour.
  await expect.poll(() => field('From').inputValue()).toBe('2026-01-03T05:00')
  await type('From', '01022026', '03')
  await page.waitForURL(/from=2026-01-02T03%3A00Z&to=2026-01-03T06%3A00Z/)
}, 60_000)

test('zooms by keyboard into bars selected with Shift', async () => {
  await page.goto('/app/activity')
  await totals().getByText('0.60').waitFor()
  await key('ArrowLeft', 3)
  await key('Shift+ArrowRight', 2)
  await key('Shift+ArrowLeft', 1)
  await expect.poll(() => chart().getAttribute('aria-valuetext')).toMatch(/^\w+ \d+ to \w+ \d+: 0\.50$/)
  await page.keyboard.press('Enter')
  await page.waitForURL(/range=own/)
  await expect.poll(() => chart().getAttribute('aria-label')).toMatch(/^Spend in USDC by hour, 48 bars/)
}, 120_000)

test('lists the calls of a bar and of a series in it, and goes back', async () => {
  await page.goto('/app/activity')
  await totals().getByText('0.60').waitFor()
  await key('ArrowLeft', 2)
  await page.keyboard.press('Enter')
  await page.getByText('10 calls').waitFor()
  await page.goBack()
  await totals().getByText('0.60').waitFor()
  await rows().getByRole('link', { name: 'Maps' }).click()
  await page.getByText('6 calls').waitFor()
  await page.goBack()
  await totals().getByText('0.60').waitFor()
  const { x = 0, y = 0, width = 0, height = 0 } = (await chart().boundingBox()) ?? {}
  await page.mouse.click(x + (width * 4.5) / 7, y + height - 4)
  await page.getByText('5 calls').waitFor()
  await page.waitForURL(/service=svc_/)
}, 120_000)

test('lists refused calls with the limit that refused them and the form that raises it', async () => {
  for (let tries = 0; tries < 2; tries += 1) {
    const answer = await invoke(fixture.on, narrow, { serviceId, costUsdc: PRICE, payload: { body: {} } })
    expect(answer).toMatchObject({ status: 402, body: { code: 'BUDGET_EXHAUSTED' } })
  }
  const refused = page.getByRole('table', { name: 'Refused calls' })
  await expect
    .poll(
      async () => {
        await page.goto('/app/activity')
        await totals().getByText('0.60').waitFor()
        return refused.getByText('Credit limit of the credential').count()
      },
      { timeout: 30_000, interval: 1_000 },
    )
    .toBe(1)
  await totals().getByText('None in the previous period').nth(1).waitFor()
  await expectAccessibleInBothThemes(page)
  await refused.getByRole('link', { name: 'Raise the limit' }).click()
  await page.waitForURL(new RegExp(`/app/credentials.*open=${narrow.id}`))
  await page.getByRole('dialog').getByRole('heading', { name: 'test' }).waitFor()
}, 120_000)

test('downloads the bars of each series', async () => {
  await page.goto('/app/activity')
  await totals().getByText('0.60').waitFor()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download CSV' }).click(),
  ])
  const lines = (await readFile(await download.path(), 'utf8')).trim().split('\r\n')
  expect(lines[0]).toBe('start,key,calls,failedCalls,spentUsdc,inputTokens,cacheReadTokens,outputTokens')
  expect(lines).toHaveLength(5)
  expect(lines.filter(line => line.includes(',5,0,0.250000,'))).toHaveLength(2)
}, 120_000)

test('shows on the overview what was spent today and this week, by whom, on what, and what needs attention', async () => {
  await page.getByRole('navigation', { name: 'Account' }).getByRole('link', { name: 'Overview' }).click()
  const spent = page.getByRole('region', { name: 'Spent' })
  await spent.getByText('2 calls').waitFor()
  const notices = page.getByRole('region', { name: 'Notices' })
  await notices.getByText('refused today, most often by: Credit limit of the credential.').waitFor()
  await notices.getByRole('link', { name: 'Raise the limit' }).waitFor()
  await spent.getByRole('button', { name: '7 days' }).click()
  await spent.getByText('12 calls').waitFor()
  const ranked = (title: string) =>
    spent.getByRole('list', { name: title }).getByRole('listitem').allTextContents()
  expect(await ranked('By service, 7 days')).toEqual([
    expect.stringMatching(/^(Weather now|Maps)/),
    expect.stringMatching(/^(Weather now|Maps)/),
  ])
  await spent.getByRole('list', { name: 'By credential, 7 days' }).getByRole('link').first().click()
  // The list has the days of UTC that were summed, not the last 168 hours.
  const [from, to] = [today - 6 * DAY_MS, today + DAY_MS].map(time =>
    new Date(time).toISOString().slice(0, 10),
  )
  await page.getByText(`${from} 00:00 – ${to} 00:00 UTC`).waitFor()
  await page.getByText('12 calls').waitFor()
  await page.getByRole('navigation', { name: 'Account' }).getByRole('link', { name: 'Activity' }).click()
})

test('draws the spend of each credential on each of 14 days, also on a phone', async () => {
  await page.goto('/app/credentials')
  const peak = new Date(today - 2 * DAY_MS).toLocaleDateString('en', {
    dateStyle: 'medium',
    timeZone: 'UTC',
  })
  const trend = page.getByRole('img', { name: `0.70 USDC in 14 days, most on ${peak}: 0.50` })
  await trend.waitFor()
  // Calls were paid nine days ago, two days ago and today; days without calls have the axis only.
  const bars = await trend.locator('span').all()
  const boxes = await Promise.all(bars.map(bar => bar.boundingBox()))
  expect(boxes.map(box => Math.round(box?.height ?? 0))).toEqual([1, 1, 1, 1, 5, 1, 1, 1, 1, 1, 1, 24, 1, 5])
  await page.getByRole('row').filter({ hasText: 'Nothing spent' }).getByText('No calls in 14 days').waitFor()
  await page
    .getByRole('row')
    .filter({ has: trend })
    .getByText(/^Last call (?:just now|\d+ min\. ago)$/)
    .waitFor()
  await expectAccessibleInBothThemes(page)

  await page.setViewportSize({ width: 360, height: 800 })
  await page.getByText('0.70 in 14 days').waitFor()
  await trend.waitFor()
  expect(
    await page.evaluate(
      `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector(
        'section[aria-label="Credentials"]'))`,
    ),
  ).toBe(0)
  await page.setViewportSize({ width: 1_280, height: 800 })
  await page.getByRole('row').filter({ has: trend }).getByRole('button').click()
  const opened = page.getByRole('dialog')
  await opened.getByText('0.70 in 14 days').waitFor()
  await expectAccessibleInBothThemes(page)
  await opened.getByRole('link', { name: 'Its calls' }).click()
  await page.waitForURL(/\/app\/calls\?credential=cred_/)
  await page.getByText('14 calls').waitFor()
}, 120_000)

test('is accessible in both themes, and fits a phone', async () => {
  await expectAccessibleInBothThemes(page)
  await page.setViewportSize({ width: 360, height: 800 })
  await expect
    .poll(() => page.evaluate('document.documentElement.scrollWidth <= window.innerWidth'))
    .toBe(true)
  await page.goto('/app/activity?range=90d&bucket=week')
  await totals().getByText('0.70').waitFor()
  const boxes = await page
    .getByText(/^\w{3} \d+ – (?:\w{3} )?\d+$/)
    .filter({ visible: true })
    .all()
  const labels = await Promise.all(boxes.map(box => box.boundingBox()))
  expect(labels.length).toBeGreaterThan(1)
  for (const [index, label] of labels.slice(1).entries())
    expect(label?.x).toBeGreaterThan((labels[index]?.x ?? 0) + (labels[index]?.width ?? 0))

  // High contrast
  await page.emulateMedia({ forcedColors: 'active' })
  const tones = `new Set([...document.querySelectorAll('[data-part], body')].map(part =>
    getComputedStyle(part).backgroundColor)).size`
  expect(await page.evaluate(tones)).toBe(3)
  await page.emulateMedia({ forcedColors: 'none' })

  await page.route('**/usage/summary?*', async route => {
    const answer = await route.fetch()
    const sums = (await answer.json()) as { total: object }
    await route.fulfill({ json: { ...sums, total: { ...sums.total, spentUsdc: '123456789.123456' } } })
  })
  await page.reload()
  await totals().getByText('123,456,789.123456').waitFor()
  const cut = `[...document.querySelectorAll('section[aria-label="Totals"] dd')]
    .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).length`
  for (const width of [360, 1_024]) {
    await page.setViewportSize({ width, height: 800 })
    expect(await page.evaluate(cut)).toBe(0)
  }
  await page.setViewportSize({ width: 1_280, height: 800 })
  expect(faults).toEqual([])
}, 120_000)
