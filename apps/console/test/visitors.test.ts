import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startProvider, type TestProvider } from '../../gateway/test/kit/provider/provider.ts'
import { until } from '../../gateway/test/kit/until.ts'
import { newWallet } from '../../gateway/test/kit/world/wallets.ts'
import { arrive, invoke, mint, ownerWith, type Person, register } from '../../gateway/test/kit/world/world.ts'
import { expectAccessible, expectAccessibleInBothThemes } from './kit/axe.ts'
import { type ConsoleFixture, loaded, ofThePage, openConsole, signInBy, visitAs } from './kit/browser.ts'
import { startBrowser } from './kit/launch.ts'
import { SHIFT_MAX, shiftedOf, watchShifts } from './kit/shifts.ts'

const execute = promisify(execFile)
const TEST_MS = 90_000

let fixture: ConsoleFixture
let server: TestProvider
let provider: Person
let credential: Awaited<ReturnType<typeof mint>>
let topicId: string

beforeAll(async () => {
  fixture = await openConsole({ env: { PROBE_INTERVAL_SECONDS: '86400' } })
  const { on } = fixture
  server = await startProvider()
  provider = await arrive(on)
  const request = {
    type: 'object',
    required: ['city'],
    properties: { city: { type: 'string', examples: ['Porto'] }, days: { type: 'integer', minimum: 2 } },
  }
  const offers = [
    ['weather', 'Weather now', 'The weather of a city.', ['weather', 'data'], '0.05'],
    ['geocode', 'Geocoder', 'Addresses to positions.', ['maps', 'data'], '0.01'],
    ['ocr', 'Document reader', 'Text out of scans.', ['text'], '0.2'],
  ] as const
  for (const [agentToolName, serviceName, summary, tags, priceUsdc] of offers) {
    await register(on, provider, {
      targets: agentToolName === 'geocode' ? [server.url, `${server.url}2`] : [server.url],
      priceUsdc,
      manifest: { agentToolName, serviceName, summary, tags },
      invoke: { request, response: { type: 'object' } },
    })
  }
  credential = await mint(on, await ownerWith(on, '5'))
  for (let number = 0; number < 6; number++) await callWeather()
  await until('the calls are counted', async () => {
    const rows = await on.sql<{ is_rated: boolean }>('select is_rated from service_ratings')
    return rows[0]?.is_rated === true
  })
  topicId = await talk()
}, 240_000)
afterAll(async () => {
  await fixture.stop()
  await server.stop()
})

/** The current day, which begins at midnight UTC, as charts name it. */
const today = () => new Date().toLocaleDateString('en', { month: 'short', day: 'numeric', timeZone: 'UTC' })
/** Number of calls to the weather service, by day. */
const calls = new Map<string, number>()
/** Label of the current day in the chart of these calls. */
const ofToday = () => `${today()} · Succeeded ${calls.get(today()) ?? 0}`

async function callWeather(): Promise<void> {
  const body = { serviceId: 'weather', costUsdc: '0.05', payload: { body: {} } }
  expect((await invoke(fixture.on, credential, body)).status).toBe(200)
  calls.set(today(), (calls.get(today()) ?? 0) + 1)
}

async function talk(): Promise<string> {
  const answer = await fetch(`${fixture.on.url}/api/v1/forum/topics`, {
    method: 'POST',
    headers: { authorization: `Bearer ${provider.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'Signatures behind a CDN', category: 'providers', body: 'Keep the host.' }),
  })
  return ((await answer.json()) as { topic: { topicId: string } }).topic.topicId
}

test(
  'shows what the gateway is, with live figures and rated services only',
  async () => {
    const { page, faults } = await fixture.visit('/')
    await page.getByRole('heading', { level: 1, name: /every API and model/ }).waitFor()
    const figures = page.getByRole('region', { name: 'Live figures' })
    await figures.getByText('Median overhead').waitFor()
    await expect.poll(() => figures.textContent()).toMatch(/Callable services3right now/)
    await figures.getByText('Ledger and vault agree').waitFor()
    await expect.poll(() => figures.textContent()).toMatch(/5\.00USDCfor5\.00USDC/)
    await figures.getByRole('link', { name: 'Verify' }).waitFor()
    const reliable = page.getByRole('region', { name: 'Most reliable this week' }).getByRole('listitem')
    await expect.poll(() => reliable.getByRole('link').allTextContents()).toEqual(['Weather now'])
    await reliable.getByRole('link', { name: 'Weather now' }).click()
    await page.waitForURL('**/services/weather')
    expect(faults).toEqual([])
  },
  TEST_MS,
)

test(
  'searches, filters and sorts the market, and keeps that in the URL',
  async () => {
    const { page, faults } = await fixture.visit('/market')
    const rows = page.getByRole('table', { name: 'Services' }).locator('tbody').getByRole('link')
    await expect.poll(() => rows.allTextContents()).toEqual(['Document reader', 'Geocoder', 'Weather now'])
    await page.getByRole('searchbox', { name: 'Search services' }).pressSequentially('wether')
    await expect.poll(() => rows.allTextContents()).toEqual(['Weather now'])
    await page.waitForURL('**/market?q=wether')
    await page.getByRole('searchbox').fill('zzyzx')
    await page.getByText('No matches').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    const price = page.getByRole('textbox', { name: 'Price at most, USDC per call' })
    await price.fill('.05')
    await expect.poll(() => rows.allTextContents()).toEqual(['Geocoder', 'Weather now'])
    await page.waitForURL('**/market?kind=api&maxCall=0.05')
    await page.getByRole('button', { name: 'All', exact: true }).click()
    await expect.poll(() => price.inputValue()).toBe('')
    await page.getByRole('button', { name: 'data', exact: true }).click()
    await page.getByRole('combobox', { name: 'Order' }).click()
    await page.getByRole('option', { name: 'Lowest price' }).click()
    await expect.poll(() => rows.allTextContents()).toEqual(['Geocoder', 'Weather now'])
    await page.reload()
    await expect.poll(() => rows.allTextContents()).toEqual(['Geocoder', 'Weather now'])
    await expect
      .poll(() => page.getByRole('row', { name: /Weather now/ }).textContent())
      .toMatch(/0\.05USDC.*100%.*ms/s)
    expect(faults).toEqual([])
  },
  TEST_MS,
)

test(
  'shows a service with price, schemas, health, live calls and snippets',
  async () => {
    const { page, faults } = await fixture.visit('/services/weather')
    await page.getByRole('heading', { level: 1, name: 'Weather now' }).waitFor()
    const code = page.getByRole('figure', { name: /Code that calls/ })
    await expect.poll(() => code.textContent()).toContain(`curl ${fixture.on.url}/api/v1/agent/invoke`)
    await expect.poll(() => code.textContent()).toContain('"city": "Porto"')
    await code.getByRole('button', { name: 'Python' }).click()
    await expect.poll(() => code.textContent()).toContain('httpx.post(')
    await code.getByRole('button', { name: 'Copy Python' }).click()
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain('"serviceId": "weather"')
    await page.getByRole('figure', { name: 'Schemas' }).getByText('"properties"').waitFor()
    await page.getByText('Body', { exact: true }).locator('..').getByText('JSON').waitFor()
    await page.getByText('Target 1').waitFor()
    // Those of its only target are not repeated.
    expect(await page.getByRole('img', { name: /calls answered in 30 days$/ }).count()).toBe(1)
    await page.getByRole('slider', { name: 'Calls by day: 6 in 30 days, 0 failed' }).waitFor()
    await callWeather()
    const chart = page.getByRole('slider', { name: /^Calls by day: . in 30 days, 0 failed$/ })
    const plot = chart.locator('.u-over')
    const { width = 0 } = (await plot.boundingBox()) ?? {}
    await plot.hover({ position: { x: width - 10, y: 10 } })
    await until('the last call is shown', () => chart.getByText(ofToday()).isVisible())
    // The same by keyboard, and aloud.
    await page.mouse.move(0, 0)
    await chart.press('Home')
    await expect.poll(() => chart.getAttribute('aria-valuetext')).not.toContain(today())
    expect(await chart.getAttribute('aria-valuenow')).toBe('0')
    await chart.press('End')
    await expect.poll(() => chart.getAttribute('aria-valuetext')).toBe(`${ofToday()} · Failed 0`)
    await chart.getByText(`${ofToday()} · Failed 0`).waitFor()
    // The values stay visible when new data arrives.
    await callWeather()
    await until('the next call is shown', () => chart.getByText(`${ofToday()} · Failed 0`).isVisible())
    await chart.press('Tab')
    await chart.getByText(today()).waitFor({ state: 'hidden' })
    expect(faults).toEqual([])
  },
  TEST_MS,
)

test(
  'shows who has offered a service since when, and how its calls of 30 days ended, by target too',
  async () => {
    const { on } = fixture
    await on.sql(`insert into service_calls (service_id, day, good, bad, latency_ms)
      select id, (now() at time zone 'utc')::date - 20, 36, 4, 36 * 250 from services where agent_tool_name = 'geocode'`)
    await on.sql(`update wallets set username = 'Cartographers' where address =
      (select owner from services where agent_tool_name = 'geocode')`)
    await on.sql(`insert into target_calls
      select s.owner, date_trunc('hour', now()) - interval '19 days', s.id, t.url, 20, 17, 3, 0, 0, 0,
        array_fill(0::bigint, array[30]) || 17::bigint
      from services s join service_targets t on t.service_id = s.id where s.agent_tool_name = 'geocode'`)
    const { page, faults } = await fixture.visit('/services/geocode')
    await page.getByRole('img', { name: '90% of 40 calls answered in 30 days' }).waitFor()
    await page.getByRole('img', { name: '85% of 20 calls answered in 30 days' }).nth(1).waitFor()
    await page
      .getByText(/^\d+ ms median in 30 days$/)
      .first()
      .waitFor()
    await page.getByText('250 ms in 30 days').waitFor()
    const figure = (name: string) => page.getByText(name, { exact: true }).locator('..').textContent()
    // Too old for the rate of seven days.
    expect(await figure('Success, 7 days')).toBe('Success, 7 daysToo few paid calls')
    expect(await figure('Latency, 7 days')).toBe('Latency, 7 daysToo few paid calls250 ms in 30 days')
    expect(await figure('Provider')).toBe('ProviderCartographers')
    const [offered] = await on.sql<{ since: Date }>(
      "select created_at as since from services where agent_tool_name = 'geocode'",
    )
    const since = offered?.since.toLocaleDateString('en', { dateStyle: 'medium', timeZone: 'UTC' })
    expect(await figure('Offered since')).toBe(`Offered since${since}`)
    await page.getByRole('slider', { name: 'Calls by day: 40 in 30 days, 4 failed' }).waitFor()
    const latency = page.getByRole('slider', { name: 'Latency by day: mean 250 ms in 30 days' })
    await latency.press('Home')
    for (let day = 0; day < 9; day += 1) await latency.press('ArrowRight')
    await latency.getByText(/^[A-Z][a-z]{2} \d+ · 250 ms$/).waitFor()
    expect(await page.getByText('Throughput').count()).toBe(0)
    await expectAccessibleInBothThemes(page)
    expect(faults).toEqual([])
  },
  TEST_MS,
)

test(
  'reports an unknown service, and links to the market',
  async () => {
    const { page } = await fixture.visit('/services/nobody')
    await page.getByRole('heading', { level: 1, name: 'Unknown service' }).waitFor()
    await page.getByText('No service is called “nobody”.').waitFor()
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Browse the market' }).click()
    await page.getByRole('link', { name: 'Geocoder' }).waitFor()
  },
  TEST_MS,
)

test(
  'shows a working call of a rated service on the front page, although others are cheaper',
  async () => {
    const { page } = await fixture.visit('/')
    const code = page.getByRole('figure', { name: 'A first call' })
    await code.getByText('"serviceId": "weather"').waitFor()
    await code.getByRole('button', { name: 'Copy curl' }).click()
    const copied = (await page.evaluate('navigator.clipboard.readText()')) as string
    const { stdout } = await execute('bash', ['-c', copied.replace('agt_...', credential.token)])
    expect(JSON.parse(stdout)).toMatchObject({ status: 'SUCCEEDED', chargedUsdc: '0.050000' })
    expect(await code.getByRole('button', { name: 'OpenAI SDK' }).count()).toBe(0)
  },
  TEST_MS,
)

test(
  'asks to sign in when posting in the forum, and keeps the text',
  async () => {
    const { page, faults } = await fixture.visit(`/forum/${topicId}`, { account: newWallet() })
    const reply = page.getByRole('textbox', { name: 'Your reply' })
    await reply.fill('Thank you, that was it.')
    await page.reload()
    await expect.poll(() => reply.inputValue()).toBe('Thank you, that was it.')
    await page.getByRole('button', { name: 'Reply' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Test wallet' }).click()
    await page.getByRole('listitem').filter({ hasText: 'Thank you, that was it.' }).waitFor()
    await expect.poll(() => reply.inputValue()).toBe('')
    await page.getByRole('button', { name: '0 Vote' }).click()
    await page.getByRole('button', { name: '1 Voted' }).click()
    await page.getByRole('button', { name: '0 Vote' }).waitFor()

    await page.getByRole('link', { name: 'Forum', exact: true }).first().click()
    await page.getByRole('button', { name: 'New topic' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Title' }).fill('Budgets for long tasks')
    await dialog.getByRole('textbox', { name: 'Text' }).fill('How do you set them?')
    await dialog.getByRole('button', { name: 'Open topic' }).click()
    await page.getByRole('heading', { level: 1, name: 'Budgets for long tasks' }).waitFor()
    expect(faults).toEqual([])
  },
  TEST_MS,
)

test(
  'sends feedback from any page, with its path',
  async () => {
    const { page } = await fixture.visit('/market')
    await page.getByRole('button', { name: 'Feedback' }).click()
    const dialog = page.getByRole('dialog', { name: 'Feedback' })
    await dialog.getByRole('textbox', { name: 'Message' }).fill('The order is just right.')
    await dialog.getByRole('button', { name: 'Send' }).click()
    await page.getByText('Thank you. Your feedback was sent.').waitFor()
    const rows = await fixture.on.sql<{ route: string }>(
      `select route from feedback_reports where message like '%just right%'`,
    )
    expect(rows.map(({ route }) => route)).toEqual(['/market'])
  },
  TEST_MS,
)

test(
  'shows the code of a failed request, and recovers',
  async () => {
    const { page } = await fixture.visit('/')
    await page.route('**/api/v1/market/services?**', route => route.abort())
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Market' }).click()
    await page.getByText('The gateway cannot be reached').waitFor()
    await page.getByText('UNREACHABLE').waitFor()
    await page.unroute('**/api/v1/market/services?**')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('link', { name: 'Geocoder' }).waitFor()
    await page.goto('/no/such/page')
    await page.getByText('Page not found').waitFor()
  },
  TEST_MS,
)

const ownerPages = [
  '',
  '/deposit',
  '/credentials',
  '/calls',
  '/ledger',
  '/policy',
  '/webhooks',
  '/proof',
  '/profile',
]
const providerPages = ['', '/new', '/earnings', '/withdraw', '/usage', '/secrets']
const signedInPages = [
  '/',
  ...ownerPages.map(path => `/app${path}`),
  ...providerPages.map(path => `/provider${path}`),
]
const PHONE = { width: 390, height: 844 }
const USUAL = { width: 1_280, height: 800 }
const WIDE = { ...USUAL, width: 1_920 }
const pages = ['/', '/market', '/services/weather', '/forum', '/no-such-page'] as const
test(
  "has no accessibility issues in visitors' pages, and no horizontal overflow on a wide screen",
  async () => {
    const { page } = await fixture.visit('/', { account: newWallet() })
    for (const path of [...pages, `/forum/${topicId}`]) {
      await page.goto(path)
      await loaded(page)
      await expectAccessibleInBothThemes(page)
      await page.setViewportSize(WIDE)
      const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
      expect(await page.evaluate(overflow), path).toBeLessThanOrEqual(0)
      await page.setViewportSize(USUAL)
    }
    await page.getByRole('button', { name: 'Feedback' }).click()
    await page.getByRole('dialog').waitFor()
    await expectAccessibleInBothThemes(page)
    await page.keyboard.press('Escape')
    await page.getByRole('banner').getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Test wallet' }).waitFor()
    await expectAccessibleInBothThemes(page)
  },
  TEST_MS,
)

test(
  'reaches everything by keyboard, the main content first',
  async () => {
    const { page } = await fixture.visit('/market', { account: newWallet() })
    await page.getByRole('link', { name: 'Weather now' }).waitFor()
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Search services')
    // A letter chooses from a closed list.
    const order = page.getByRole('combobox', { name: 'Order' })
    await order.press('l')
    await expect.poll(() => order.textContent()).toBe('Lowest price')
    await signInBy(page)
    await page
      .getByRole('banner')
      .getByRole('button', { name: /^Account/ })
      .focus()
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: 'Sign out' }).waitFor()
    await page.keyboard.press('End')
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Sign out')
    await page.keyboard.press('Enter')
    await page.getByRole('banner').getByRole('button', { name: 'Sign in' }).waitFor()
  },
  TEST_MS,
)

test(
  'returns the focus from a closed dialog to where it was, unless it has moved on',
  async () => {
    const { page } = await fixture.visit('/market')
    const button = page.getByRole('button', { name: 'Feedback' })
    await button.press('Enter')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Feedback')

    await button.press('Enter')
    await page.getByRole('dialog').waitFor()
    await page.evaluate(`new MutationObserver((_, observer) => {
      if (document.querySelector('[role=dialog]') !== null) return
      observer.disconnect()
      document.querySelector('[aria-label="Search services"]').focus()
      setTimeout(() => { document.body.dataset.later = 'true' }, 300)
    }).observe(document.body, { childList: true })`)
    await page.keyboard.press('Escape')
    await page.locator('[data-later]').waitFor()
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Search services')
  },
  TEST_MS,
)

test(
  'shows charts in a browser with an invalid language',
  async () => {
    const { page, faults } = await fixture.visit('/health')
    await page.addInitScript(
      `Object.defineProperty(navigator, 'language', { value: 'en-US@posix', configurable: true })`,
    )
    await page.goto('/services/weather')
    await page.locator('canvas').first().waitFor()
    expect(faults).toEqual([])
  },
  TEST_MS,
)

test(
  'works in a browser that blocks its storage',
  async () => {
    const { page, faults } = await fixture.visit('/health', { account: newWallet() })
    await page.addInitScript(`for (const name of ['localStorage', 'sessionStorage'])
      Object.defineProperty(globalThis, name, { get() { throw new DOMException('Denied.', 'SecurityError') } })`)
    await page.goto(`/forum/${topicId}`)
    await signInBy(page)
    await page.getByLabel('Your reply').fill('Without storage.')
    await page.getByRole('button', { name: 'Reply' }).click()
    await page.getByRole('listitem').getByText('Without storage.').waitFor()
    await page.getByRole('banner').getByRole('link', { name: 'Playground' }).click()
    await page.getByRole('button', { name: /Weather now/ }).click()
    await page.getByRole('textbox', { name: 'city' }).fill('Faro')
    await page.getByRole('button', { name: 'Change to light' }).click()
    await page.getByRole('button', { name: 'Theme: light' }).waitFor()
    expect(faults).toEqual([])
  },
  TEST_MS,
)

test(
  'shows the page of unknown addresses at an address that cannot be decoded',
  async () => {
    const { page, faults } = await fixture.visit('/services/%E0%A4%A')
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    expect(faults).toEqual([])
  },
  TEST_MS,
)

test(
  'lets pages of every origin read a public answer and all its headers, and no answer to a credential',
  async () => {
    const { page } = await fixture.visit('/health')
    await page.goto(server.url)
    const read = (init: object) =>
      page.evaluate(
        `fetch('${fixture.on.url}/api/v1/status', ${JSON.stringify(init)}).then(
          ({ status, headers }) => [status, headers.get('x-request-id')], () => 'refused')`,
      )
    expect(await read({})).toEqual([200, expect.stringMatching(/^req_/)])
    expect(await read({ headers: { authorization: 'Bearer agt_x' } })).toBe('refused')
  },
  TEST_MS,
)

test.each(['/', '/market', '/services/weather', '/forum', '/proof', '/docs'])(
  'shows text and working links of %s without JavaScript, and does not shift when it loads',
  async path => {
    const { page: bare } = await fixture.visit('/health', { hasScripts: false })
    await bare.goto(path)
    const heading = await bare.getByRole('heading', { level: 1 }).textContent()
    await bare.getByRole('banner').getByRole('link', { name: 'Market' }).click()
    await bare.waitForURL('**/market')

    const { page } = await fixture.visit('/health')
    await watchShifts(page)
    await page.goto(path)
    await page.getByRole('banner').getByRole('button', { name: 'Sign in' }).waitFor()
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(heading)
    await loaded(page)
    expect(await shiftedOf(page)).toBeLessThan(SHIFT_MAX)
  },
  TEST_MS,
)

test(
  'does not shift without a proof tree, or when the first one arrives',
  async () => {
    const { page } = await fixture.visit('/health')
    await watchShifts(page)
    let hasTree = false
    await page.route('**/api/v1/proof/reserves', async route => {
      const response = await route.fetch()
      const reported = (await response.json()) as { tree: object | null }
      await route.fulfill({
        response,
        json: hasTree ? reported : { ...reported, merkleRoot: null, tree: null },
      })
    })
    await page.goto('/proof')
    await page.getByText('No proof yet').waitFor()
    expect(await shiftedOf(page)).toBeLessThan(SHIFT_MAX)
    hasTree = true
    await page.getByRole('list', { name: 'Reserves' }).waitFor()
    expect(await shiftedOf(page)).toBeLessThan(SHIFT_MAX)
  },
  TEST_MS,
)

test(
  'does not shift for signed-in users',
  async () => {
    const { page } = await visitAs(fixture, '/market', newWallet())
    await watchShifts(page)
    const shifts: [string, number][] = []
    const visits = [...signedInPages.map(path => [path, USUAL] as const), ['/provider', PHONE] as const]
    for (const [path, size] of visits) {
      await page.setViewportSize(size)
      await page.goto(path)
      await page
        .getByRole('banner')
        .getByRole('button', { name: /^Account 0x/ })
        .waitFor()
      await loaded(page)
      shifts.push([path, await shiftedOf(page)])
    }
    expect(shifts.filter(([, shifted]) => shifted >= SHIFT_MAX)).toEqual([])
  },
  TEST_MS,
)

test(
  'does not shift under an overlay where scrollbars take up space, and covers the whole page',
  async () => {
    const browser = await startBrowser({ hasScrollbars: true })
    try {
      const page = await browser.newPage({ viewport: { width: 1_280, height: 800 }, colorScheme: 'light' })
      await page.goto(`${fixture.on.url}/market`)
      await page.getByText('Weather now').first().waitFor()
      const placeOf = () =>
        page.evaluate(`JSON.stringify(document.querySelector('main').getBoundingClientRect())`)
      const place = await placeOf()
      await page.getByRole('combobox').first().click()
      await page.getByRole('listbox').waitFor()
      expect(await placeOf()).toBe(place)
      await page.keyboard.press('Escape')
      await page.getByRole('banner').getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('dialog').waitFor()
      expect(await placeOf()).toBe(place)
      const shaded = `document.querySelector('.shade').getBoundingClientRect().right`
      expect(await page.evaluate(shaded)).toBe(1_280)
    } finally {
      await browser.close()
    }
  },
  TEST_MS,
)

test(
  'leads from the author of a topic and from a service to all services of that provider',
  async () => {
    const { on } = fixture
    const other = await arrive(on)
    const otherId = await register(on, other, {
      targets: [server.url],
      priceUsdc: '0.3',
      manifest: { agentToolName: 'tides', serviceName: 'Tide tables', tags: ['data'] },
    })
    const wallet = provider.account.address
    const filtered = `**/market?provider=${wallet}`
    const { page, faults } = await fixture.visit('/forum')
    const rows = page.getByRole('table', { name: 'Services' }).getByRole('row')
    await page.getByRole('list', { name: 'Topics' }).getByTitle(`Services of ${wallet}`).first().click()
    await page.waitForURL(filtered)
    await page.goto(`${on.url}/forum/${topicId}`)
    await page.getByTitle(`Services of ${wallet}`).click()
    await page.waitForURL(filtered)
    await rows.filter({ hasText: 'Geocoder' }).waitFor()
    expect(await rows.count()).toBe(1 + 3)
    expect(await rows.filter({ hasText: 'Tide tables' }).count()).toBe(0)
    await expectAccessible(page)

    await page.getByRole('button', { name: 'Remove provider filter' }).click()
    await rows.filter({ hasText: 'Tide tables' }).waitFor()
    await page.waitForURL(url => url.pathname === '/market' && url.search === '')
    await page.goto(`${on.url}/services/weather`)
    await page.getByTitle(`All services of ${wallet}`).click()
    await page.waitForURL(filtered)
    await page.getByRole('searchbox', { name: 'Search services' }).fill('tide tables')
    await page.getByText('No service matches all filters.').waitFor()
    await page.getByRole('button', { name: /^the provider 0x/ }).click()
    await rows.filter({ hasText: 'Tide tables' }).waitFor()
    expect(faults).toEqual([])
    await on.sql('update services set suspended_at = now() where id = $1', [otherId])
  },
  TEST_MS,
)

test(
  'reads digits in an address as text, ignores what a page does not know, and says what is not there',
  async () => {
    const { page, faults } = await fixture.visit('/market?q=404&kind=1&sort=best&utm_source=mail')
    await page.getByText('No service matches the search “404”.').waitFor()
    expect(await page.getByRole('searchbox', { name: 'Search services' }).inputValue()).toBe('404')
    expect([...new URL(page.url()).searchParams.keys()]).toEqual(['q'])
    await page.goto('/docs?q=404')
    await page.getByRole('heading', { name: 'Docs', level: 1 }).waitFor()
    await expect.poll(() => page.getByLabel('Search the docs').inputValue()).toBe('404')
    await page.goto('/models/compare?ids=404')
    await page.getByText('Unknown model: 404.').waitFor()

    await page.goto('/market?page=9')
    await page.getByText('No more services').waitFor()
    await page.getByRole('button', { name: 'First page' }).click()
    await page
      .getByRole('table', { name: 'Services' })
      .getByRole('link', { name: 'Weather now' })
      .press('Enter')
    await page.waitForURL('**/services/weather')
    await page.locator('h1:focus', { hasText: 'Weather now' }).waitFor()
    await page.goto('/forum?page=9')
    await page.getByText('No more topics').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'First page' }).click()
    await page.getByRole('list', { name: 'Topics' }).getByRole('link').first().waitFor()
    await page.goto('/forum/top_none')
    await page.getByRole('heading', { name: 'Unknown topic' }).waitFor()
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
    await expectAccessible(page)
    expect(ofThePage(faults)).toEqual([])
  },
  TEST_MS,
)

test(
  'the palette chooses the first service that matches, though it is found later than the search of the docs',
  async () => {
    const { page } = await fixture.visit('/forum')
    const palette = page.getByRole('dialog', { name: 'Go to' })
    await page.keyboard.press('Control+k')
    await palette.getByRole('combobox').fill('weathr')
    await palette.getByRole('option', { name: 'Weather now', selected: true }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Weather now', level: 1 }).waitFor()
  },
  TEST_MS,
)

test(
  'says so when a text cannot be copied, as on a page without a clipboard',
  async () => {
    const { page, faults } = await fixture.visit('/services/weather')
    await page.evaluate('delete Navigator.prototype.clipboard')
    await page.getByRole('button', { name: /^Copy/ }).first().click()
    await page.getByText('Your browser blocked copying.').waitFor()
    expect(ofThePage(faults)).toEqual([])
  },
  TEST_MS,
)
