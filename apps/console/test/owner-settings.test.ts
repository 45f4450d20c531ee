import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type MailSink, startMailSink } from '../../gateway/src/dev/mail-sink.ts'
import {
  expectGenuine,
  type Receiver,
  startReceiver,
} from '../../gateway/test/kit/provider/webhook-receiver.ts'
import { until } from '../../gateway/test/kit/until.ts'
import { newWallet } from '../../gateway/test/kit/world/wallets.ts'
import { expectAccessible, expectAccessibleInBothThemes } from './kit/axe.ts'
import { type ConsoleFixture, ofThePage, openConsole, type Visitor, visitAs } from './kit/browser.ts'

const EMAIL = 'ada@research.example'

let fixture: ConsoleFixture
let mails: MailSink
let receiver: Receiver
let page: Page
let visitor: Visitor

beforeAll(async () => {
  ;[mails, receiver] = await Promise.all([startMailSink(), startReceiver()])
  fixture = await openConsole({
    env: { SMTP_URL: mails.url, MAIL_FROM: 'Farebox <no-reply@farebox.example>' },
  })
  visitor = await visitAs(fixture, '/app/profile', newWallet())
  page = visitor.page
}, 180_000)
afterAll(async () => {
  await fixture.stop()
  await Promise.all([mails.stop(), receiver.stop()])
})

const alert = (text: string | RegExp) => page.getByRole('alert').filter({ hasText: text })
const dialog = (name: string | RegExp) => page.getByRole('dialog', { name })
/** Returns how far a message reaches over the page, in pixels; none when it is beside it. */
const coveredBy = async (text: string) => {
  const [message, main] = await Promise.all([
    page.getByRole('status').filter({ hasText: text }).boundingBox(),
    page.getByRole('heading', { level: 1 }).boundingBox(),
  ])
  return (message?.x ?? 0) + (message?.width ?? 0) - (main?.x ?? 0)
}
/** Returns the code of the newest mail once there are `count`. */
async function codeOf(count: number): Promise<string> {
  await until(`${count} mails`, () => mails.mails(EMAIL).length >= count)
  return /^\d{6}/.exec(mails.mails(EMAIL)[0]?.subject ?? '')?.[0] ?? 'no code'
}

test('changes a name only with a signature of the wallet', async () => {
  await page.getByLabel('Display name').fill('')
  await page.getByRole('button', { name: 'Sign and save' }).click()
  await alert('Enter a name').waitFor()
  await expect
    .poll(() => page.evaluate('document.activeElement.labels?.[0].textContent'))
    .toBe('Display name')
  await page.getByLabel('Display name').fill('Ada')
  await page.getByRole('link', { name: 'Alerts' }).click()
  const leaving = page.getByRole('dialog', { name: 'Discard your changes?' })
  await leaving.getByRole('button', { name: 'Cancel' }).click()
  await leaving.waitFor({ state: 'detached' })
  expect(await page.getByLabel('Display name').inputValue()).toBe('Ada')
  visitor.wallet?.decline(true)
  await page.getByRole('button', { name: 'Sign and save' }).click()
  await alert(/rejected the request/).waitFor()
  visitor.wallet?.decline(false)
  await page.getByLabel('Notify me about events').uncheck()
  await page.getByRole('button', { name: 'Sign and save' }).click()
  await page.getByText('Profile saved.').waitFor()
  expect(await coveredBy('Profile saved.')).toBeLessThanOrEqual(0)
  await page.reload()
  await expect.poll(() => page.getByLabel('Display name').inputValue()).toBe('Ada')
  expect(await page.getByLabel('Notify me about events').isChecked()).toBe(false)
}, 120_000)

test('verifies an email by its code: reports a wrong one, locks after five, unlocks with a new one', async () => {
  await page.getByLabel('Email').fill('ada')
  await page.getByRole('button', { name: 'Sign and send code' }).click()
  await alert('Enter an email address').waitFor()
  await page.getByLabel('Email').fill(EMAIL)
  await page.getByRole('button', { name: 'Sign and send code' }).click()
  await page.getByText('4 emails left today.').waitFor()
  const right = await codeOf(1)
  const wrong = right === '000000' ? '000001' : '000000'
  for (const left of ['4 attempts left', '3 attempts left', '2 attempts left', '1 attempt left']) {
    await page.getByLabel('Code').fill(wrong)
    await page.getByLabel('Code').press('Enter')
    await alert(left).waitFor()
  }
  await expectAccessible(page)
  await page.getByLabel('Code').fill(wrong)
  await page.getByLabel('Code').press('Enter')
  await page.getByText('Too many wrong attempts').waitFor()
  await page.getByText('Locked', { exact: true }).waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Send a new code' }).click()
  await page.getByText('3 emails left today.').waitFor()
  // The pending address is still there after a reload.
  await page.reload()
  await page.getByLabel('Code').fill(await codeOf(2))
  await page.getByLabel('Code').press('Enter')
  await page.getByText('Verified', { exact: true }).waitFor()
  await page.getByText('Email verified.').waitFor()
  await expectAccessibleInBothThemes(page)

  await page.getByRole('button', { name: 'Change', exact: true }).click()
  await page.getByLabel('New email').fill('other@research.example')
  await page.getByRole('button', { name: 'Sign and send code' }).click()
  await page.getByRole('button', { name: 'Keep current email' }).click()
  await page.getByText('Verified', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Remove' }).click()
  await dialog('Remove your email?').getByRole('button', { name: 'Sign and remove' }).click()
  await page.getByText('None', { exact: true }).waitFor()
}, 180_000)

test('creates, tests, redelivers, rotates, disables, enables and deletes a webhook', async () => {
  await page.getByRole('link', { name: 'Webhooks' }).click()
  await page.getByText('No webhooks yet').waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'New webhook' }).first().click()
  const form = dialog('New webhook')
  await form.getByLabel('Address').fill('nowhere')
  await form.getByRole('button', { name: 'Create webhook' }).click()
  await alert('Enter a URL').waitFor()
  await form.getByLabel('Address').fill(receiver.url)
  await form.getByText('Your balance is low').click()
  await expectAccessible(page)
  await form.getByRole('button', { name: 'Create webhook' }).click()
  const shown = dialog('Webhook secret')
  const secret = (await shown.locator('code', { hasText: /^whsec_/ }).textContent()) ?? ''
  await expectAccessible(page)
  await shown.getByRole('button', { name: 'I have saved it' }).click()

  await page.getByRole('table', { name: 'Webhooks' }).getByRole('button').first().press('Enter')
  const sheet = page.getByRole('dialog', { name: new RegExp(receiver.url) })
  await sheet.getByText('No deliveries yet').waitFor()
  await sheet.getByRole('button', { name: 'Send a test' }).click()
  await until('the test arrived', () => receiver.received.length === 1)
  const [first] = receiver.received
  if (first === undefined) throw new Error('Nothing arrived.')
  expectGenuine(first, secret)
  const delivery = sheet.getByRole('listitem').filter({ hasText: 'webhook.test' })
  await delivery.getByText('Delivered').waitFor()
  await delivery.getByRole('button', { name: /webhook\.test/ }).click()
  await delivery.getByRole('figure', { name: 'Payload' }).waitFor()
  await expectAccessible(page)
  await delivery.getByRole('button', { name: 'Resend' }).click()
  await until('it arrived again', () => receiver.received.length === 2)
  expect(receiver.received[1]?.headers['webhook-id']).toBe(first.headers['webhook-id'])

  const rotated = dialog('New secret')
  const rotate = async (overlap: string) => {
    await sheet.getByRole('button', { name: 'Rotate secret' }).click()
    await dialog('Rotate the secret').getByRole('combobox', { name: 'Current secret' }).click()
    await page.getByRole('option', { name: overlap }).click()
    await dialog('Rotate the secret').getByRole('button', { name: 'Rotate' }).click()
    const fresh = (await rotated.locator('code', { hasText: /^whsec_/ }).textContent()) ?? ''
    await rotated.getByRole('button', { name: 'I have saved it' }).click()
    return fresh
  }
  expect(await rotate('Works for 1 more day')).not.toBe(secret)
  await sheet.getByText('also signs, expires in 23 hr.').waitFor()
  await rotate('Stops working immediately')
  await expect.poll(() => sheet.getByText('also signs').count()).toBe(0)

  await sheet.getByRole('button', { name: 'Edit' }).click()
  await dialog('Edit webhook').getByText('A deposit was credited').click()
  await dialog('Edit webhook').getByRole('button', { name: 'Save' }).click()
  await sheet.getByText('deposit.credited').waitFor()
  await sheet.getByRole('button', { name: 'Switch off' }).click()
  await sheet.getByText('Switched off by you.').waitFor()
  await sheet.getByRole('button', { name: 'Switch on' }).click()
  await sheet.getByText('On', { exact: true }).waitFor()
  await expectAccessibleInBothThemes(page)

  await sheet.getByRole('button', { name: 'Delete' }).click()
  await dialog('Delete this webhook?').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No webhooks yet').waitFor()
  await page.goto('/app/webhooks?open=wh_gone')
  await dialog('Webhook').getByText('Unknown webhook').waitFor()
  await dialog('Webhook').getByRole('button', { name: 'Close' }).click()
  await page.waitForURL(url => url.search === '')
}, 180_000)

test('switches a webhook off and on from the list, and says why it cannot', async () => {
  await page.getByRole('button', { name: 'New webhook' }).first().click()
  await dialog('New webhook').getByLabel('Address').fill(receiver.url)
  await dialog('New webhook').getByRole('button', { name: 'Create webhook' }).click()
  await dialog('Webhook secret').getByRole('button', { name: 'I have saved it' }).click()
  const row = page.getByRole('row').filter({ hasText: receiver.url })
  const off = row.getByRole('button', { name: `Switch off ${receiver.url}` })
  const on = row.getByRole('button', { name: `Switch on ${receiver.url}` })

  await off.click()
  await on.waitFor()
  await page.reload()
  await row.getByText('Off', { exact: true }).waitFor()
  expect(await page.getByRole('dialog').count()).toBe(0)
  await expectAccessibleInBothThemes(page)

  await page.route('**/api/v1/webhooks/*', route => route.abort())
  await on.press('Enter')
  await page.getByRole('status').filter({ hasText: 'cannot be reached' }).waitFor()
  expect(await on.isEnabled()).toBe(true)
  await page.unroute('**/api/v1/webhooks/*')
  await on.press('Enter')
  await off.waitFor()
  await page.reload()
  await row.getByText('On', { exact: true }).waitFor()
}, 120_000)

test('fits both pages on a phone', async () => {
  await page.setViewportSize({ width: 360, height: 800 })
  for (const name of ['Webhooks', 'Profile']) {
    await page.getByRole('navigation', { name: 'Account' }).getByRole('link', { name }).click()
    await page.getByRole('heading', { name, level: 1 }).waitFor()
    await expect
      .poll(() => page.evaluate('document.documentElement.scrollWidth <= window.innerWidth'))
      .toBe(true)
    if (name === 'Webhooks')
      expect(
        await page.evaluate(
          `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector(
            'section[aria-label="Webhooks"]'))`,
        ),
      ).toBe(0)
  }
  expect(ofThePage(visitor.faults)).toEqual([])
}, 120_000)
