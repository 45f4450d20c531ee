import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { registerModel } from '../../gateway/test/kit/llm/llm-market.ts'
import { send } from '../../gateway/test/kit/network/http.ts'
import { type LlmTestProvider, startLlmProvider } from '../../gateway/test/kit/provider/llm-provider.ts'
import { startProvider, type TestProvider } from '../../gateway/test/kit/provider/provider.ts'
import { until } from '../../gateway/test/kit/until.ts'
import { newWallet, signIn } from '../../gateway/test/kit/world/wallets.ts'
import {
  arrive,
  balanceOf,
  deposit,
  mint,
  ownerWith,
  type Person,
  register,
} from '../../gateway/test/kit/world/world.ts'
import { expectAccessibleInBothThemes } from './kit/axe.ts'
import { type ConsoleFixture, openConsole, visitAs } from './kit/browser.ts'

const PRICE = '0.050000'
const REPLY = [
  '## The fare',
  '',
  'An **obol**, says `Charon`:',
  '',
  '- paid before',
  '- never after',
  '',
].join('\n')
const request = {
  type: 'object',
  required: ['city'],
  properties: {
    city: { type: 'string', title: 'City', minLength: 3, example: 'Lisbon' },
    days: { type: 'integer', title: 'Days', minimum: 1 },
    units: { type: 'string', title: 'Units', enum: ['metric', 'imperial'] },
  },
}

/** Browsers keep it from pages that came over plain HTTP from another machine. */
const OF_PLAIN_HTTP = 'delete Crypto.prototype.randomUUID'

let fixture: ConsoleFixture
let provider: TestProvider
let llm: LlmTestProvider
let owner: Person
let page: Page
let faults: readonly string[]

beforeAll(async () => {
  ;[fixture, provider, llm] = await Promise.all([openConsole(), startProvider(), startLlmProvider()])
  const seller = await arrive(fixture.on)
  await register(fixture.on, seller, {
    targets: [provider.url],
    priceUsdc: PRICE,
    invoke: { request: { body: request } },
    manifest: { serviceName: 'Weather now', agentToolName: 'weather' },
  })
  await register(fixture.on, seller, {
    targets: [`${llm.url}/v1/chat/completions`],
    priceUsdc: '1',
    manifest: {
      serviceName: 'Ferryman',
      agentToolName: 'ferryman',
      serviceKind: 'llm',
      pricing: undefined,
      inputPricePer1MTokensUsdc: '100',
      outputPricePer1MTokensUsdc: '400',
      llmDialect: 'openai',
      defaultMaxOutputTokens: 500,
    },
  })
  await register(fixture.on, seller, {
    targets: [`${llm.url}/v1/messages`],
    priceUsdc: '1',
    manifest: {
      serviceName: 'Oarsman',
      agentToolName: 'oarsman',
      serviceKind: 'llm',
      pricing: undefined,
      inputPricePer1MTokensUsdc: '3',
      outputPricePer1MTokensUsdc: '15',
      llmDialect: 'anthropic',
      defaultMaxOutputTokens: 500,
    },
  })
  await registerModel(fixture.on, seller, {
    url: `${llm.url}/v1/embeddings`,
    manifest: {
      serviceName: 'Vectors',
      agentToolName: 'vectors',
      llmDialect: 'openai',
      inputPricePer1MTokensUsdc: '100',
      outputPricePer1MTokensUsdc: '0',
    },
  })
  const account = newWallet()
  ;({ page, faults } = await fixture.visit('/playground', { account }))
  await page.addInitScript(OF_PLAIN_HTTP)
  await page.evaluate(OF_PLAIN_HTTP)
  owner = { account, token: await signIn(fixture.on.url, account) }
  await deposit(fixture.on, owner, '20')
}, 180_000)
afterAll(async () => {
  await fixture.stop()
  await Promise.all([provider.stop(), llm.stop()])
})

const chat = () => page.getByRole('region', { name: 'Chat with Ferryman' })
const turn = (number: number) =>
  chat().getByRole('list', { name: 'Conversation' }).locator('> li').nth(number)
const billed = (number: number) => turn(number).getByRole('button', { name: 'Receipt' }).waitFor()
const available = async () => (await balanceOf(fixture.on, owner)).available
const choose = async (name: string) => {
  await page.getByRole('button', { name: /^Service/ }).click()
  await page.getByRole('dialog').getByRole('button', { name }).click()
}

test('finds a service, mints a small credential with one click, calls, and replays for free', async () => {
  await page.getByRole('searchbox', { name: 'Search services' }).fill('weather')
  await page
    .getByRole('list', { name: 'Services' })
    .getByRole('button', { name: /Ferryman/ })
    .waitFor({ state: 'detached' })
  await page.getByRole('list', { name: 'Services' }).getByRole('button', { name: 'Weather now' }).click()
  await page.waitForURL('**/playground?service=weather')
  await page.getByRole('button', { name: 'Sign in and create one' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Test wallet' }).click()
  await page.getByRole('button', { name: 'Call for 0.05 USDC' }).waitFor()
  await expectAccessibleInBothThemes(page)

  // Validation messages of the gateway are shown beside their fields, and nothing is charged.
  await page.getByLabel('City').fill('Li')
  await page.getByRole('button', { name: 'Call for' }).click()
  await page.getByRole('alert').filter({ hasText: 'INVALID_PAYLOAD' }).waitFor()
  expect(await page.getByLabel('City').getAttribute('aria-invalid')).toBe('true')
  const before = await available()

  await page.getByLabel('City').fill('Porto')
  await page.getByRole('combobox', { name: 'Units' }).click()
  await page.getByRole('option', { name: 'metric', exact: true }).click()
  await page.getByRole('group', { name: 'Request format' }).getByRole('button', { name: 'JSON' }).click()
  const json = page.getByLabel('Arguments as JSON')
  expect(JSON.parse(await json.inputValue())).toMatchObject({ city: 'Porto', units: 'metric' })
  await json.fill('{"city": "Porto", "days": 2}')
  // A double click calls once, and the button keeps the focus.
  await page.getByRole('button', { name: 'Call for' }).dblclick()
  await page.getByRole('region', { name: 'Result' }).getByText('"number"').waitFor()
  expect(await page.evaluate('document.activeElement.textContent')).toMatch(/^Call for/)
  expect(JSON.parse(provider.calls.at(-1)?.body ?? '')).toEqual({ city: 'Porto', days: 2 })
  const receipt = page.getByRole('region', { name: 'Receipt' })
  await receipt.getByText('Charged').waitFor()
  expect(await receipt.getByTitle(`${PRICE} USDC`).count()).toBe(2)
  expect(before - (await available())).toBe(50_000n)

  const calls = provider.calls.length
  await page.getByRole('button', { name: 'Replay' }).click()
  await page.getByText('Replayed, not charged again').waitFor()
  await expectAccessibleInBothThemes(page)
  expect(provider.calls.length).toBe(calls)
  expect(before - (await available())).toBe(50_000n)

  // A price other than the live one is rejected, with an action to accept the new one.
  await page.getByLabel('Asserted price').fill('0.04')
  await page.getByRole('button', { name: 'Call for' }).click()
  await page.getByRole('alert').filter({ hasText: 'PRICE_MISMATCH' }).waitFor()
  await page.getByRole('button', { name: 'Accept the new price' }).click()
  await page.getByRole('button', { name: 'Call for 0.05 USDC' }).waitFor()
}, 180_000)

test('shows no notice that its own credential expires within a day', async () => {
  const { page } = await visitAs(fixture, '/app', owner.account)
  await page.getByRole('main').getByText('Weather now').first().waitFor()
  // The refused price of the test before is one.
  const notices = page.getByRole('region', { name: 'Notices' })
  await notices.getByText('refused today').waitFor()
  expect(await notices.getByText('expires').count()).toBe(0)
}, 60_000)

test('names the spending policy that a new credential would exceed', async () => {
  const { account, token } = await ownerWith(fixture.on, '1')
  const body = { spendingLimitUsdc: '0.1' }
  const path = '/api/v1/balance/spending-limit'
  expect((await send(fixture.on.url, path, { method: 'PUT', token, body })).status).toBe(200)
  const { page } = await visitAs(fixture, '/playground?service=weather', account)
  await page.getByRole('button', { name: 'Create one' }).click()
  const refused = page
    .getByRole('alert')
    .filter({ hasText: 'Your spending policy allows at most 0.10 USDC.' })
  await refused.getByRole('link', { name: 'Change the policy' }).click()
  await page.getByRole('heading', { level: 1, name: 'Spending policy' }).waitFor()
}, 60_000)

test('streams a chat with its hold, a running estimate and the final charge', async () => {
  await choose('Ferryman')
  llm.bend({ reply: REPLY, stallAfterEvents: 8 })
  const before = await available()
  await chat().getByLabel('Message').fill('What is the fare?')
  await chat()
    .getByText(/About .* will be held/)
    .waitFor()
  await chat().getByLabel('Message').press('Enter')
  await turn(0).getByText('Held').waitFor()
  await turn(0).getByText('About').waitFor()
  await turn(0).getByText('The fare', { exact: true }).waitFor()
  expect((await balanceOf(fixture.on, owner)).held).toBeGreaterThan(0n)

  llm.release()
  await billed(0)
  // Light Markdown becomes elements.
  await turn(0).locator('strong', { hasText: 'obol' }).waitFor()
  await turn(0).locator('code', { hasText: 'Charon' }).waitFor()
  expect(await turn(0).locator('ul > li').count()).toBe(2)
  await turn(0).getByRole('button', { name: 'Receipt' }).click()
  await turn(0).getByRole('region', { name: 'Receipt' }).getByText('Released').waitFor()
  const { tokens } = llm.call()
  const cost = BigInt(tokens?.input ?? 0) * 100n + BigInt(tokens?.output ?? 0) * 400n
  expect(before - (await available())).toBe(cost)
  await expectAccessibleInBothThemes(page)

  // The next turn includes the previous one and the parameters.
  llm.bend({ reply: 'Nobody does.' })
  await page.getByLabel('System prompt').fill('Be short.')
  await page.getByLabel('Maximum output tokens').fill('64')
  await chat().getByLabel('Message').fill('Who pays it?')
  await chat().getByRole('button', { name: 'Send' }).click()
  await turn(1).getByText('Nobody does.').waitFor()
  await billed(1)
  expect(llm.call().body).toMatchObject({
    max_tokens: 64,
    messages: [
      { role: 'system', content: 'Be short.' },
      { role: 'user', content: 'What is the fare?' },
      { role: 'assistant', content: REPLY },
      { role: 'user', content: 'Who pays it?' },
    ],
  })
}, 180_000)

test('stops a stream, charges all that the model used, and loses nothing on a reload', async () => {
  llm.bend({ reply: 'one two three four five six seven eight nine ten eleven twelve', stallAfterEvents: 4 })
  const before = await available()
  await chat().getByLabel('Message').fill('Count.')
  await chat().getByLabel('Message').press('Enter')
  await turn(2).getByText('About').waitFor()
  await chat().getByText('Stopping does not reduce the cost').waitFor()
  await chat().getByRole('button', { name: 'Stop' }).click()
  await turn(2).getByText('Settling').waitFor()
  // The page is left before the bill arrives.
  await page.reload()
  await turn(2).getByText('Its charge is pending').waitFor()
  llm.release()
  await turn(2).getByText('so its full output is charged').waitFor()
  await billed(2)
  const { tokens } = llm.call()
  const cost = BigInt(tokens?.input ?? 0) * 100n + BigInt(tokens?.output ?? 0) * 400n
  expect(before - (await available())).toBe(cost)
  expect((await balanceOf(fixture.on, owner)).held).toBe(0n)
  expect(await turn(0).locator('strong', { hasText: 'obol' }).count()).toBe(1)
}, 120_000)

test('calls a model of the Anthropic dialect through its own API', async () => {
  await choose('Oarsman')
  const other = page.getByRole('region', { name: 'Chat with Oarsman' })
  llm.bend({ reply: 'I row.' })
  await page.getByLabel('System prompt').fill('Be short.')
  await other.getByLabel('Message').fill('What do you do?')
  await other.getByLabel('Message').press('Enter')
  await other.getByText('I row.').waitFor()
  await other.getByRole('button', { name: 'Receipt' }).waitFor()
  expect(llm.call().body).toMatchObject({
    system: 'Be short.',
    max_tokens: 500,
    messages: [{ role: 'user', content: 'What do you do?' }],
  })
  await choose('Ferryman')
}, 60_000)

test('calls a model of embeddings by its input, and shows the vector and the charge', async () => {
  await choose('Vectors')
  await page.getByLabel('Input').fill('An obol')
  const before = await available()
  await page.getByRole('button', { name: 'Call', exact: true }).click()
  await page.getByRole('region', { name: 'Result' }).getByText('embedding').first().waitFor()
  await page.getByRole('region', { name: 'Receipt' }).getByText('Charged').waitFor()
  expect(llm.call().body).toMatchObject({ input: 'An obol' })
  expect(before - (await available())).toBe(BigInt(llm.call().tokens?.input ?? 0) * 100n)
  await choose('Ferryman')
}, 60_000)

test('gives advice for an exhausted budget, a rate limit and an invalid token', async () => {
  const tight = await mint(fixture.on, owner, { creditLimit: '0.01' })
  const slow = await mint(fixture.on, owner, { rpm: 1 })
  const use = async (token: string) => {
    await page.getByRole('button', { name: /^Credential/ }).click()
    await page.getByLabel('Paste an existing token').fill(token)
    await page.getByRole('button', { name: 'Use token' }).click()
  }
  await use('agt_short')
  await page.getByRole('alert').filter({ hasText: 'A token starts with agt_' }).waitFor()
  await page.keyboard.press('Escape')

  await use(tight.token)
  await chat().getByLabel('Message').fill('Once more?')
  await chat().getByLabel('Message').press('Enter')
  const refused = turn(3).getByRole('alert').filter({ hasText: 'BUDGET_EXHAUSTED' })
  await refused.getByText(/0.01 USDC is left, and this call needs a hold of /).waitFor()
  await refused.getByRole('link', { name: 'Credentials' }).waitFor()
  await expectAccessibleInBothThemes(page)

  // With another credential the same question succeeds.
  await use(slow.token)
  llm.bend({ reply: 'Yes.' })
  await refused.getByRole('button', { name: 'Ask again' }).click()
  await billed(3)
  await chat().getByLabel('Message').fill('And again?')
  await chat().getByLabel('Message').press('Enter')
  const limited = turn(4).getByRole('alert').filter({ hasText: 'RATE_LIMITED' })
  await limited.getByRole('button', { name: /Try again in \d+ s/ }).waitFor()

  // A model that never reports usage: the hold stays, and the page says so.
  await use((await mint(fixture.on, owner)).token)
  llm.bend({ reply: 'Well.', usage: { replaceBy: undefined } })
  await limited.getByRole('button', { name: 'Ask again' }).click()
  await turn(4).getByText('The hold remains until the provider reports it').waitFor()
  await until('a hold', async () => (await balanceOf(fixture.on, owner)).held > 0n)
  await page.setViewportSize({ width: 360, height: 740 })
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
  expect(faults.filter(fault => !/status of 4\d\d|ERR_ABORTED/.test(fault))).toEqual([])
}, 180_000)
