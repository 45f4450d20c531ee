import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startProvider, type TestProvider } from '../../gateway/test/kit/provider/provider.ts'
import { newWallet, signIn } from '../../gateway/test/kit/world/wallets.ts'
import { deposit, mint } from '../../gateway/test/kit/world/world.ts'
import { expectAccessibleInBothThemes } from './kit/axe.ts'
import { type ConsoleFixture, ofThePage, openConsole, visitAs } from './kit/browser.ts'

let fixture: ConsoleFixture
let provider: TestProvider
let page: Page
let token: string
let faults: readonly string[]

beforeAll(async () => {
  ;[fixture, provider] = await Promise.all([openConsole(), startProvider()])
  const account = newWallet()
  ;({ page, faults } = await visitAs(fixture, '/provider/new?by=openapi', account))
  const owner = { account, token: await signIn(fixture.on.url, account) }
  await deposit(fixture.on, owner, '5')
  token = (await mint(fixture.on, owner)).token
}, 180_000)
afterAll(async () => {
  await fixture.stop()
  await provider.stop()
})

const documentAt = (server: string) => `
openapi: 3.1.0
info: { title: Photo store, version: "1" }
servers: [{ url: "${server}" }]
paths:
  /albums/{album}/photos:
    post:
      operationId: addPhoto
      summary: Adds a photo
      parameters:
        - { name: album, in: path, required: true, schema: { type: string } }
        - { name: tags, in: query, schema: { type: array, items: { type: string } } }
      requestBody:
        required: true
        content:
          multipart/form-data:
            schema:
              type: object
              required: [photo]
              properties: { photo: { type: string, format: binary }, title: { type: string } }
  /raw:
    put: { requestBody: { required: true, content: { image/png: {} } } }
`

const openStep = (name: string) =>
  page.getByRole('navigation', { name: 'Steps' }).getByRole('button', { name }).click()

test('drafts a service from an OpenAPI document, registers it and tries it with a file', async () => {
  await page.getByLabel('OpenAPI document').fill('openapi: 2')
  await page.getByRole('button', { name: 'Parse document' }).click()
  await page.getByRole('alert').filter({ hasText: 'Must be OpenAPI 3.0 or 3.1' }).waitFor()
  const file = {
    name: 'photos.yaml',
    mimeType: 'text/yaml',
    buffer: Buffer.from(documentAt(`${provider.url}v2`)),
  }
  await page.getByLabel('Or upload a file').setInputFiles(file)
  await page.getByRole('button', { name: 'Parse document' }).click()
  const operations = page.getByRole('list', { name: 'Operations' })
  await operations.getByText('A body of type image/png cannot be sent.').waitFor()
  expect(await operations.getByLabel('PUT /raw').isDisabled()).toBe(true)
  await operations.getByLabel('POST /albums/{album}/photos').check()
  await page.getByRole('button', { name: 'Draft 1 service' }).click()
  await page.getByRole('status').getByText(`${provider.url}v2/albums/{album}/photos`).waitFor()
  await expectAccessibleInBothThemes(page)
  await page.getByRole('button', { name: 'Continue with POST /albums/{album}/photos' }).click()

  expect(await page.getByLabel('URL of target 1').inputValue()).toBe(
    `${provider.url}v2/albums/{album}/photos`,
  )
  await openStep('How it is called')
  await page.getByRole('combobox', { name: 'Body' }).getByText('Form with files').waitFor()
  await page.getByLabel('Path for probes of target 1').fill('/')
  await expect.poll(() => page.getByLabel('Query parameters').inputValue()).toContain('tags')
  await expectAccessibleInBothThemes(page)
  await openStep('Price')
  await page.getByLabel('Price of a call').fill('0.05')
  await openStep('Review')
  await page.getByRole('button', { name: 'Register service' }).click()
  await page.getByRole('heading', { name: 'Photo store: Adds a photo' }).waitFor()
  // Its page on the market says how bodies are sent, as the provider's own does.
  for (const path of ['', 'market'] as const) {
    if (path === 'market') await page.getByRole('link', { name: 'Open its market page' }).click()
    await page.getByText('Form with files').waitFor()
  }

  await page.goto(`${fixture.on.url}/playground?service=photo-store-add-photo`)
  await page.getByRole('button', { name: 'Paste a token' }).click()
  await page.getByRole('dialog').getByLabel('Paste an existing token').fill(token)
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^(Use|Keep|Save)/ })
    .click()
  await page.getByLabel('album').fill('summer 24')
  const photo = { name: 'dawn.png', mimeType: 'image/png', buffer: Buffer.from([0x89, 0x50, 0, 0xff]) }
  await page.getByLabel('photo').setInputFiles(photo)
  await page.getByLabel('title').fill('Dawn')
  await expectAccessibleInBothThemes(page)
  await page.getByRole('button', { name: 'Call for 0.05 USDC' }).click()
  await page.getByText('Succeeded').waitFor()
  const [call] = provider.calls
  expect(call?.url).toBe('/v2/albums/summer%2024/photos')
  expect(call?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=farebox-/)
  expect(call?.body).toContain('name="photo"; filename="dawn.png"\r\ncontent-type: image/png')
  expect(call?.body).toContain('name="title"\r\n\r\nDawn')
  expect(ofThePage(faults)).toEqual([])
}, 240_000)

test('sends a text with the content type that the form states', async () => {
  await page.goto(`${fixture.on.url}/provider/new`)
  await page.getByLabel('Name', { exact: true }).fill('Renderer')
  await openStep('How it is called')
  await page.getByLabel('URL of target 1').fill(`${provider.url}render`)
  await page.getByRole('combobox', { name: 'Body' }).click()
  await page.getByRole('option', { name: 'Text' }).click()
  await page.getByLabel('Content type').fill('text/markdown')
  await openStep('Price')
  await page.getByLabel('Price of a call').fill('0.01')
  await openStep('Review')
  await page.getByRole('button', { name: 'Register service' }).click()
  await page.getByRole('heading', { name: 'Renderer' }).waitFor()
  await page.goto(`${fixture.on.url}/playground?service=renderer`)
  await page.getByLabel('Body').fill('# Hi')
  await page.getByRole('button', { name: 'Call for 0.01 USDC' }).click()
  await page.getByText('Succeeded').waitFor()
  expect(provider.calls.at(-1)).toMatchObject({
    url: '/render',
    body: '# Hi',
    headers: { 'content-type': 'text/markdown' },
  })
}, 120_000)
