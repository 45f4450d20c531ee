import { createServer } from 'node:http'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Listening, listen } from '../../gateway/test/kit/network/loopback.ts'
import { callTool } from '../../gateway/test/kit/network/mcp-client.ts'
import { startProvider, type TestProvider } from '../../gateway/test/kit/provider/provider.ts'
import { until } from '../../gateway/test/kit/until.ts'
import { connectByOauth, KeptAuth, oauthClient } from '../../gateway/test/kit/world/oauth-client.ts'
import { ownerWith, type Person, register } from '../../gateway/test/kit/world/world.ts'
import { expectAccessible, expectAccessibleInBothThemes } from './kit/axe.ts'
import { type ConsoleFixture, openConsole } from './kit/browser.ts'

let fixture: ConsoleFixture
let provider: TestProvider
let owner: Person
/** The client's own page, to which the browser comes back. */
let callback: Listening
const arrived: URL[] = []

beforeAll(async () => {
  provider = await startProvider()
  callback = await listen(
    createServer((request, response) => {
      if (request.url?.startsWith('/callback') === true) arrived.push(new URL(request.url, callback.origin))
      response.writeHead(200, { 'content-type': 'text/html' }).end('<title>client</title>You may go back.')
    }),
  )
  fixture = await openConsole()
  owner = await ownerWith(fixture.on, '5')
  const manifest = { agentToolName: 'echo', serviceName: 'Echo' }
  await register(fixture.on, owner, { targets: [provider.url], priceUsdc: '0.01', manifest })
}, 180_000)
afterAll(async () => {
  await fixture.on.assertBooks()
  await fixture.stop()
  await Promise.all([provider.stop(), callback.stop()])
})

/** Sends a client of the MCP SDK to the gateway, and a browser to where it asks for consent. */
async function ask(): Promise<{
  page: Page
  auth: KeptAuth
  goOn: Awaited<ReturnType<typeof connectByOauth>>
  faults: readonly string[]
}> {
  const auth = new KeptAuth(`${callback.origin}/callback`)
  const goOn = await connectByOauth(fixture.on, auth)
  const { page, faults } = await fixture.visit(auth.wentTo?.href ?? '', { account: owner.account })
  await page.getByRole('heading', { name: 'Connect SDK client?' }).waitFor()
  return { page, auth, goOn, faults }
}

async function comeBack(page: Page): Promise<URLSearchParams> {
  await page.waitForURL(url => url.origin === callback.origin)
  await until('the browser is back', () => arrived.length > 0)
  return arrived.splice(0)[0]?.searchParams ?? new URLSearchParams()
}

test('authorizes an MCP client after sign-in, with limits, and it makes its first paid call', async () => {
  const { page, auth, goOn, faults } = await ask()
  await page.getByText(new URL(callback.origin).host).waitFor()
  await page.getByText('a program on this computer').waitFor()
  expect(await page.getByRole('button', { name: 'Allow' }).count()).toBe(0)
  await expectAccessibleInBothThemes(page)
  await page.getByRole('button', { name: 'Sign in with your wallet' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Test wallet' }).click()

  await page.getByLabel('Spending limit').fill('a lot')
  await page.getByRole('button', { name: 'Allow' }).click()
  await page
    .getByRole('alert')
    .filter({ hasText: /amount|number/i })
    .waitFor()
  await page.getByLabel('Spending limit').fill('100000')
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.getByRole('alert').filter({ hasText: 'Your spending policy allows' }).waitFor()
  await page.getByLabel('Spending limit').fill('0.5')
  await page.getByLabel('Only some services').check()
  await page.getByLabel(/^Echo/).check()
  await expectAccessibleInBothThemes(page)
  await page.getByRole('button', { name: 'Allow' }).click()

  const back = await comeBack(page)
  expect(Object.fromEntries(back)).toEqual({ code: expect.any(String), state: '1e3', iss: fixture.on.url })
  const client = await goOn(back.get('code') ?? '')
  const paid = await callTool(client, 'echo', { text: 'hello' })
  expect(paid._meta).toMatchObject({ 'farebox/chargedUsdc': '0.010000' })
  const left = await callTool(client, 'farebox_balance')
  expect(left.structuredContent).toMatchObject({
    spendableUsdc: '0.490000',
    credential: { name: 'SDK client', creditLimitUsdc: '0.500000', resetInterval: 'monthly' },
  })
  expect(auth.tokens()?.expires_in).toBeGreaterThan(29 * 86_400)
  await client.close()

  await page.goto(`${fixture.on.url}/app/credentials`)
  await page.getByRole('table', { name: 'Credentials' }).getByText('SDK client').click()
  const history = page.getByRole('region', { name: 'History' })
  await history.getByText(`For the OAuth client SDK client at ${new URL(callback.origin).host}`).waitFor()
  await history.getByText('Token issued to the client').waitFor()
  await page.getByRole('button', { name: 'Edit limits' }).click()
  await page.getByLabel('Maximum per call').fill('0.001')
  await page.getByRole('button', { name: 'Save' }).click()
  await history.getByText('Maximum per call: no limit → 0.001 USDC').waitFor()
  // Of a refused limit, and of a gateway that is busy, which the browser tells of by itself.
  expect(faults.filter(fault => !/status of (?:400|422|503)/.test(fault))).toEqual([])
}, 180_000)

test('redirects back without a code when the owner declines', async () => {
  const { page } = await ask()
  await page.getByRole('button', { name: 'Deny' }).click()
  expect(Object.fromEntries(await comeBack(page))).toEqual({
    error: 'access_denied',
    state: '1e3',
    iss: fixture.on.url,
  })
}, 120_000)

test('explains why a client cannot be authorized, and leaves only on a click, to a registered address', async () => {
  const redirectUri = `${callback.origin}/callback`
  const { request } = await oauthClient(fixture.on, redirectUri)
  const open = (wrong: Record<string, string>) =>
    fixture.visit(`/connect?${new URLSearchParams({ ...request, ...wrong })}`, { account: owner.account })
  for (const wrong of [{ client_id: 'oac_none' }, { redirect_uri: 'https://evil.example/' }]) {
    const { page } = await open(wrong)
    await page.getByRole('heading', { name: 'This client cannot be connected' }).waitFor()
    expect(await page.getByRole('link', { name: /^Back to/ }).count()).toBe(0)
    await expectAccessible(page)
  }
  const { page } = await open({ code_challenge_method: 'plain' })
  await page.getByRole('link', { name: /^Back to/ }).click()
  expect(Object.fromEntries(await comeBack(page))).toMatchObject({
    error: 'invalid_request',
    iss: fixture.on.url,
  })
}, 120_000)

test('forbids framing, to prevent clickjacking', async () => {
  const { headers } = await fetch(`${fixture.on.url}/connect`, { headers: { accept: 'text/html' } })
  expect(headers.get('x-frame-options')).toBe('DENY')
  expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
})
