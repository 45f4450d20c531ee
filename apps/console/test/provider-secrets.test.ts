import { afterAll, beforeAll, expect, test } from 'vitest'
import { registerModel } from '../../gateway/test/kit/llm/llm-market.ts'
import { type LlmTestProvider, startLlmProvider } from '../../gateway/test/kit/provider/llm-provider.ts'
import { newWallet, signIn } from '../../gateway/test/kit/world/wallets.ts'
import { invoke, mint, ownerWith } from '../../gateway/test/kit/world/world.ts'
import { expectAccessible, expectAccessibleInBothThemes } from './kit/axe.ts'
import { type ConsoleFixture, ofThePage, openConsole, visitAs } from './kit/browser.ts'

let fixture: ConsoleFixture
let model: LlmTestProvider
beforeAll(async () => {
  ;[fixture, model] = await Promise.all([openConsole(), startLlmProvider()])
}, 180_000)
afterAll(async () => {
  await fixture.stop()
  await model.stop()
})

test('shows a secret once, reports the usage of a waiting call with it, and revokes it', async () => {
  const account = newWallet()
  const { page, faults } = await visitAs(fixture, '/provider/secrets', account)
  const places = (name: string) =>
    page.getByRole('navigation', { name: 'Provider' }).getByRole('link', { name }).click()
  const alert = (text: string | RegExp) => page.getByRole('alert').filter({ hasText: text })
  const dialog = page.getByRole('dialog')

  await page.getByText('No secrets yet').waitFor()
  await page.getByRole('button', { name: 'New secret' }).click()
  await dialog.getByRole('button', { name: 'Create secret' }).click()
  await alert('Enter a name').waitFor()
  await dialog.getByLabel('Name').fill('model servers')
  await dialog.getByLabel('Maximum charged by late reports').fill('5')
  await expectAccessibleInBothThemes(page)
  await dialog.getByRole('button', { name: 'Create secret' }).click()
  await dialog.locator('code', { hasText: /^psk_/ }).first().waitFor()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'I have saved it' }).click()
  const secrets = page.getByRole('table', { name: 'Provider secrets' })
  await secrets.getByText('of 5.00 per day').waitFor()
  await page.getByRole('table', { name: 'Audit log' }).getByText('Created').first().waitFor()
  await expectAccessibleInBothThemes(page)

  // A call whose stream ended without usage.
  const person = { account, token: await signIn(fixture.on.url, account) }
  const serviceId = await registerModel(fixture.on, person, { url: `${model.url}/v1/chat/completions` })
  model.bend({ usage: { replaceBy: undefined } })
  const credential = await mint(fixture.on, await ownerWith(fixture.on, '5'))
  const messages = [{ role: 'user', content: 'Who pays the ferryman?' }]
  const payload = { body: { model: 'any', max_tokens: 64, messages } }
  const answer = await invoke(fixture.on, credential, { serviceId, payload })
  expect(answer).toMatchObject({ status: 502, body: { detail: { status: 'PROCESSING' } } })

  await places('Late usage')
  const waiting = page.getByRole('table', { name: 'Calls waiting for usage' })
  await waiting.getByText('Test model').waitFor()
  await page.reload()
  await expectAccessibleInBothThemes(page)
  await waiting.getByRole('button', { name: 'Report usage' }).click()
  await dialog.getByLabel('Input tokens').fill('twelve')
  await dialog.getByRole('button', { name: 'Report', exact: true }).click()
  await alert('Enter a whole number of tokens').first().waitFor()
  await dialog.getByLabel('Input tokens').fill('12')
  await dialog.getByLabel('Output tokens').fill('20')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Report', exact: true }).click()
  await page.getByText('No calls are waiting').waitFor()
  const calls = page.getByRole('table', { name: 'Recent calls' })
  await calls.getByText('Paid').waitFor()
  await calls.getByText('12, 20').waitFor()
  await expectAccessibleInBothThemes(page)

  await places('Secrets')
  await secrets.getByRole('button', { name: 'Revoke model servers' }).click()
  await dialog.getByRole('button', { name: 'Revoke secret' }).click()
  await page.getByRole('table', { name: 'Audit log' }).getByText('Revoked').waitFor()
  await places('Late usage')
  await alert('This secret was rejected').waitFor()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('button', { name: 'Create one for this tab' }).click()
  await page.getByText('No calls are waiting').waitFor()
  expect(ofThePage(faults)).toEqual([])
  await fixture.on.assertBooks()
}, 180_000)
