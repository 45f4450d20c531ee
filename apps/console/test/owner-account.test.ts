import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startProvider, type TestProvider } from '../../gateway/test/kit/provider/provider.ts'
import { newWallet } from '../../gateway/test/kit/world/wallets.ts'
import { arrive, invoke, register } from '../../gateway/test/kit/world/world.ts'
import { expectAccessible, expectAccessibleInBothThemes } from './kit/axe.ts'
import { type ConsoleFixture, ofThePage, openConsole, visitAs } from './kit/browser.ts'

const PRICE = '0.050000'

let fixture: ConsoleFixture
let provider: TestProvider
let page: Page
let faults: readonly string[]
let serviceId: string
/** The token shown on the page. */
let token = ''

beforeAll(async () => {
  ;[fixture, provider] = await Promise.all([openConsole({ isDevelopment: true }), startProvider()])
  const seller = await arrive(fixture.on)
  serviceId = await register(fixture.on, seller, {
    targets: [provider.url],
    priceUsdc: PRICE,
    manifest: { serviceName: 'Weather now', agentToolName: 'weather' },
  })
  await fixture.on.sql(`update services set targets_verified = true where agent_tool_name = 'weather'`)
  await register(fixture.on, seller, {
    targets: [provider.url],
    priceUsdc: '0',
    manifest: { serviceName: 'Free for all', agentToolName: 'free' },
  })
  ;({ page, faults } = await visitAs(fixture, '/app', newWallet()))
}, 180_000)
afterAll(async () => {
  await fixture.stop()
  await provider.stop()
})

const go = (name: string) =>
  page.getByRole('navigation', { name: 'Account' }).getByRole('link', { name }).click()
const dialog = () => page.getByRole('dialog')
const alert = (text: string | RegExp) => page.getByRole('alert').filter({ hasText: text })
const call = (by: string) =>
  invoke(fixture.on, { token: by }, { serviceId, costUsdc: PRICE, payload: { body: { city: 'Lisbon' } } })

test('guides a new owner from a deposit through a credential to a first call of a verified service, and ticks off every step', async () => {
  const steps = page.getByRole('list', { name: 'First steps' })
  await steps.getByRole('button', { name: 'Get test money' }).waitFor()
  await expectAccessible(page)

  // Without a balance, the page says so and links to the deposit.
  await go('Credentials')
  await page.getByRole('button', { name: 'New credential' }).first().click()
  await dialog().getByLabel('Name').fill('research agent')
  await dialog().getByRole('button', { name: 'Create credential' }).click()
  await alert('Your balance is empty. Deposit USDC').waitFor()
  await page.keyboard.press('Escape')
  await alert('Your balance is empty. Deposit USDC').waitFor({ state: 'detached' })
  await go('Overview')
  await steps.getByRole('button', { name: 'Get test money' }).click()
  await page.getByText('In your wallet: 100.00 USDC').waitFor()
  await page.getByRole('button', { name: 'Get 100 test USDC' }).click()
  await page.getByText('In your wallet: 200.00 USDC').waitFor()
  await page.getByLabel('Amount').fill('20')
  await page.getByLabel('Amount').press('Enter')
  await page.getByRole('status').filter({ hasText: '20.00 USDC added to your balance' }).waitFor()
  await go('Overview')
  await page.getByRole('region', { name: 'Balance' }).getByText('20.00').waitFor()
  await steps.getByRole('link', { name: 'New credential' }).click()

  // Errors are shown beside their field, from the page and from the gateway.
  await dialog().getByLabel('Total calls').fill('none')
  await dialog().getByRole('button', { name: 'Create credential' }).click()
  await alert('Enter a name').waitFor()
  await alert('Enter a whole number').waitFor()
  await dialog().getByLabel('Total calls').fill('100')
  await dialog().getByLabel('Name').fill('research agent')
  await dialog().getByLabel('Spending limit').fill('5,000.00')
  await dialog().getByRole('button', { name: 'Create credential' }).click()
  await alert('Your spending policy allows at most 1,000.00 USDC').waitFor()
  expect(await dialog().getByLabel('Spending limit').getAttribute('aria-invalid')).toBe('true')
  await dialog().getByLabel('Spending limit').fill('2')
  await dialog().getByText('Only some services').click()
  await dialog().getByText('No services selected. This credential cannot call any service.').waitFor()
  await dialog().getByText('Weather now').click()
  await dialog().getByText('1 allowed.').waitFor()
  await expectAccessible(page)
  await dialog().getByRole('button', { name: 'Create credential' }).click()

  const shown = dialog().locator('code', { hasText: /^agt_/ })
  token = (await shown.textContent()) ?? ''
  await page.keyboard.press('Escape')
  await dialog().getByText('Shown only once').waitFor()
  await dialog().getByRole('button', { name: 'Copy token' }).click()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(token)
  await dialog().getByText('First call: Weather now').waitFor()
  await dialog().getByRole('figure', { name: 'A first call' }).getByText(`X-Credential: ${token}`).waitFor()
  await expectAccessible(page)
  await dialog().getByRole('button', { name: 'I have saved it' }).click()

  await go('Overview')
  await steps.getByText(`X-Credential: ${token}`).waitFor()
  expect(await call(token)).toMatchObject({ status: 200 })
  await page.getByRole('table', { name: 'Recent calls' }).getByText('Weather now').waitFor()
  await expect.poll(() => steps.getByLabel('Done', { exact: true }).count()).toBe(4)
  await expectAccessibleInBothThemes(page)
  await page.getByRole('button', { name: 'Hide first steps' }).click()
  await steps.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Service', exact: true }).click()
  await page.getByRole('list', { name: 'Spent by service' }).getByText('0.05').waitFor()
  await page.getByRole('button', { name: 'Credential', exact: true }).click()
  await page.getByRole('list', { name: 'Spent by credential' }).getByText('research agent').waitFor()
}, 180_000)

test('takes a newcomer to a first paid call in at most eight clicks', async () => {
  const { page: newcomer } = await fixture.visit('/')
  await newcomer.evaluate(`{
    globalThis.clicks = 0
    document.addEventListener('click', () => { globalThis.clicks += 1 }, true)
  }`)
  const press = (name: string | RegExp) => newcomer.getByRole('button', { name }).first().click()
  await newcomer.getByRole('banner').getByRole('button', { name: 'Sign in' }).click()
  await press('Development wallet')
  await press('Get test money')
  await newcomer.getByText('In your wallet: 100.00 USDC').waitFor()
  await newcomer.getByLabel('Amount').fill('20')
  await newcomer.getByRole('main').getByRole('button', { name: 'Deposit', exact: true }).click()
  await newcomer.getByRole('status').filter({ hasText: '20.00 USDC added to your balance' }).waitFor()
  await newcomer.getByRole('banner').getByRole('link', { name: 'Playground' }).click()
  await newcomer.getByRole('list', { name: 'Services' }).getByRole('button', { name: 'Weather now' }).click()
  await press('Create one')
  await press('Call for 0.05 USDC')
  await newcomer.getByText('Full receipt').waitFor()
  expect(await newcomer.evaluate('clicks')).toBeLessThanOrEqual(8)
  await newcomer.getByRole('banner').getByRole('link', { name: 'Account', exact: true }).click()
  const steps = newcomer.getByRole('list', { name: 'First steps' })
  await expect.poll(() => steps.getByLabel('Done', { exact: true }).count()).toBe(4)
  await steps.getByRole('link', { name: 'Open its receipt' }).click()
  await newcomer.getByRole('dialog', { name: 'Weather now' }).waitFor()
}, 120_000)

test('shows the amounts beside a chart in full, however large they are', async () => {
  const spending = '**/api/v1/usage/summary*'
  await page.route(spending, async route => {
    const response = await route.fetch()
    const json = (await response.json()) as { byDay: object[] }
    const byDay = json.byDay.map(day => ({ ...day, spentUsdc: '123456.000000' }))
    await route.fulfill({ response, json: { ...json, byDay } })
  })
  await page.reload()
  const room = () =>
    page.evaluate<number>(`(() => {
      const context = document.createElement('canvas').getContext('2d')
      context.font = '11px system-ui'
      const plot = document.querySelector('.u-over')
      return plot === null ? 0 : plot.offsetLeft - context.measureText('100,000.00 USDC').width
    })()`)
  await expect.poll(room).toBeGreaterThan(0)
  await page.unroute(spending)
})

test('shows the use of a credential, and edits, rotates, revokes and deletes it', async () => {
  await go('Credentials')
  const row = page.getByRole('row').filter({ hasText: 'research agent' })
  await row.getByText('0.05 of 2.00 USDC').waitFor()
  await call(token)
  await row.getByText('0.10 of 2.00 USDC').waitFor()
  await row.getByText('2 of 100 calls').waitFor()
  await row.getByRole('button', { name: 'research agent' }).press('Enter')
  // The back button closes the sheet, which fills the window of a phone.
  await dialog().getByRole('button', { name: 'Edit limits' }).waitFor()
  await page.goBack()
  await dialog().waitFor({ state: 'detached' })
  await row.getByRole('button', { name: 'research agent' }).press('Enter')

  await dialog().getByRole('button', { name: 'Edit limits' }).click()
  const edit = page.getByRole('dialog', { name: 'Edit research agent' })
  await edit.getByLabel('Spending limit').fill('3')
  await edit.getByLabel('Total calls').fill('')
  await edit.getByRole('button', { name: 'Save' }).click()
  await dialog().getByText('Spending limit: 2.00 USDC → 3.00 USDC').waitFor()
  await dialog().getByText('Total calls: 100 → no limit').waitFor()
  await expectAccessible(page)

  // Without a selected service it may call none, and the form says so before saving.
  await dialog().getByRole('button', { name: 'Edit limits' }).click()
  await edit.getByText('Weather now').click()
  await edit.getByText('No services selected. This credential cannot call any service.').waitFor()
  await edit.getByRole('button', { name: 'Save' }).click()
  await dialog().getByText('→ none').waitFor()
  expect((await call(token)).body.code).toBe('SERVICE_NOT_ALLOWED')
  await dialog().getByRole('button', { name: 'Edit limits' }).click()
  await edit.getByText('Only some services').click()
  await edit.getByRole('button', { name: 'Save' }).click()
  await dialog().getByText('none → all').waitFor()

  await dialog().getByRole('button', { name: 'Rotate token' }).click()
  await dialog().getByRole('button', { name: 'Rotate', exact: true }).click()
  const fresh = (await dialog().locator('code', { hasText: /^agt_/ }).textContent()) ?? ''
  await dialog().getByRole('button', { name: 'I have saved it' }).click()
  expect(fresh).not.toBe(token)
  // Both work for an hour.
  expect([(await call(token)).status, (await call(fresh)).status]).toEqual([200, 200])

  await dialog().getByRole('button', { name: 'Revoke' }).click()
  await page
    .getByRole('dialog', { name: 'Revoke research agent?' })
    .getByRole('button', { name: 'Revoke' })
    .click()
  await dialog().getByText('Revoked').first().waitFor()
  expect((await call(fresh)).body.code).toBe('CREDENTIAL_INACTIVE')
  await dialog().getByRole('button', { name: 'Delete' }).click()
  await page
    .getByRole('dialog', { name: 'Delete research agent?' })
    .getByRole('button', { name: 'Delete' })
    .click()
  await page.getByText('No credentials yet').waitFor()
}, 120_000)

test('shows the use of the spending policy and the effect of a change, and confirms one that stops calls', async () => {
  await go('Spending policy')
  await page.getByText('999.80 USDC left this month').waitFor()
  await page.getByLabel('Per month').fill('')
  await page.getByRole('button', { name: 'Save' }).click()
  await alert('Enter a limit, or select “No monthly limit”.').waitFor()
  await page.getByLabel('Per month').fill('400')
  await page.getByLabel('Per day').fill('0.1')
  const meaning = page.getByRole('region', { name: 'What this means' })
  await meaning.getByText('0.20 USDC was already used today').waitFor()
  await page.getByLabel('Per call').fill('0.5')
  await go('Overview')
  await page.getByRole('dialog', { name: 'Discard your changes?' }).waitFor()
  await expectAccessible(page)
  await dialog().getByRole('button', { name: 'Cancel' }).click()
  expect(await page.getByLabel('Per day').inputValue()).toBe('0.1')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Save' }).click()
  await dialog().getByRole('button', { name: 'Set these limits' }).click()
  await page.getByText('of 400.00 USDC').waitFor()
  await page.getByText('of 0.10 USDC · 100%').waitFor()
  await go('Overview')
  await page.getByText('The spending policy is used up today').waitFor()
  await go('Spending policy')
  await page.getByLabel('Per day').fill('')
  await page.getByLabel('No monthly limit').check()
  await page.getByRole('button', { name: 'Save' }).click()
  await dialog().getByRole('button', { name: 'Remove the limit' }).click()
  await page.getByText('No limit', { exact: true }).first().waitFor()
}, 120_000)

test('describes ledger entries, filters them, and downloads all', async () => {
  await go('Ledger')
  const table = page.getByRole('table', { name: 'Ledger' })
  await table.getByText('Deposit from your wallet').waitFor()
  await expect.poll(() => table.getByRole('row').count()).toBe(1 + 5)
  // No row repeats the sentence that applies to every call.
  const calls = table.getByRole('row').filter({ hasText: 'Call paid' }).getByRole('cell')
  expect((await calls.allTextContents()).filter(text => /\. (?!ago)/.test(text))).toEqual([])
  await page.getByRole('combobox', { name: 'Show' }).click()
  await page.getByRole('option', { name: 'Deposits and vouchers' }).click()
  await page.waitForURL('**/app/ledger?show=deposits')
  await page.getByText('1 entry').waitFor()
  await page.reload()
  await page.getByText('1 entry').waitFor()
  await page.getByRole('combobox', { name: 'Show' }).click()
  await page.getByRole('option', { name: 'Withdrawals' }).click()
  await page.getByText('You have no entries of this kind.').waitFor()

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download CSV' }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/^farebox-ledger-\d{4}-\d\d-\d\d\.csv$/)
  const lines = (await readFile(await download.path(), 'utf8')).trim().split('\r\n')
  expect(lines[0]).toBe('entryId,movementId,kind,account,amountUsdc,reference,createdAt')
  expect(lines).toHaveLength(1 + 5)
}, 120_000)

test('renews a session that ends during a change, and completes the change', async () => {
  await go('Spending policy')
  await page.getByLabel('Per day').fill('12')
  await page.evaluate(`{
    const session = JSON.parse(localStorage.getItem('farebox.session'))
    localStorage.setItem('farebox.session', JSON.stringify({ ...session, token: 'ended' }))
    dispatchEvent(new StorageEvent('storage', { key: 'farebox.session' }))
  }`)
  await page.getByRole('button', { name: 'Save' }).click()
  const ended = page.getByRole('dialog', { name: 'Your session has ended' })
  await ended.getByRole('button', { name: 'Test wallet' }).click()
  await page.getByText('Policy saved').waitFor()
  await page.getByText('of 12.00 USDC').waitFor()
}, 120_000)

test('has no accessibility issues in either theme, and fits a phone', async () => {
  for (const [name, until] of [
    ['Overview', 'Recent calls'],
    ['Deposit', 'Credited'],
    ['Credentials', 'No credentials yet'],
    ['Spending policy', 'What this means'],
    ['Ledger', 'Call paid'],
  ] as const) {
    await page.setViewportSize({ width: 1_280, height: 800 })
    await go(name)
    await page.getByText(until).first().waitFor()
    await expectAccessibleInBothThemes(page)
    await page.setViewportSize({ width: 360, height: 800 })
    await expect
      .poll(() => page.evaluate('document.documentElement.scrollWidth <= window.innerWidth'), {
        message: name,
      })
      .toBe(true)
  }
  expect(ofThePage(faults)).toEqual([])
  await fixture.on.assertBooks()
}, 180_000)
