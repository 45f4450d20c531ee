import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startMailSink } from '../../gateway/src/dev/mail-sink.ts'
import { sendJson } from '../../gateway/test/kit/provider/provider.ts'
import { untilDecided, verifyEmail } from '../../gateway/test/kit/world/alerts.ts'
import { type SoldService, sellService } from '../../gateway/test/kit/world/sold-service.ts'
import { newWallet, signIn } from '../../gateway/test/kit/world/wallets.ts'
import { deposit, mint, type Person } from '../../gateway/test/kit/world/world.ts'
import { expectAccessible, expectAccessibleInBothThemes } from './kit/axe.ts'
import { type ConsoleFixture, openConsole, ready, visitAs } from './kit/browser.ts'
import { tabThrough } from './kit/keyboard.ts'

let fixture: ConsoleFixture
let sold: SoldService
let owner: Person
let page: Page
const mails = await startMailSink()

beforeAll(async () => {
  fixture = await openConsole({ env: { SMTP_URL: mails.url, MAIL_FROM: 'no-reply@farebox.example' } })
  sold = await sellService(fixture.on)
  const account = newWallet()
  owner = { account, token: await signIn(fixture.on.url, account) }
  await deposit(fixture.on, owner, '1.005')
  page = (await visitAs(fixture, '/app', account)).page
}, 180_000)
afterAll(async () => {
  await fixture.stop()
  await Promise.all([sold.upstream.stop(), mails.stop()])
})

const alert = (text: string) => page.getByRole('alert').filter({ hasText: text })
const save = () => page.getByRole('button', { name: 'Save' })
const focused = () => page.evaluate<string>('document.activeElement.labels?.[0].textContent')
const rows = () => page.getByRole('table', { name: 'Alerts' }).locator('tbody tr')

test('enables the default alerts from the empty page, and saves others', async () => {
  await page.locator('main header').getByRole('link', { name: 'Alerts' }).click()
  await page.getByText('Alerts are off', { exact: true }).waitFor()
  await page.getByText('You have no verified email.').waitFor()
  await page.getByText('No webhook subscribes to alerts.').waitFor()
  await expectAccessibleInBothThemes(page)
  await page.getByRole('button', { name: 'Turn on default alerts' }).click()
  await page.getByText('No alerts yet').waitFor()
  expect(await page.getByLabel('Below').inputValue()).toBe('1')
  expect(await page.getByLabel('80% of its credit').isChecked()).toBe(true)
  expect(await save().isDisabled()).toBe(true)

  await page.getByLabel('Of at least').fill('')
  await page.getByLabel('Below').fill('0')
  await save().click()
  await alert('Enter an amount above 0, or leave the field empty.').waitFor()
  await alert('Enter a whole number of 1 or more.').waitFor()
  await expect.poll(focused).toBe('Below')
  await expectAccessible(page)
  await page.getByLabel('Below').fill('1')
  await page.getByLabel('More than').fill('50')
  await page.getByLabel('Of at least').fill('2')
  await page.getByText('Unsaved changes.').waitFor()
  const asked = page.waitForEvent('dialog')
  await page.evaluate('setTimeout(() => location.reload())')
  const leaving = await asked
  expect(leaving.type()).toBe('beforeunload')
  await leaving.dismiss()
  expect(await page.getByLabel('Of at least').inputValue()).toBe('2')
  await page.getByLabel('Of at least').press('Enter')
  await page.getByText('Alerts saved.').waitFor()
  await verifyEmail(fixture.on, owner, 'ada@research.example')
  await page.reload()
  await page.getByText('To ada@research.example').waitFor()
  expect(await page.getByLabel('More than').inputValue()).toBe('50')
  expect(await save().isDisabled()).toBe(true)
}, 120_000)

test('lists raised alerts with links to their subjects', async () => {
  const { on } = fixture
  const credential = await mint(on, owner, { name: 'Crawler', creditLimit: 0.01 })
  expect((await sold.call(credential)).status).toBe(200)
  sold.upstream.respondWith((_, response) => sendJson(response, 503, {}))
  const failing = await mint(on, owner)
  for (let index = 0; index < 3; index += 1) await sold.call(failing)
  await untilDecided(on, on)
  await page.goto('/app')
  await page.getByRole('region', { name: 'Notices' }).getByRole('link', { name: 'Alerts' }).click()
  await expect.poll(() => rows().count()).toBe(4)
  const found = (await rows().allInnerTexts()).join(' ')
  for (const text of ['Low balance', 'Failing calls', 'No credit left', '80% of credit used', 'Sent'])
    expect(found).toContain(text)
  await expectAccessibleInBothThemes(page)
  await rows().filter({ hasText: 'No credit left' }).getByRole('link', { name: 'Crawler' }).click()
  await page.getByRole('dialog', { name: 'Crawler' }).waitFor()
  await page.goBack()
  await rows().filter({ hasText: 'Failing calls' }).getByRole('link', { name: 'Calls in this hour' }).click()
  await page.getByRole('table', { name: 'Calls' }).getByText('Failed').first().waitFor()
  await page.getByText(/^\d{4}-\d\d-\d\d \d\d:00 – \d{4}-\d\d-\d\d \d\d:00 UTC$/).waitFor()
}, 120_000)

test('is linked from the palette, webhooks and credentials', async () => {
  for (const path of ['/app/webhooks', '/app/credentials']) {
    await page.goto(path)
    await page.locator('main header').getByRole('link', { name: 'Alerts' }).click()
    await page.getByRole('heading', { level: 1, name: 'Alerts' }).waitFor()
  }
  await page.goto('/app')
  await ready(page)
  await page.keyboard.press('Control+k')
  await page.getByPlaceholder('Search pages').fill('alerts')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Alerts' }).waitFor()
}, 60_000)

test('fits the smallest phone, with every control reachable by keyboard', async () => {
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto('/app/alerts')
  await rows().filter({ hasText: 'Low balance' }).waitFor()
  expect(await tabThrough(page)).toEqual([])
  const isWide = 'document.documentElement.scrollWidth > document.documentElement.clientWidth'
  expect(await page.evaluate(isWide)).toBe(false)
}, 60_000)
