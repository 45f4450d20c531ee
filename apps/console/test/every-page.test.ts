import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { post } from '../../gateway/test/kit/network/http.ts'
import { startProvider, type TestProvider } from '../../gateway/test/kit/provider/provider.ts'
import { until } from '../../gateway/test/kit/until.ts'
import { newWallet, signIn } from '../../gateway/test/kit/world/wallets.ts'
import { arrive, deposit, invoke, mint, type Person, register } from '../../gateway/test/kit/world/world.ts'
import { earlyRequestsOf } from '../src/early-requests.ts'
import { type ConsoleFixture, loaded, openConsole, visitAs } from './kit/browser.ts'
import { tabThrough } from './kit/keyboard.ts'
import { SHIFT_MAX, shiftedOf, watchShifts } from './kit/shifts.ts'

/** Requests for the code of every page, and for data. */
const [CODE, DATA] = [/\/assets\/console-/, /\/api\/v1\//]
/** A window of 1,280 px at 400 % zoom is as narrow (WCAG 1.4.10). */
const PHONE = { width: 320, height: 844 }
const DESKTOP = { width: 1_280, height: 800 }
/** {@link DESKTOP} at 200 % zoom. */
const ZOOMED = { width: 640, height: 400 }

let fixture: ConsoleFixture
let target: TestProvider
/** An owner, provider and admin in one, so that one session sees every page. */
let person: Person
/** Values of the placeholders in paths. */
const ids: Record<string, string> = {}

beforeAll(async () => {
  const account = newWallet()
  const env = {
    ADMIN_WALLETS: account.address,
    WITHDRAW_AUTO_APPROVE_MAX_USDC: '0.01',
    PROBE_INTERVAL_SECONDS: '86400',
    RECONCILE_INTERVAL_SECONDS: '15',
  }
  ;[fixture, target] = await Promise.all([openConsole({ env }), startProvider()])
  const { on } = fixture
  person = { account, token: await signIn(on.url, account) }
  const [other] = await Promise.all([arrive(on), deposit(on, person, '20')])
  ids.service = await offer(person, 'geocode')
  ids.bought = await offer(other, 'weather')
  await Promise.all([deposit(on, person, '1.005'), deposit(on, other, '5')])
  const [agent, others] = [await mint(on, person), await mint(on, other)]
  ids.call = await call(agent, ids.bought)
  const maps = await offer(person, 'maps', '0.125')
  await Promise.all([
    call(others, ids.service),
    ...[others, others, agent].map(caller => call(caller, maps, '0.125')),
  ])
  const { token } = person
  for (const amountUsdc of ['0.02', '0.0125'])
    await post(on, '/providers/withdrawals/intent', {
      token,
      body: { amountUsdc },
      headers: { 'x-idempotency-key': amountUsdc },
    })
  const secret = { maxCalls: 5, expiresInSec: 3_600 }
  expect((await post(on, '/secrets/provider/issue', { token, body: secret })).status).toBe(200)
  const report = { source: 'api', sentiment: 'not_helpful', category: 'billing', message: 'Charged twice?' }
  await post(on, '/feedback', { token, body: report })
  const body = { title: 'Timeouts of weather calls', category: 'general', body: 'Are thirty seconds enough?' }
  const written = await post<{ topic: { topicId: string } }>(on, '/forum/topics', { token, body })
  ids.topic = written.body.topic.topicId
}, 240_000)
afterAll(async () => {
  await fixture.stop()
  await target.stop()
})

const offer = (by: Person, agentToolName: string, priceUsdc = '0.05') =>
  register(fixture.on, by, {
    targets: [target.url],
    priceUsdc,
    manifest: {
      agentToolName,
      serviceName: `Service ${agentToolName}`,
      // A word that is longer than a line.
      summary: 'Weather'.repeat(30),
      tags: ['data'],
    },
  })

async function call(by: { token: string }, serviceId: string, costUsdc = '0.05'): Promise<string> {
  const { body } = await invoke(fixture.on, by, { serviceId, costUsdc, payload: { body: {} } })
  expect(body.status).toBe('SUCCEEDED')
  return body.invocationId
}

const PAGES = {
  'signed-out visitors': [
    '/',
    '/market',
    `/market?provider=0x${'1'.repeat(40)}&tag=weather`,
    '/services/weather',
    '/models/compare?ids={service},{bought}',
    '/docs',
    '/docs/models',
    '/docs/reference',
    '/forum',
    '/forum/{topic}',
    '/playground',
    '/proof',
    '/app',
    '/no-such-page',
  ],
  owners: [
    '/app',
    '/app/deposit',
    '/app/credentials',
    '/app/credentials?new=true',
    '/app/activity',
    '/app/policy',
    '/app/ledger',
    '/app/calls',
    '/app/calls/{call}',
    '/app/profile',
    '/app/alerts',
    '/app/webhooks',
    '/app/proof',
    '/playground?service=weather',
  ],
  providers: [
    '/provider',
    '/provider/new',
    '/provider/{service}',
    '/provider/{service}?tab=settings',
    '/provider/traffic',
    '/provider/earnings',
    '/provider/usage',
    '/provider/secrets',
    '/provider/withdraw',
  ],
  admins: [
    '/admin',
    '/admin/support',
    '/admin/forum',
    '/admin/suspension',
    '/admin/vouchers',
    '/admin/reconcile',
    '/admin/health',
    '/admin/audit',
  ],
} as const

/** Paths of dialogs and sheets over a page. */
const OVERLAY = /new=true|calls\/\{/

test.each(Object.keys(PAGES) as (keyof typeof PAGES)[])(
  'fits every page of %s on the smallest phone without a shift, zoomed and with large text, requests nothing in vain, and shows every control that the keyboard reaches, in reading order',
  async who => {
    const { page } = await (who === 'signed-out visitors'
      ? fixture.visit('/health', PHONE)
      : visitAs(fixture, '/forum', person.account, PHONE))
    await watchShifts(page)
    await page.addInitScript(NOTE_UNREAD)
    const found: Record<string, unknown> = {}
    for (const path of PAGES[who]) {
      const issues = await issuesOf(page, path)
      if (issues.length > 0) found[path] = issues
    }
    expect(found).toEqual({})
  },
  240_000,
)

/** Notes which responses of the gateway the page has not read: it needed none that it never reads (src/early-requests.ts). */
const NOTE_UNREAD = `
  globalThis.unread = new Set()
  const { fetch } = globalThis
  globalThis.fetch = async (...request) => {
    const response = await fetch(...request)
    if (response.url.includes('/api/v1/')) unread.add(response.url)
    return response
  }
  for (const name of ['json', 'text', 'blob']) {
    const read = Response.prototype[name]
    Response.prototype[name] = function () {
      unread.delete(this.url)
      return read.call(this)
    }
  }`

/** Returns the button of the header that works as soon as the code of a page does. */
const accountOf = (page: Page) =>
  page.locator('header').getByRole('button', { name: /^Sign in$|^Account 0x/, disabled: false })

/** Holds requests of a page back from now on. Returns a function that lets them go. */
async function hold(page: Page, requests: RegExp): Promise<() => void> {
  const { promise: mayGo, resolve: letGo } = Promise.withResolvers<void>()
  await page.route(requests, async route => {
    await mayGo
    await route.continue()
  })
  return letGo
}

async function issuesOf(page: Page, path: string): Promise<readonly string[]> {
  const isOverlay = OVERLAY.test(path)
  // Its data arrives when the page has been painted without it: then nothing may move.
  const letArrive = isOverlay ? undefined : await hold(page, DATA)
  await page.goto(pathWithIds(path))
  await (isOverlay ? page.getByRole('dialog') : accountOf(page)).waitFor()
  await page.evaluate('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))')
  letArrive?.()
  await loaded(page)
  await expect.poll(() => page.evaluate('[...unread]'), { message: path }).toEqual([])
  const shifted = await shiftedOf(page)
  const isWide = 'document.documentElement.scrollWidth > document.documentElement.clientWidth'
  const issues = [...(await tabThrough(page))]
  if (await page.evaluate(isWide)) issues.push('scrolls sideways')
  // Its buttons would be out of sight.
  if (path === '/admin') issues.push(...(await page.evaluate<string[]>(WIDE_TABLES)))
  for (const table of await page.evaluate<string[]>(WIDENED)) issues.push(`${table} is wider for a long name`)
  await expectWholeWhenEnlarged(page, path)
  if (shifted >= SHIFT_MAX) {
    const news = await page.getByRole('banner').getByRole('status').textContent()
    issues.push(`shifts by ${shifted}, below: ${news || 'no news'}`)
  }
  return issues
}

/**
 * Expects that nothing is cut off in a window of 1,280 px with pages zoomed to 200 %, and with text of twice the size
 * (WCAG 1.4.4). Leaves the page as it was.
 */
async function expectWholeWhenEnlarged(page: Page, path: string): Promise<void> {
  // Charts follow the window a moment later.
  const expectWhole = (how: string) =>
    expect.poll(() => page.evaluate(CUT_OFF), { message: `${path}, ${how}` }).toEqual([])
  // Tooltips follow the pointer and the focus, not the window.
  await page.evaluate('document.activeElement?.blur()')
  await page.setViewportSize(ZOOMED)
  await expectWhole('zoomed')
  await page.setViewportSize(DESKTOP)
  await page.evaluate(`document.documentElement.style.fontSize = '200%'`)
  await expectWhole('large text')
  await page.evaluate(`document.documentElement.style.fontSize = ''`)
  await page.setViewportSize(PHONE)
}

/** Returns the tables that scroll sideways. */
const WIDE_TABLES = `[...document.querySelectorAll('section[aria-label]')]
  .filter(box => box.querySelector('table') !== null && box.scrollWidth > box.clientWidth)
  .map(box => box.ariaLabel + ' scrolls sideways by ' + (box.scrollWidth - box.clientWidth))`

/**
 * Returns whether the page scrolls sideways, the texts that their boxes cut off without an ellipsis, those outside of the
 * window or taller than their box, and the boxes that scroll both ways.
 */
const CUT_OFF = `(() => {
  const issues = []
  const report = (element, problem) =>
    issues.push(element.tagName.toLowerCase() + ' "' + element.textContent.trim().slice(0, 40) + '" ' + problem)
  const wider = element => element.scrollWidth - element.clientWidth
  const taller = element => element.scrollHeight - element.clientHeight
  const hides = value => value === 'hidden' || value === 'clip'
  const scrolls = value => value === 'auto' || value === 'scroll'

  const page = document.documentElement
  if (wider(page) > 0) issues.push('scrolls sideways by ' + wider(page))

  for (const element of document.querySelectorAll('body *')) {
    if (!element.checkVisibility({ visibilityProperty: true })) continue
    if (element.closest('.sr-only, svg, [aria-hidden=true]')) continue
    if (element.clientWidth === 0 || element.textContent.trim() === '') continue
    const { overflowX, overflowY, textOverflow, webkitLineClamp } = getComputedStyle(element)
    const isClamped = webkitLineClamp !== 'none'
    const isShortened = textOverflow === 'ellipsis' || isClamped
    if (hides(overflowX) && !isShortened && wider(element) > 1)
      report(element, 'is cut off at the right by ' + wider(element))
    if (hides(overflowY) && !isClamped && taller(element) > 2)
      report(element, 'is cut off below by ' + taller(element))
  }

  const texts = 'main :is(p, h1, h2, h3, button, a, dd, dt, label, th, span, code)'
  for (const element of document.querySelectorAll(texts)) {
    if (!element.checkVisibility()) continue
    if (element.closest('section[tabindex], .sr-only, pre, [class*=overflow-]')) continue
    const { width, left, right } = element.getBoundingClientRect()
    if (width > 0 && (right > innerWidth + 1 || left < -1)) report(element, 'is outside of the window')
    const isBox = getComputedStyle(element).display !== 'inline' && element.childElementCount === 0
    if (isBox && taller(element) > 3) report(element, 'is taller than its box')
  }

  for (const box of document.querySelectorAll('main *')) {
    if (box.tagName === 'PRE' || box.querySelector('table') !== null) continue
    const { overflowX, overflowY } = getComputedStyle(box)
    const isSideways = scrolls(overflowX) && wider(box) > 1
    const isDownwards = scrolls(overflowY) && taller(box) > 1
    if (isSideways && isDownwards) report(box, 'scrolls both ways')
  }
  return [...new Set(issues)]
})()`

/** Gives what tables list names of one word without end. Returns the tables that become wider by that. */
const WIDENED = `(() => {
  const names = [...document.querySelectorAll('main td:first-child :is(a, button).font-medium')]
  const boxes = [...new Set(names.map(name => name.closest('section')))]
  const before = boxes.map(box => box.scrollWidth)
  for (const name of names) if (name.firstChild?.data) name.firstChild.data = 'W'.repeat(80)
  return boxes.filter((box, index) => box.scrollWidth > before[index]).map(box => box.ariaLabel)
})()`

const pathWithIds = (path: string) => path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? name)

/** Returns the paths and queries of a page's requests to the gateway, while they are added. */
function requestsOf(page: Page): string[] {
  const sent: string[] = []
  page.on('request', request => {
    const { pathname, search } = new URL(request.url())
    if (pathname.startsWith('/api/')) sent.push(pathname + search)
  })
  return sent
}

test('shows the frame of a page and requests its data once, before its code has loaded', async () => {
  const { page } = await visitAs(fixture, '/docs/errors', person.account)
  const sent = requestsOf(page)
  const letLoad = await hold(page, CODE)
  await page.goto('/app/ledger', { waitUntil: 'commit' })
  await page.getByRole('heading', { name: 'Ledger' }).waitFor()
  const early = earlyRequestsOf('/app/ledger', true)
  await expect.poll(() => early.filter(url => !sent.includes(url))).toEqual([])
  letLoad()
  await page.getByRole('table', { name: 'Ledger' }).getByText('Deposit').first().waitFor()
  const ofData = sent.filter(url => url.startsWith('/api/v1/balance/'))
  expect(ofData).toEqual(['/api/v1/balance/ledger?limit=100'])
})

test('shows nobody else the frame of a page for wallets, before its code has loaded', async () => {
  const { page } = await fixture.visit('/docs/errors')
  const sent = requestsOf(page)
  const letLoad = await hold(page, CODE)
  await page.goto('/app/ledger', { waitUntil: 'commit' })
  await page.getByRole('banner').getByRole('link', { name: 'Market' }).waitFor()
  expect(await page.getByRole('heading', { name: 'Ledger' }).isVisible()).toBe(false)
  expect(await page.getByRole('link', { name: 'Account' }).isVisible()).toBe(false)
  letLoad()
  await page.getByRole('heading', { name: 'Sign in to see this page' }).waitFor()
  expect(sent.filter(url => url.startsWith('/api/v1/balance'))).toEqual([])
})

test('aligns the amounts of a column at their decimal points', async () => {
  const { page } = await visitAs(fixture, '/forum', person.account)
  for (const [path, label] of [
    ['/app', 'Recent calls'],
    ['/app/calls', 'Calls'],
    ['/app/deposit', 'Deposits'],
    ['/app/ledger', 'Ledger'],
    ['/app/activity', 'Breakdown'],
    ['/provider', 'Services'],
    ['/provider/traffic', 'Traffic by service'],
    ['/provider/earnings', 'Earnings by service'],
    ['/provider/withdraw', 'Withdrawals'],
    ['/admin', 'Withdrawals'],
  ] as const) {
    await page.goto(path)
    const rows = `document.querySelectorAll('table[aria-label="${label}"] tbody tr')`
    let columns: readonly [text: string, left: number][][] = []
    await until(`${path} shows amounts of several lengths`, async () => {
      columns = await page.evaluate<typeof columns>(`${POINTS}(${rows})`)
      return columns.some(found => new Set(found.map(([text]) => text.split('.')[1]?.length)).size > 1)
    })
    const crooked = columns.filter(found => new Set(found.map(([, left]) => left)).size > 1)
    expect(crooked, path).toEqual([])
  }
}, 60_000)

/** Returns text and place of the point of each amount in some rows, by column. */
const POINTS = `(rows => {
  const columns = {}
  for (const row of rows) for (const [column, cell] of [...row.cells].entries())
    for (const amount of cell.querySelectorAll('[title$=" USDC"]')) {
      const text = [...amount.childNodes].find(node => node.data?.includes('.'))
      const range = document.createRange()
      range.setStart(text, text.data.indexOf('.'))
      range.setEnd(text, text.data.indexOf('.') + 1)
      ;(columns[column] ??= []).push([text.data, Math.round(range.getBoundingClientRect().left)])
    }
  return Object.values(columns)
})`
