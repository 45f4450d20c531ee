import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { post } from '../../gateway/test/kit/network/http.ts'
import { newWallet, signIn } from '../../gateway/test/kit/world/wallets.ts'
import { deposit } from '../../gateway/test/kit/world/world.ts'
import { perPage } from '../src/ui/tables/use-pages.ts'
import { type ConsoleFixture, openConsole, visitAs } from './kit/browser.ts'

const ROWS = 400
/** Rows that a table draws at most, those out of view with them. */
const DRAWN_MAX = 80

let fixture: ConsoleFixture
let page: Page
/** Paths of long lists that draw each loaded row. */
let topic = ''
let webhook = ''

beforeAll(async () => {
  const account = newWallet()
  fixture = await openConsole({ env: { RECONCILE_INTERVAL_SECONDS: '86400' } })
  const { on } = fixture
  const owner = { account, token: await signIn(on.url, account) }
  await deposit(on, owner, '20')
  const { token } = owner
  const written = await post<{ topic: { topicId: string } }>(on, '/forum/topics', {
    token,
    body: { title: 'Timeouts of weather calls', category: 'general', body: 'Are thirty seconds enough?' },
  })
  const { topicId } = written.body.topic
  const made = await post<{ webhook: { id: string } }>(on, '/webhooks', {
    token,
    body: { url: 'http://127.0.0.1:9/', events: ['deposit.credited'] },
  })
  const { id: webhookId } = made.body.webhook
  await on.sql(
    `insert into forum_replies (id, topic_id, author, body)
     select 'rep_' || lpad(n::text, 26, '0'), id, author, 'Reply ' || n from forum_topics, generate_series(1, $2::int) n
     where id = $1`,
    [topicId, ROWS],
  )
  await on.sql(
    `insert into webhook_deliveries (webhook_id, id, type, body, status, attempts, response_status)
     select $1, 'evt_' || lpad(n::text, 26, '0'), 'deposit.credited', $3, 'delivered', 1, 200
     from generate_series(1, $2::int) n`,
    [webhookId, ROWS, JSON.stringify({ type: 'deposit.credited', timestamp: new Date(), data: {} })],
  )
  await on.sql(
    `insert into entries (kind, reference, account, amount)
     select kind, reference, account, n from entries, generate_series(1, $2::int) n where account = 'consumer:' || $1`,
    [account.address.toLowerCase(), ROWS],
  )
  topic = `/forum/${topicId}`
  webhook = `/app/webhooks?open=${webhookId}`
  ;({ page } = await visitAs(fixture, '/forum', account))
  await page.addInitScript(COUNT_TIMES)
}, 180_000)
afterAll(() => fixture.stop())

/** Counts how often a time is rendered. */
const COUNT_TIMES = `{
  globalThis.times = 0
  const format = Object.getOwnPropertyDescriptor(Intl.DateTimeFormat.prototype, 'format')
  Object.defineProperty(Intl.DateTimeFormat.prototype, 'format', {
    get() {
      globalThis.times += 1
      return format.get.call(this)
    },
  })
}`

/** Returns how many times were rendered meanwhile. */
async function timesDuring(act: () => Promise<unknown>): Promise<number> {
  await page.evaluate('globalThis.times = 0')
  await act()
  return page.evaluate<number>('times')
}

const more = () => page.getByRole('button', { name: 'Show more' }).click()

test('renders a row of a long table once, however far it is scrolled', async () => {
  await page.goto('/app/ledger')
  await more()
  await page.getByText('200+ entries').waitFor()
  const steps = 100
  const rendered = await timesDuring(() =>
    page.evaluate(`(async () => {
      const table = document.querySelector('section[aria-label="Ledger"]')
      for (let step = 0; step < ${steps}; step++) {
        table.scrollTop += 41
        await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))
      }
    })()`),
  )
  // Each row has its time twice: once for phones.
  expect(rendered).toBeGreaterThan(steps)
  expect(rendered).toBeLessThan(2 * (steps + DRAWN_MAX))
})

test.each([
  { name: 'replies', path: () => topic, size: 50, rows: 'section[aria-labelledby="replies"] li' },
  { name: 'deliveries', path: () => webhook, size: 20, rows: 'section[aria-label="Deliveries"] li' },
])('renders the $name of a page once, however many pages follow', async ({ path, size, rows }) => {
  await page.goto(path())
  await expect.poll(() => page.locator(rows).count()).toBe(size)
  const pages = 6
  const rendered = await timesDuring(async () => {
    for (let count = 2; count <= pages + 1; count++) {
      await more()
      await expect.poll(() => page.locator(rows).count()).toBe(count * size)
    }
  })
  expect(rendered).toBeGreaterThanOrEqual(pages * size)
  expect(rendered).toBeLessThan((pages + 1) * size)
})

test('refetches a list of several pages for its age as often as it would one page', async () => {
  let requests = 0
  await page.route('**/api/v1/balance/ledger?*', route => {
    requests += 1
    return route.continue()
  })
  await page.goto('/app/ledger')
  for (const count of ['200+', '300+', '400+']) {
    await more()
    await page.getByText(`${count} entries`).waitFor()
  }
  const lookAgainAfter = async (seconds: number) => {
    requests = 0
    const settled = page.waitForResponse('**/api/v1/status')
    await page.evaluate(`{
      const now = Date.now()
      Date.now = () => now + ${seconds * 1_000}
      window.dispatchEvent(new Event('visibilitychange'))
    }`)
    return settled
  }
  await lookAgainAfter(35)
  expect(requests).toBe(0)
  await lookAgainAfter(60)
  await expect.poll(() => requests).toBe(4)
  expect([1, 4].map(count => perPage(3_000)({ state: { data: { pages: Array(count) } } }))).toEqual([
    3_000, 12_000,
  ])
})
