import { afterAll, beforeAll, expect, test } from 'vitest'
import { send } from '../../gateway/test/kit/network/http.ts'
import { startProvider, type TestProvider } from '../../gateway/test/kit/provider/provider.ts'
import { newWallet, signIn } from '../../gateway/test/kit/world/wallets.ts'
import { register } from '../../gateway/test/kit/world/world.ts'
import { expectAccessible, expectAccessibleInBothThemes } from './kit/axe.ts'
import { type ConsoleFixture, ofThePage, openConsole, visitAs } from './kit/browser.ts'

let fixture: ConsoleFixture
let server: TestProvider
beforeAll(async () => {
  ;[fixture, server] = await Promise.all([openConsole(), startProvider()])
}, 180_000)
afterAll(async () => {
  await fixture.stop()
  await server.stop()
})

test('shows a signing secret once, rotates it, and deletes it when no service uses it', async () => {
  const account = newWallet()
  const person = { account, token: await signIn(fixture.on.url, account) }
  const serviceId = await register(fixture.on, person, { targets: [server.url], priceUsdc: '0.01' })
  const signatureOf = async () => {
    const sent = { token: person.token }
    const { body } = await send<{ service: { signature: string } }>(
      fixture.on.url,
      `/api/v1/services/${serviceId}`,
      sent,
    )
    return body.service.signature
  }
  const { page, faults } = await visitAs(fixture, `/provider/${serviceId}`, account)
  const dialog = page.getByRole('dialog')
  const places = (name: string) =>
    page.getByRole('navigation', { name: 'Provider' }).getByRole('link', { name }).click()
  const chooseAlgorithm = async (name: string) => {
    await page.getByRole('tab', { name: 'Settings' }).click()
    await page.getByRole('combobox', { name: 'Calls are signed by' }).click()
    await page.getByRole('option', { name }).click()
    await page.getByRole('button', { name: 'Save' }).click()
  }

  await chooseAlgorithm('HMAC-SHA256')
  await page.getByText('The wallet has no signing secret.').waitFor()
  expect(await signatureOf()).toBe('ed25519')

  await places('Secrets')
  await dialog.getByRole('button', { name: 'Discard changes' }).click()
  await page.getByRole('button', { name: 'Create signing secret' }).click()
  await dialog
    .locator('code', { hasText: /^sigsec_/ })
    .first()
    .waitFor()
  await expectAccessibleInBothThemes(page)
  await dialog.getByRole('button', { name: 'I have saved it' }).click()
  await page.getByText('Active since').waitFor()
  expect(await page.content()).not.toContain('sigsec_')

  await page.goto(`${fixture.on.url}/provider/${serviceId}`)
  await chooseAlgorithm('HMAC-SHA256')
  await page.getByText('Saved.').waitFor()
  await page.getByText('No changes.').waitFor()
  expect(await signatureOf()).toBe('hmac-sha256')
  await expectAccessible(page)

  await places('Secrets')
  await page.getByRole('button', { name: 'Delete' }).click()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await dialog.getByText('are signed with this secret').waitFor()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  const rotate = async (overlap: string) => {
    await page.getByRole('button', { name: 'Rotate' }).click()
    await dialog.getByRole('combobox', { name: 'Current signing secret' }).click()
    await page.getByRole('option', { name: overlap }).click()
    await dialog.getByRole('button', { name: 'Rotate' }).click()
    await dialog
      .locator('code', { hasText: /^sigsec_/ })
      .first()
      .waitFor()
    await dialog.getByRole('button', { name: 'I have saved it' }).click()
  }
  await rotate('Works for 1 more hour')
  await page.getByText('Active from').waitFor()
  await expectAccessibleInBothThemes(page)
  // After a theft, the new secret signs at once.
  const secretsOf = async () => {
    const sent = { token: person.token }
    const { body } = await send<{ signingSecret: { keyId: string }; next: { signsFrom: string } | null }>(
      fixture.on.url,
      '/api/v1/secrets/signing',
      sent,
    )
    return body
  }
  const { signingSecret: stolen, next: late } = await secretsOf()
  expect(Date.parse(late?.signsFrom ?? '') - Date.now()).toBeLessThanOrEqual(3_600_000)
  await rotate('Stops working immediately')
  await expect.poll(() => page.getByText('Active from').count()).toBe(0)
  const { signingSecret: current, next } = await secretsOf()
  expect([current.keyId === stolen.keyId, next]).toEqual([false, null])

  await page.goto(`${fixture.on.url}/provider/${serviceId}`)
  await chooseAlgorithm('Ed25519')
  await page.getByText('Saved.').waitFor()
  await places('Secrets')
  await page.getByRole('button', { name: 'Delete' }).click()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Create signing secret' }).waitFor()
  expect(ofThePage(faults)).toEqual([])
}, 180_000)
