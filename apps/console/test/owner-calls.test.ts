import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { post, send } from '../../gateway/test/kit/network/http.ts'
import { type LlmTestProvider, startLlmProvider } from '../../gateway/test/kit/provider/llm-provider.ts'
import { sendJson, startProvider, type TestProvider } from '../../gateway/test/kit/provider/provider.ts'
import { newWallet, signIn } from '../../gateway/test/kit/world/wallets.ts'
import { arrive, deposit, invoke, mint, type Person, register } from '../../gateway/test/kit/world/world.ts'
import { expectAccessible, expectAccessibleInBothThemes } from './kit/axe.ts'
import { type ConsoleFixture, ofThePage, openConsole, visitAs } from './kit/browser.ts'
import { SHIFT_MAX, shiftedOf, watchShifts } from './kit/shifts.ts'

const PRICE = '0.050000'
const MANY = 10_000

let fixture: ConsoleFixture
let provider: TestProvider
let model: LlmTestProvider
let page: Page
let faults: readonly string[]
/** Ids of the calls. */
let paid = ''
let broken = ''
let seller: Person
let weather = ''
/** Of the owner. */
let credential: { token: string; id: string }

beforeAll(async () => {
  ;[fixture, provider, model] = await Promise.all([openConsole(), startProvider(), startLlmProvider()])
  const { on } = fixture
  const account = newWallet()
  const owner: Person = { account, token: await signIn(on.url, account) }
  ;[seller] = await Promise.all([arrive(on), deposit(on, owner, '20')])
  weather = await register(on, seller, {
    targets: [provider.url],
    priceUsdc: PRICE,
    manifest: { serviceName: 'Weather now', agentToolName: 'weather' },
  })
  for (const manifest of [modelManifest('Small Model'), modelManifest('Large Model')])
    await post(on, '/services', { token: seller.token, body: manifest })
  credential = await mint(on, owner)
  const call = (key: string) =>
    invoke(on, credential, {
      serviceId: weather,
      costUsdc: PRICE,
      idempotencyKey: key,
      payload: { body: { key } },
    })
  paid = (await call('first-key')).body.invocationId
  provider.respondWith((_, response) => sendJson(response, 500, { sorry: 'out of weather' }))
  broken = String((await call('second-key')).body.detail.invocationId)
  expect((await askModel({ model: 'small_model' })).status).toBe(200)
  ;({ page, faults } = await visitAs(fixture, '/app/calls', account))
}, 180_000)
afterAll(async () => {
  await fixture.stop()
  await Promise.all([provider.stop(), model.stop()])
})

const askModel = (named: object) =>
  fetch(`${fixture.on.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${credential.token}` },
    body: JSON.stringify({ ...named, max_tokens: 16, messages: [{ role: 'user', content: 'Hi' }] }),
  })

const modelManifest = (serviceName: string) => ({
  serviceName,
  agentToolName: serviceName.toLowerCase().replace(' ', '_'),
  serviceKind: 'llm',
  priceModel: 'token_metered',
  defaultMaxOutputTokens: 256,
  maxAutoHoldUsdc: '0.010000',
  inputPricePer1MTokensUsdc: '1.500000',
  outputPricePer1MTokensUsdc: '6.000000',
  invoke: { method: 'POST', targets: [{ url: `${model.url}/v1/chat/completions`, weight: 1 }] },
})
const table = () => page.getByRole('table', { name: 'Calls' })
const rows = () => table().getByRole('row')
const receipt = () => page.getByRole('dialog')
async function choose(filter: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: filter }).click()
  await page.getByRole('option', { name: option }).click()
}

test('keeps filters in the URL across a reload, and downloads the filtered calls', async () => {
  await page.getByText('3 calls').waitFor()
  await choose('State', 'Succeeded')
  await page.getByText('2 calls').waitFor()
  await choose('Service', 'Weather now')
  await page.getByText('1 call', { exact: true }).waitFor()
  await choose('Time', 'Last hour')
  await page.waitForURL(/state=SUCCEEDED.*time=hour/)
  await page.reload()
  await page.getByText('1 call', { exact: true }).waitFor()
  await expect.poll(() => rows().count()).toBe(2)

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download CSV' }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/^farebox-calls-\d{4}-\d\d-\d\d\.csv$/)
  const lines = (await readFile(await download.path(), 'utf8')).trim().split('\r\n')
  expect(lines).toHaveLength(2)
  expect(lines[1]).toContain(paid)

  await choose('State', 'Running')
  await page.getByText('No calls match all of these filters.').waitFor()
  await page.getByRole('button', { name: 'Clear' }).click()
  await page.getByText('3 calls').waitFor()

  // The number of failed calls on the overview links to just these, whichever way they failed.
  await page.getByRole('navigation', { name: 'Account' }).getByRole('link', { name: 'Overview' }).click()
  await page.getByRole('region', { name: 'Spent' }).getByRole('link', { name: '1 failed' }).click()
  await page.waitForURL(/\/app\/calls\?.*state=FAILED$/)
  await page.getByText('1 call', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Clear' }).click()
}, 120_000)

test('shows hold, charge, timeline and idempotency key of a paid call', async () => {
  await choose('Service', 'Weather now')
  await choose('State', 'Succeeded')
  await rows().getByRole('link', { name: 'Weather now' }).first().press('Enter')
  await page.waitForURL(`**/app/calls/${paid}?*`)
  const money = receipt().getByRole('region', { name: 'Money' })
  await money.getByText('0.05').first().waitFor()
  await money.getByText('The price that your agent asserted').waitFor()
  const timeline = receipt().getByRole('list', { name: 'Timeline' })
  await timeline.getByText('The provider answered').waitFor()
  await timeline.getByText('charged').waitFor()
  await receipt().getByText('first-key').waitFor()
  expect(await receipt().boundingBox()).toMatchObject({ y: 0, height: 800 })
  await receipt().getByRole('figure', { name: 'Result' }).getByText('"number": 1').waitFor()
  await expectAccessible(page)
  // A printed receipt is whole, with its whole id, and without the list and what only a screen can use.
  await page.emulateMedia({ media: 'print' })
  expect(await rows().filter({ visible: true }).count()).toBe(0)
  expect(await receipt().getByRole('button').filter({ visible: true }).count()).toBe(0)
  const printed = `getComputedStyle(document.querySelector('[role=dialog] code[title]'), '::after').content`
  expect(await page.evaluate(printed)).toBe(`"${paid}"`)
  expect((await receipt().boundingBox())?.height).toBeGreaterThan(800)
  await page.emulateMedia({ media: 'screen' })
  await page.keyboard.press('Escape')
  await receipt().waitFor({ state: 'detached' })
  await page.waitForURL(/\/app\/calls\?.*state=SUCCEEDED/)
  // The keyboard goes on at the row that it came from, whose link is named unlike the others.
  await expect
    .poll(() => page.evaluate('document.activeElement.getAttribute("aria-label")'))
    .toMatch(/^Weather now, \w+ \d+, \d{4}/)
  // A closed receipt does not come back.
  await page.goBack()
  await page.waitForURL(/\/app\/calls\?.*state=SUCCEEDED/)
}, 120_000)

test('shows the tokens of a metered call, and reason and advice for a failed one', async () => {
  await page.getByRole('button', { name: 'Clear' }).click()
  await rows().getByRole('link', { name: 'Small Model' }).click()
  await receipt()
    .getByText(/\d+ in · 16 out/)
    .waitFor()
  await receipt().getByText('only the tokens used are charged').waitFor()
  await page.keyboard.press('Escape')

  await page.goto(`/app/calls/${broken}`)
  const wrong = receipt().getByRole('region', { name: 'Error' })
  await wrong.getByText('The provider returned an error. It returned status 500.').waitFor()
  await wrong.getByText('out of weather').waitFor()
  await wrong.getByText('Call again with a new key').waitFor()
  await receipt().getByText('The whole hold was released').waitFor()
  await receipt().getByText('second-key').waitFor()
  await receipt().getByText(/^req_/).waitFor()
  await expectAccessible(page)
}, 120_000)

test('names a service that cannot be called any more', async () => {
  const paused = await send(fixture.on.url, `/api/v1/services/${weather}`, {
    method: 'PUT',
    token: seller.token,
    body: { isActive: false },
  })
  expect(paused.status).toBe(200)
  await page.goto('/app/calls')
  await expect.poll(() => rows().getByRole('link', { name: 'Weather now' }).count()).toBe(2)
  await choose('Service', 'Weather now')
  await page.getByText('2 calls').waitFor()
}, 120_000)

test('reports an unknown call beside the list', async () => {
  await page.goto('/app/calls/inv_nobody')
  await receipt().getByText('Unknown call').waitFor()
  await receipt().getByRole('button', { name: 'Close' }).click()
  await page.getByText('3 calls').waitFor()
}, 120_000)

test('has no accessibility issues in either theme, and fits a phone', async () => {
  await expectAccessibleInBothThemes(page)
  await page.setViewportSize({ width: 360, height: 800 })
  await expect
    .poll(() => page.evaluate('document.documentElement.scrollWidth <= window.innerWidth'))
    .toBe(true)
  const hidden = `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector(
    'section[aria-label="Calls"]'))`
  await expect.poll(() => page.evaluate(hidden)).toBe(0)
  await rows().getByRole('link', { name: 'Small Model' }).click()
  const money = receipt().getByRole('region', { name: 'Money' })
  await money.getByText('Released').waitFor()
  const overlaps = `(() => {
    const parts = [...document.querySelectorAll('section[aria-label="Money"] :is(dt, dd > span)')]
    const boxes = parts.map(part => part.getBoundingClientRect())
    return boxes.some((a, at) => boxes.slice(at + 1).some(b =>
      a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom) || a.right > innerWidth)
  })()`
  expect(await page.evaluate(overlaps)).toBe(false)
  await page.keyboard.press('Escape')
  await page.setViewportSize({ width: 1_280, height: 800 })
}, 120_000)

test('renders only the visible rows of ten thousand calls, and loads more on scrolling', async () => {
  await fixture.on.sql(
    `insert into invocations select (jsonb_populate_record(i, jsonb_build_object(
       'id', 'inv_' || lpad(n::text, 26, '0'), 'idempotency_key', 'many-' || n))).*
     from invocations i, generate_series(1, $2::int) n where i.id = $1`,
    [broken, MANY],
  )
  await page.reload()
  await page.getByText('100+ calls').waitFor()
  // The rows follow the number of them: the end may still be that of the rows before.
  const scrollToEnd = () =>
    page.evaluate(`{
      const list = document.querySelector('section[aria-label="Calls"]')
      list.scrollTop = list.scrollHeight
    }`)
  for (const more of ['200+', '300+', '400+'])
    await expect
      .poll(async () => {
        await scrollToEnd()
        return page.getByText(`${more} calls`).count()
      })
      .toBe(1)
  expect(await rows().count()).toBeLessThan(80)
  // Back returns to the rows that were left.
  await page.getByRole('navigation', { name: 'Account' }).getByRole('link', { name: 'Ledger' }).click()
  await page.getByRole('heading', { level: 1, name: 'Ledger' }).waitFor()
  await page.goBack()
  // One more page may have been under way.
  await page.getByText(/^[45]00\+ calls$/).waitFor()
  await expect
    .poll(() => page.evaluate(`document.querySelector('section[aria-label="Calls"]').scrollTop`))
    .toBeGreaterThan(10_000)
  expect(ofThePage(faults)).toEqual([])
}, 120_000)

test('shows the attempts of a request at several models without a shift, with the cached tokens of the one that answered', async () => {
  model.bend(call => {
    if (call.body?.model === 'large_model') return { status: 500 }
    return { usage: usage => ({ ...usage, prompt_tokens_details: { cached_tokens: 3 } }) }
  })
  const answered = await askModel({ models: ['large_model', 'small_model'] })
  expect(answered.status).toBe(200)
  await watchShifts(page)
  await page.setViewportSize({ width: 390, height: 844 })
  // The attempts arrive after the details.
  await page.route('**/usage/logs?*idempotencyKey=*', async route => {
    await receipt().getByText('Request hash').waitFor()
    await route.continue()
  })
  await page.goto(`/app/calls/${answered.headers.get('farebox-invocation-id')}`)
  await receipt().getByText('3 read from a cache').waitFor()
  const attempts = receipt().getByRole('region', { name: 'Attempts' })
  await expect
    .poll(() => attempts.getByRole('listitem').allTextContents())
    .toEqual([
      expect.stringMatching(/^1Large Model.*Failed.*0\.00.*USDC$/),
      expect.stringMatching(/^2Small Model · this call.*Succeeded.*0\.0001\d*.*USDC$/),
    ])
  expect(await shiftedOf(page)).toBeLessThan(SHIFT_MAX)
  await page.unroute('**/usage/logs?*idempotencyKey=*')
  await page.setViewportSize({ width: 1_280, height: 800 })
  await expectAccessible(page)
  await attempts.getByRole('link', { name: 'Large Model' }).click()
  await receipt().getByText('It returned status 500.').waitFor()
  await attempts.getByText('Large Model · this call').waitFor()
}, 120_000)

test('names and opens a credential that is older than all that the lists show', async () => {
  const { id } = credential
  await fixture.on.sql(
    `insert into credentials select (jsonb_populate_record(c, jsonb_build_object(
       'id', 'cred_' || lpad(n::text, 26, 'z'), 'name', 'newer', 'token_hash', '\\x' || lpad(n::text, 64, '0')))).*
     from credentials c, generate_series(1, 100) n where c.id = $1`,
    [id],
  )
  await page.goto(`/app/calls/${paid}`)
  await receipt().getByRole('link', { name: 'test', exact: true }).click()
  await page.waitForURL(`**/app/credentials?open=${id}`)
  await receipt().getByRole('button', { name: 'Edit limits' }).waitFor()
  await page.goto('/app/credentials?open=cred_nothing')
  await receipt().getByText('Unknown credential').waitFor()
  await expectAccessible(page)
  // Back closes the dialog for a new one, and stays on the page.
  await receipt().getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: 'New credential' }).click()
  await page.waitForURL('**/app/credentials?new=true')
  await page.goBack()
  await receipt().waitFor({ state: 'detached' })
  await page.waitForURL('**/app/credentials')
}, 120_000)
