import type { Browser, BrowserContext, Page } from 'playwright-core'
import { onTestFinished, TestRunner } from 'vitest'
import { createFaucet, faucetRoute } from '../../../gateway/src/dev/faucet.ts'
import { startTestChain, type TestChain } from '../../../gateway/test/kit/chain/test-chain.ts'
import { createTestDatabase, type TestDatabase } from '../../../gateway/test/kit/database/test-database.ts'
import { startTestGateway, type TestGateway } from '../../../gateway/test/kit/gateway/test-gateway.ts'
import { send } from '../../../gateway/test/kit/network/http.ts'
import { until } from '../../../gateway/test/kit/until.ts'
import type { newWallet } from '../../../gateway/test/kit/world/wallets.ts'
import { buildConsole, sharedBrowser } from './launch.ts'
import { installTestWallet, type TestWallet } from './test-wallet.ts'

/** Timeout of a step in the browser, in ms; long because test machines are busy. */
const STEP_MS = 30_000

/** Options of a page. */
export type Visit = {
  /** The account of an injected wallet; by default there is none. */
  readonly account?: ReturnType<typeof newWallet>
  readonly theme?: 'light' | 'dark'
  readonly width?: number
  readonly height?: number
  /** False disables JavaScript. */
  readonly hasScripts?: boolean
}

/** A page with its wallet and its errors. */
export type Visitor = {
  readonly page: Page
  readonly context: BrowserContext
  /** The injected wallet, if the visit has an account. */
  readonly wallet: TestWallet | null
  /** Uncaught exceptions and console errors of the page. */
  readonly faults: readonly string[]
}

type FixtureOptions = {
  readonly isDevelopment?: boolean
  readonly env?: Record<string, string>
  readonly chain?: TestChain
  readonly database?: TestDatabase
}

/** A gateway on real parts that serves the built console, and a browser. */
export type ConsoleFixture = {
  readonly on: TestGateway
  /** Opens `path` in a new browser context with empty storage; one opened by a test is closed at its end. */
  visit(path: string, visit?: Visit): Promise<Visitor>
  stop(): Promise<void>
}

/**
 * Builds the console if needed, and starts a gateway that serves it and a browser. For one test file.
 *
 * @param options.isDevelopment runs the gateway in development mode, with a faucet
 * @param options.env           overrides settings of the gateway
 * @param options.chain         uses this chain and stops it at the end; a new one by default
 * @param options.database      uses this database and drops it at the end; a new one by default
 * @example
 * const fixture = await openConsole()
 * const { page } = await fixture.visit('/market', { account: newWallet() })
 */
export async function openConsole(options: FixtureOptions = {}): Promise<ConsoleFixture> {
  await buildConsole()
  const [on, browser] = await Promise.all([startFixture(options), sharedBrowser()])
  return {
    on,
    visit: (path, visit = {}) => open(browser, on, path, visit),
    async stop() {
      await Promise.all(browser.contexts().map(context => context.close()))
      await on.stop()
    },
  }
}

async function startFixture(options: FixtureOptions): Promise<TestGateway> {
  const { isDevelopment, env, chain: given, database: made } = options
  if (isDevelopment !== true)
    return startTestGateway({
      env: env ?? {},
      ...(given && { chain: given }),
      ...(made && { database: made }),
    })
  const [chain, database] = await Promise.all([given ?? startTestChain(), made ?? createTestDatabase()])
  return startTestGateway({
    env: { FAREBOX_MODE: 'dev', ...env },
    chain,
    database,
    extraRoutes: app => faucetRoute(app, createFaucet(chain.client, chain.contracts)),
  })
}

async function open(browser: Browser, on: TestGateway, path: string, visit: Visit): Promise<Visitor> {
  const context = await browser.newContext({
    baseURL: on.url,
    locale: 'en-US',
    javaScriptEnabled: visit.hasScripts ?? true,
    // Colours in transition would fail the contrast checks.
    reducedMotion: 'reduce',
    colorScheme: visit.theme ?? 'light',
    viewport: { width: visit.width ?? 1_280, height: visit.height ?? 800 },
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  // Open pages go on polling and drawing beside all later tests.
  if (TestRunner.getCurrentTest() !== undefined) onTestFinished(() => context.close())
  context.setDefaultTimeout(STEP_MS)
  const wallet =
    visit.account === undefined ? null : await installTestWallet(context, on.chain, visit.account)
  // The browser tells nobody else of code that tries eval and goes on without.
  await context.addInitScript(`addEventListener('securitypolicyviolation', event =>
    console.error('The policy blocked ' + event.blockedURI + ' by ' + event.effectiveDirective))`)
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', error => faults.push(String(error)))
  page.on('console', message => {
    if (message.type() === 'error') faults.push(message.text())
  })
  await page.goto(path)
  if (visit.hasScripts ?? true) await ready(page)
  return { page, context, wallet, faults }
}

/** Waits until the code has taken over from the prerendered page, which ignores keys and needs the network for links. */
export const ready = (page: Page) => page.locator('#prerendered').waitFor({ state: 'detached' })

/** Waits until the page shows its heading and none of its parts is loading. */
export async function loaded(page: Page): Promise<void> {
  await ready(page)
  await page.locator('main :is(h1, h2)').first().waitFor()
  await until(`${page.url()} has loaded`, () =>
    page.evaluate<boolean>(`document.querySelector('[aria-busy=true], .animate-breathe') === null`),
  )
}

/** Returns the errors of the page itself: the browser also logs refusals of the gateway. */
export function ofThePage(faults: readonly string[]): string[] {
  return faults.filter(fault => !fault.startsWith('Failed to load resource'))
}

/** Signs in on any page with the visit's wallet. */
export async function signInBy(page: Page, name = 'Test wallet'): Promise<void> {
  await page.getByRole('banner').getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('dialog').getByRole('button', { name }).click()
  await page
    .getByRole('banner')
    .getByRole('button', { name: /^Account 0x/, disabled: false })
    .waitFor()
}

/** Opens a page and signs in there. */
export async function visitAs(
  fixture: ConsoleFixture,
  path: string,
  account: ReturnType<typeof newWallet>,
  visit: Visit = {},
): Promise<Visitor & { readonly wallet: TestWallet }> {
  const visitor = await fixture.visit(path, { ...visit, account })
  await signInBy(visitor.page)
  const { wallet } = visitor
  if (wallet === null) throw new Error('The visitor has no wallet.')
  return { ...visitor, wallet }
}

/** Ends the session of a page at the gateway only. */
export async function endSession({ on }: ConsoleFixture, page: Page): Promise<void> {
  const kept = (await page.evaluate(`localStorage.getItem('farebox.session')`)) as string
  const { token } = JSON.parse(kept) as { token: string }
  const { status } = await send(on.url, '/api/v1/auth/logout', { method: 'POST', token })
  if (status !== 200) throw new Error(`The session could not be ended: ${status}.`)
}

/** Collects the origins that a page connects to from now on. */
export function placesOf(page: Page): ReadonlySet<string> {
  const places = new Set<string>()
  const add = (url: string) => places.add(new URL(url).origin)
  page.on('request', request => add(request.url()))
  page.on('websocket', socket => add(socket.url()))
  return places
}
