import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startProvider, type TestProvider } from '../../gateway/test/kit/provider/provider.ts'
import { newWallet, signIn } from '../../gateway/test/kit/world/wallets.ts'
import { invoke, mint, ownerWith, register as registerService } from '../../gateway/test/kit/world/world.ts'
import { expectAccessible, expectAccessibleInBothThemes } from './kit/axe.ts'
import { type ConsoleFixture, ofThePage, openConsole, visitAs } from './kit/browser.ts'

let fixture: ConsoleFixture
let provider: TestProvider
let page: Page
let faults: readonly string[]

beforeAll(async () => {
  ;[fixture, provider] = await Promise.all([
    openConsole({ env: { PLATFORM_FEE_BPS: '250' } }),
    startProvider(),
  ])
  ;({ page, faults } = await visitAs(fixture, '/provider', newWallet()))
}, 180_000)
afterAll(async () => {
  await fixture.stop()
  await provider.stop()
})

const main = () => page.getByRole('main')
const alert = (text: string | RegExp) => page.getByRole('alert').filter({ hasText: text })
const places = (name: string) =>
  page.getByRole('navigation', { name: 'Provider' }).getByRole('link', { name }).click()
const register = () => page.getByRole('button', { name: 'Register service' }).click()
const next = () => page.getByRole('button', { name: 'Continue', exact: true }).click()
const step = (name: string) => page.getByRole('navigation', { name: 'Steps' }).getByRole('button', { name })
const focused = (label: string) =>
  page.getByLabel(label, { exact: true }).and(page.locator(':focus')).waitFor()
/** Returns what this page has loaded since it was opened, by a pattern of the URL. */
const loaded = async (pattern: RegExp) => {
  const urls = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name))
  return urls.filter(url => pattern.test(url))
}
const answered = () => page.getByRole('list', { name: 'Responses of the targets' })

/** Opens the page for a new service in one of its modes. */
async function begin(way: 'Form' | 'curl command' | 'JSON manifest'): Promise<void> {
  await places('Services')
  await page.getByRole('link', { name: 'Register a service' }).click()
  await page.getByRole('tab', { name: way }).click()
}

test('registers a service step by step, with issues beside their fields, and tests the targets', async () => {
  await page
    .getByRole('list', { name: 'First steps' })
    .getByRole('link', { name: 'Fill in the form' })
    .waitFor()
  await expectAccessibleInBothThemes(page)
  await page
    .getByRole('list', { name: 'First steps' })
    .getByRole('link', { name: 'Fill in the form' })
    .click()

  // A step stays open until its fields are right, and names their errors only then.
  await page.getByLabel('Name', { exact: true }).waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
  // The code that checks the fields is large, so it loads only when there is something to check.
  expect(await loaded(/find-issues/)).toEqual([])
  await next()
  await alert('Enter a name').waitFor()
  expect(await loaded(/find-issues/)).toHaveLength(1)
  await page.goto('/provider/new?step=review')
  await register()
  await alert('Enter a name').waitFor()
  await focused('Name')
  await page.getByLabel('Name', { exact: true }).fill('Weather now')
  await page.getByLabel('Tool name').fill('Weather Now')
  await alert('Must be 1 to 64 characters of a-z').waitFor()
  await next()
  await step('What it is, has errors').waitFor()
  await page.getByLabel('Tool name').fill('weather-now')
  await page.getByLabel('Summary').fill('Tells the weather of any city.')
  await page.getByLabel('Tags').fill('weather, forecast')
  await expectAccessibleInBothThemes(page)
  await next()

  await next()
  await alert('Enter the URL of your API').waitFor()
  await page.getByLabel('URL of target 1').fill(provider.url)
  await page.getByRole('button', { name: 'Add target' }).click()
  await page.getByLabel('URL of target 2').fill(`${provider.url}second`)
  await page.getByLabel('Weight').nth(1).fill('3')
  await page.getByText('75% of calls').waitFor()
  await expectAccessibleInBothThemes(page)
  await next()

  await next()
  await alert('Enter a price').waitFor()
  await page.getByLabel('Price of a call').fill('0.0000001')
  await alert('decimals').waitFor()
  await page.getByLabel('Price of a call').fill('0.05')
  // The fee of this gateway is 2.5 %, rounded down to a micro-dollar.
  await page.getByRole('region', { name: 'You earn' }).getByText('0.04875').waitFor()
  await next()

  await page.getByRole('button', { name: 'Add header' }).click()
  await page.getByLabel('Header', { exact: true }).fill('x-api-key')
  await page.getByLabel('Value').fill('hush')
  await page.getByRole('button', { name: 'Back', exact: true }).click()
  expect(await page.getByLabel('Price of a call').inputValue()).toBe('0.05')
  await step('Secrets and signature').click()
  expect(await page.getByLabel('Value').inputValue()).toBe('hush')
  await next()

  await page.getByText('Ready to register').waitFor()
  await step('Price, complete').waitFor()
  await main().getByText(`${provider.url}second`).waitFor()
  await expectAccessibleInBothThemes(page)

  // All modes share one draft, which survives a reload with its step.
  await page.reload()
  await page.getByText('Ready to register').waitFor()
  await page.getByRole('tab', { name: 'JSON manifest' }).click()
  await expect
    .poll(() => page.getByRole('textbox', { name: 'JSON' }).inputValue())
    .toContain('"amount": "0.05"')
  await page.getByRole('tab', { name: 'Form' }).click()
  await expect.poll(() => page.getByLabel('Name', { exact: true }).inputValue()).toBe('Weather now')
  await step('Review').click()
  await register()

  await page.getByRole('heading', { name: 'Weather now' }).waitFor()
  await answered().getByText('HTTP 200').first().waitFor()
  await page.getByText('Agents can find and call it.').waitFor()
  await page.getByRole('link', { name: 'Call it yourself' }).waitFor()
  await page.getByRole('table', { name: 'Targets' }).getByText('75%').waitFor()
  await expectAccessibleInBothThemes(page)
}, 180_000)

test('registers a service by curl command and by JSON manifest', async () => {
  await begin('curl command')
  await page
    .getByRole('textbox', { name: 'curl command' })
    .fill(`curl ${provider.url}v1/rates -H 'X-Api-Key: 3f9c' --json '{"currency":"EUR"}'`)
  await page.getByRole('button', { name: 'Parse command' }).click()
  await page.getByRole('heading', { name: 'Parsed command' }).waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Continue in the form' }).click()
  expect(await page.getByLabel('URL of target 1').inputValue()).toBe(`${provider.url}v1/rates`)
  await expect.poll(() => page.getByLabel('Request body').inputValue()).toContain('currency')
  await page.getByLabel('Name', { exact: true }).fill('Rates')
  await page.getByLabel('Tool name').fill('weather-now')
  // The review names what is missing, and leads to the first step that lacks something.
  await step('Review').click()
  await page.getByText('One field to complete').waitFor()
  await register()
  await alert('Enter a price').waitFor()
  await page.getByLabel('Price of a call').fill('0.01')
  await step('Review').click()
  // The gateway reports a taken name, beside the field.
  await register()
  await alert('This name is taken').waitFor()
  await focused('Tool name')
  await page.getByLabel('Tool name').fill('rates')
  await alert('This name is taken').waitFor({ state: 'detached' })
  await step('Review').click()
  await register()
  await page.getByRole('heading', { name: 'Rates' }).waitFor()

  await begin('JSON manifest')
  const json = page.getByRole('textbox', { name: 'JSON' })
  await json.fill('{ "serviceName": ')
  await alert('This is not valid JSON').waitFor()
  const manifest = {
    serviceName: 'Small model',
    agentToolName: 'small-model',
    serviceKind: 'llm',
    priceModel: 'token_metered',
    inputPricePer1MTokensUsdc: '0.50',
    invoke: { targets: [{ url: provider.url }] },
  }
  await json.fill(JSON.stringify(manifest, null, 2))
  await page.getByRole('list', { name: 'Errors' }).getByText('outputPricePer1MTokensUsdc').waitFor()
  await expectAccessible(page)
  // Starting over clears the errors, too.
  await page.getByRole('tab', { name: 'Form' }).click()
  await step('Review').click()
  await register()
  await alert('Enter a price').waitFor()
  await page.getByRole('button', { name: 'Start over' }).click()
  await expect.poll(() => page.getByLabel('Name', { exact: true }).inputValue()).toBe('')
  expect(await page.getByRole('alert').count()).toBe(0)
  await step('Price').click()
  await page.getByLabel('Price of a call').waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
  await page.getByRole('tab', { name: 'JSON manifest' }).click()
  const whole = JSON.stringify({ ...manifest, outputPricePer1MTokensUsdc: '1.50' })
  await json.fill(whole)
  await page.getByText('Ready to register').waitFor()
  await json.fill(whole.slice(1))
  await page.getByText('One field to complete').waitFor()
  await json.fill(whole)
  await register()
  await page.getByRole('heading', { name: 'Small model' }).waitFor()
  await page.getByText('A million output tokens').waitFor()
  const cachePrice = (name: string) => main().getByText(`A million cache ${name}`).locator('..')
  await cachePrice('writes').getByText('as input').waitFor()
  for (const [typed, shown] of [
    ['.05', '0.05'],
    ['', 'as input'],
  ] as const) {
    await main().getByRole('button', { name: 'Change price' }).click()
    await page.getByRole('dialog').getByLabel('A million cache reads').fill(typed)
    await page.getByRole('dialog').getByRole('button', { name: 'Set price' }).click()
    await cachePrice('reads').getByText(shown).waitFor()
  }
  await places('Services')
  for (const name of ['Weather now', 'Rates', 'Small model'])
    await page.getByRole('table', { name: 'Services' }).getByRole('link', { name }).waitFor()
  await expectAccessibleInBothThemes(page)

  // A narrow screen has no room for the ratings, which are a request for each service.
  const asked = /\/market\/services\/svc_/
  await expect.poll(() => loaded(asked)).not.toEqual([])
  await page.setViewportSize({ width: 360, height: 800 })
  await page.reload()
  await page.getByRole('table', { name: 'Services' }).getByRole('link', { name: 'Rates' }).waitFor()
  expect(await loaded(asked)).toEqual([])
  await page.setViewportSize({ width: 1_280, height: 800 })
}, 180_000)

test('applies a changed price at once, and refuses callers with the old one', async () => {
  await page.getByRole('table', { name: 'Services' }).getByRole('link', { name: 'Weather now' }).click()
  await main().getByRole('button', { name: 'Change price' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('PRICE_MISMATCH').waitFor()
  await dialog.getByLabel('Price of a call').fill('20,000.00')
  await dialog.getByRole('button', { name: 'Set price' }).click()
  await alert('Must be 0 to 10000 USDC').waitFor()
  await dialog.getByLabel('Price of a call').fill('.07')
  await dialog.getByRole('button', { name: 'Set price' }).click()
  await main().getByText('0.07').waitFor()
  const credential = await mint(fixture.on, await ownerWith(fixture.on, '5'))
  const call = { serviceId: 'weather-now', payload: { body: {} } }
  const refused = await invoke(fixture.on, credential, { ...call, costUsdc: '0.05' })
  expect(refused.body).toMatchObject({ code: 'PRICE_MISMATCH', detail: { currentPriceUsdc: '0.070000' } })
  expect(await invoke(fixture.on, credential, { ...call, costUsdc: '0.07' })).toMatchObject({ status: 200 })
  await page.getByText('Paid calls').locator('..').getByText('1', { exact: true }).waitFor()
  expect(provider.calls[0]?.headers['x-api-key']).toBe('hush')
}, 120_000)

test('previews a changed price as callers will see it', async () => {
  const dialog = page.getByRole('dialog')
  const preview = dialog.getByRole('region', { name: 'Preview for callers' })
  await main().getByRole('button', { name: 'Change price' }).click()
  // The notice of the last raise, from 0.05 to 0.07, still runs.
  const until = String.raw`/ callMCP calls, which assert no price, cost 0\.05USDC until .* [AP]M\.`
  for (const [typed, ending] of [
    ['0.09', `${until}The notice period starts when you save`],
    ['0.06', `${until}The current notice period continues`],
    ['0.05', '/ callTakes effect immediately for every caller'],
  ] as const) {
    await dialog.getByLabel('Price of a call').fill(typed)
    await expect.poll(() => preview.textContent()).toMatch(new RegExp(`${typed}USDC ${ending}\\.$`))
  }
  await dialog.getByLabel('Price of a call').fill('0.07')
  await preview.waitFor({ state: 'detached' })
  await page.keyboard.press('Escape')

  await places('Services')
  await page.getByRole('table', { name: 'Services' }).getByRole('link', { name: 'Small model' }).click()
  await main().getByRole('button', { name: 'Change price' }).click()
  await dialog.getByLabel('A million output tokens').fill('3')
  await dialog.getByLabel('A million cache reads').fill('0.05')
  await preview.waitFor()
  await expectAccessibleInBothThemes(page)
  const withoutTime = (text: string | null) =>
    (text ?? '').replaceAll(/From [^:]*:\d\d:\d\d [AP]M/g, 'From then')
  const foreseen = withoutTime(await preview.textContent())
  expect(foreseen).toContain('1.50USDC / 1M out0.05USDC / 1M cache readFrom then: ')
  expect(foreseen).toContain('3.00USDC / 1M out.')
  await dialog.getByRole('button', { name: 'Set price' }).click()
  await main().getByText('From').first().waitFor()
  const { page: callers } = await fixture.visit('/services/small-model')
  const card = callers.getByRole('heading', { name: 'Price' }).locator('xpath=ancestor::section')
  await card.getByText('From').waitFor()
  const shown = withoutTime(await card.textContent())
  const [, terms = 'none'] = /Preview for callers(.*)The notice period starts/.exec(foreseen) ?? []
  expect(shown).toContain(terms)
  await places('Services')
  await page.getByRole('table', { name: 'Services' }).getByRole('link', { name: 'Weather now' }).click()
  await main().getByRole('button', { name: 'Change price' }).waitFor()
}, 120_000)

test('changes what callers read of a model: its description, inputs, family and context', async () => {
  await places('Services')
  await page.getByRole('table', { name: 'Services' }).getByRole('link', { name: 'Small model' }).click()
  await page.getByRole('tab', { name: 'Settings' }).click()
  const inputs = page.getByRole('group', { name: 'Accepted input' })
  for (const name of ['Images', 'Files', 'Text', 'Files']) await inputs.getByLabel(name).click()
  await page.getByLabel('Description').fill('Answers short questions.')
  await page.getByLabel('Model family').fill('small-8b')
  await page.getByLabel('Context window of the model').fill('128000')
  await expectAccessibleInBothThemes(page)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('No changes.').waitFor()
  const { page: callers } = await fixture.visit('/services/small-model')
  const fact = (name: string) => callers.getByText(name, { exact: true }).locator('..').textContent()
  await expect.poll(() => fact('Input')).toBe('Inputtext, image')
  expect(await fact('Family')).toBe('Familysmall-8b')
  // A larger hold is announced first.
  expect(await page.getByLabel('Context window of the model').inputValue()).toBe('128000')
  await callers.getByText('Answers short questions.').waitFor()
  await places('Services')
  await page.getByRole('table', { name: 'Services' }).getByRole('link', { name: 'Weather now' }).click()
  await main().getByRole('button', { name: 'Change price' }).waitFor()
}, 120_000)

test('changes a service, switches it off, and deletes it after its name was typed', async () => {
  await page.getByRole('tab', { name: 'Settings' }).click()
  await page.getByLabel('Name', { exact: true }).fill('')
  await alert('Enter a name').waitFor()
  await page.getByLabel('Name', { exact: true }).fill('Weather today')
  await page.getByRole('button', { name: 'Remove target 2' }).click()
  await expectAccessibleInBothThemes(page)
  const leaving = page.getByRole('dialog', { name: 'Discard your changes?' })
  const leave = [
    () => page.getByRole('tab', { name: 'Overview' }).click(),
    () => places('Traffic'),
    () => page.goBack(),
  ]
  for (const go of leave) {
    await go()
    await leaving.getByRole('button', { name: 'Cancel' }).click()
    await leaving.waitFor({ state: 'detached' })
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Weather today')
  }
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Weather today' }).waitFor()
  await page.getByText('No changes.').waitFor()

  await page.getByLabel('Summary').fill('Never saved.')
  await page.getByRole('tab', { name: 'Overview' }).click()
  await leaving.getByRole('button', { name: 'Discard changes' }).click()
  await page.getByRole('tab', { name: 'Settings' }).click()
  await page.getByText('No changes.').waitFor()
  expect(await page.getByLabel('Summary').inputValue()).not.toBe('Never saved.')
  await page.getByRole('tab', { name: 'Overview' }).click()
  const targets = page.getByRole('table', { name: 'Targets' })
  await targets.getByText('Healthy').waitFor()
  await fixture.on.sql(`update service_targets set last_probed_at = null, is_healthy = false`)
  await targets.getByText('Testing').waitFor()
  await page.getByRole('button', { name: 'Switch off' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Switch off' }).click()
  await page.getByRole('button', { name: 'Switch on' }).waitFor()
  await targets.getByText('Not probed').waitFor()
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Delete permanently' }).click()
  await alert('The tool name does not match').waitFor()
  await dialog.getByLabel('Type weather-now to confirm').fill('weather-now')
  await dialog.getByRole('button', { name: 'Delete permanently' }).click()
  await page.getByRole('heading', { name: 'Services' }).waitFor()
  await page.getByRole('link', { name: 'Weather today' }).waitFor({ state: 'detached' })
  expect(ofThePage(faults)).toEqual([])
}, 120_000)

test('lists services that need attention first, each with what is wrong', async () => {
  const account = newWallet()
  const { on } = fixture
  const person = { account, token: await signIn(on.url, account) }
  const gone = await startProvider()
  const offer = (agentToolName: string, target = provider) =>
    registerService(on, person, {
      targets: [target.url],
      priceUsdc: '0.05',
      manifest: { agentToolName, serviceName: `Service ${agentToolName}` },
    })
  const [barred, down] = [await offer('barred'), await offer('down', gone)]
  await gone.stop()
  await offer('first-well')
  await offer('last-well')
  await on.sql(`update services set suspended_at = now(), suspension_reason = 'Returns ads.' where id = $1`, [
    barred,
  ])
  // As the probes will find it.
  await on.sql('update service_targets set is_healthy = false where service_id = $1', [down])
  const other = await visitAs(fixture, '/provider', account)
  const rows = other.page.getByRole('table', { name: 'Services' }).getByRole('row')
  await expect
    .poll(() => rows.allTextContents())
    .toEqual([
      expect.stringMatching(/^Service/),
      expect.stringMatching(/^Service down.*Down.*No target responds/),
      expect.stringMatching(/^Service barred.*Suspended by the operator of this gateway: “Returns ads.”/),
      expect.stringMatching(/^Service last-well/),
      expect.stringMatching(/^Service first-well/),
    ])
  await expectAccessibleInBothThemes(other.page)
}, 60_000)
