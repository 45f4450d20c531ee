import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { send } from '../../gateway/test/kit/network/http.ts'
import { newWallet } from '../../gateway/test/kit/world/wallets.ts'
import { arrive } from '../../gateway/test/kit/world/world.ts'
import { expectAccessible } from './kit/axe.ts'
import { type ConsoleFixture, endSession, openConsole, placesOf, signInBy } from './kit/browser.ts'

const TEST_MS = 90_000

let fixture: ConsoleFixture
let topicId: string

beforeAll(async () => {
  fixture = await openConsole({ isDevelopment: true })
  const { token } = await arrive(fixture.on)
  const body = { title: 'A topic', category: 'general', body: 'To be voted for.' }
  const answer = await send<{ topic: { topicId: string } }>(fixture.on.url, '/api/v1/forum/topics', {
    method: 'POST',
    token,
    body,
  })
  topicId = answer.body.topic.topicId
}, 240_000)
afterAll(() => fixture.stop())

const account = (page: Page) =>
  page.getByRole('banner').getByRole('button', { name: /^Account 0x/, disabled: false })
const signIn = (page: Page) => page.getByRole('banner').getByRole('button', { name: 'Sign in' })

test(
  'signs in with an injected wallet, and stays signed in after a reload',
  async () => {
    const wallet = newWallet()
    const visitor = await fixture.visit('/', { account: wallet })
    await signInBy(visitor.page)
    await visitor.page.waitForURL('**/app')
    expect(visitor.wallet?.asked).toContain('personal_sign')
    await visitor.page.reload()
    await visitor.page
      .getByRole('banner')
      .getByRole('button', { name: `Account ${wallet.address}` })
      .waitFor()
    expect(visitor.faults).toEqual([])
  },
  TEST_MS,
)

test(
  'signs in with the development wallet, which is labelled as such',
  async () => {
    const { page, faults } = await fixture.visit('/')
    const places = placesOf(page)
    await page.getByText('Test money').waitFor()
    await signIn(page).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('No wallet was found in this browser').waitFor()
    await dialog.getByText('test money only').waitFor()
    expect(await dialog.getByRole('button', { name: /WalletConnect/ }).count()).toBe(0)
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Development wallet' }).click()
    await account(page).waitFor()
    const name = await account(page).getAttribute('aria-label')
    await page.reload()
    await account(page).waitFor()
    await expect.poll(() => account(page).getAttribute('aria-label')).toBe(name)
    expect([new URL(fixture.on.url).origin, new URL(fixture.on.chain.rpcUrl).origin]).toEqual(
      expect.arrayContaining([...places]),
    )
    expect(faults).toEqual([])
  },
  TEST_MS,
)

test(
  'distinguishes a declined request from a failed one, and can retry',
  async () => {
    const { page, wallet } = await fixture.visit('/market', { account: newWallet() })
    wallet?.decline(true)
    await signIn(page).click()
    const choice = page.getByRole('dialog').getByRole('button', { name: 'Test wallet' })
    await choice.click()
    await page.getByText('You rejected the request in your wallet. Nothing was sent.').waitFor()
    wallet?.decline(false)
    await choice.click()
    await account(page).waitFor()
  },
  TEST_MS,
)

test(
  'asks to sign in when the session ends during a request, and completes the request',
  async () => {
    const { page } = await fixture.visit(`/forum/${topicId}`, { account: newWallet() })
    await signInBy(page)
    await endSession(fixture, page)
    await page.getByRole('button', { name: /Vote$/ }).click()
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
    await dialog.getByRole('button', { name: 'Test wallet' }).click()
    await page.getByRole('button', { name: /Voted$/ }).waitFor()

    // Without a new sign-in, the page says why nothing happened.
    await endSession(fixture, page)
    await page.getByRole('button', { name: /Voted$/ }).click()
    await dialog.waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('status').getByText('No valid wallet session. Sign in again.').waitFor()
  },
  TEST_MS,
)

test(
  'signs out of an expired session',
  async () => {
    const { page } = await fixture.visit('/market', { account: newWallet() })
    await signInBy(page)
    await endSession(fixture, page)
    await account(page).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await signIn(page).waitFor()
  },
  TEST_MS,
)

test(
  'signs in and out in all tabs',
  async () => {
    const { page, context } = await fixture.visit('/market', { account: newWallet() })
    const other = await context.newPage()
    await other.goto('/forum')
    await signIn(other).waitFor()
    await signInBy(page)
    await account(other).waitFor()
    await account(other).click()
    await other.getByRole('menuitem', { name: 'Sign out' }).click()
    await signIn(page).waitFor()
  },
  TEST_MS,
)

test(
  "follows the system's theme until another is chosen, and remembers the choice",
  async () => {
    const { page } = await fixture.visit('/market', { theme: 'dark' })
    const ground = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor')
    const dark = await ground()
    await page.getByRole('button', { name: /^Theme: system/ }).click()
    await expect.poll(ground).not.toBe(dark)
    const light = await ground()
    await page.reload()
    await page.getByRole('button', { name: /^Theme: light/ }).waitFor()
    expect(await ground()).toBe(light)
  },
  TEST_MS,
)

test(
  'asks for a wallet on pages that need one',
  async () => {
    const { page } = await fixture.visit('/app', { account: newWallet() })
    await page.getByRole('heading', { name: 'Sign in to see this page' }).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Sign in with your wallet' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Test wallet' }).click()
    await page.getByRole('navigation', { name: 'Account' }).waitFor()
  },
  TEST_MS,
)

test(
  'shows that the device is offline, and resumes by itself once it is back',
  async () => {
    const { page, context } = await fixture.visit('/market')
    const link = (name: string) => page.getByRole('banner').getByRole('link', { name })
    const away = page.getByText('This device is offline.')
    await link('Forum').waitFor()
    await context.setOffline(true)
    await link('Forum').click()
    await away.waitFor()
    await expectAccessible(page)
    await context.setOffline(false)
    await page.getByRole('heading', { name: 'Forum', level: 1 }).waitFor()
    await page.getByRole('link', { name: 'A topic' }).waitFor()

    // Once it is known to be silent, nothing is tried in vain, and the window is not reloaded.
    await page.evaluate(() => Object.assign(globalThis, { isSameWindow: true }))
    await context.setOffline(true)
    await away.waitFor()
    await link('Playground').click()
    await page.getByRole('button', { name: 'Try now' }).click()
    await context.setOffline(false)
    await page.getByRole('heading', { name: 'Playground', level: 1 }).waitFor()
    await away.waitFor({ state: 'detached' })
    expect(await page.evaluate(() => 'isSameWindow' in globalThis)).toBe(true)
  },
  TEST_MS,
)

test(
  'the palette opens services, pages and actions by keyboard alone',
  async () => {
    const { page, faults } = await fixture.visit('/forum')
    const palette = page.getByRole('dialog', { name: 'Go to' })
    // The heading is there before the script that hears keys.
    await page.getByRole('link', { name: 'A topic' }).waitFor()
    await page.keyboard.press('Control+k')
    await palette.getByRole('combobox').waitFor()
    await expectAccessible(page)
    await page.keyboard.type('playg')
    await palette.getByRole('option', { name: 'Playground', selected: true }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Playground', level: 1 }).waitFor()

    await page.getByRole('heading', { level: 1 }).click()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Credentials').waitFor()
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await page.keyboard.type('gm')
    await page.getByRole('heading', { name: 'Market', level: 1 }).waitFor()
    await page.keyboard.type('/gp')
    await expect.poll(() => page.getByRole('searchbox').first().inputValue()).toBe('gp')
    expect(new URL(page.url()).pathname).toBe('/market')
    expect(faults).toEqual([])
  },
  TEST_MS,
)

test(
  'shortcuts work from the moment in which the code replaces the prerendered page',
  async () => {
    const { page, context } = await fixture.visit('/market')
    await context.addInitScript(`
      let before = null
      new MutationObserver((_, watch) => {
        before ??= document.getElementById('prerendered')
        if (before === null || before.isConnected) return
        watch.disconnect()
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '?', bubbles: true }))
      }).observe(document, { childList: true, subtree: true })`)
    await page.goto('/docs')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  },
  TEST_MS,
)

test(
  'the palette finds a call by its id, and recently viewed items',
  async () => {
    const { page } = await fixture.visit(`/forum/${topicId}`, { account: newWallet() })
    await page.getByRole('heading', { name: 'A topic' }).waitFor()
    await signInBy(page)
    const palette = page.getByRole('dialog', { name: 'Go to' })
    await page.getByRole('button', { name: /^Go to anything/ }).click()
    await palette.getByRole('option', { name: 'A topic' }).waitFor()
    await page.keyboard.type('inv_01ARZ3NDEKTSV4RRFFQ69G5FAV')
    await palette.getByRole('option', { name: /^Call inv_/ }).click()
    await page.waitForURL('**/app/calls/inv_01ARZ3NDEKTSV4RRFFQ69G5FAV')
  },
  TEST_MS,
)
