import type { Browser, BrowserContext, Page } from 'playwright-core'
import { createFaucet, faucetRoute } from '../../../gateway/src/dev/faucet.ts'
import { startTestChain, type TestChain } from '../../../gateway/test/kit/chain/test-chain.ts'
import { createTestDatabase } from '../../../gateway/test/kit/database/test-database.ts'
import { startTestGateway, type TestGateway } from '../../../gateway/test/kit/gateway/test-gateway.ts'
import { send } from '../../../gateway/test/kit/network/http.ts'
import type { newWallet } from '../../../gateway/test/kit/world/wallets.ts'
import { buildConsole, startBrowser } from './launch.ts'
import { installTestWallet, type TestWallet } from './test-wallet.ts'

/** Longest wait of a step in the browser, in ms: machines that test are busy. */
const STEP_MS = 30_000

/** How a page is opened. */
export type Visit = {
  /** The wallet that the browser has, besides what the gateway offers; none unless told. */
  readonly account?: ReturnType<typeof newWallet>
  readonly theme?: 'light' | 'dark'
  readonly width?: number
  readonly height?: number
  /** False: as in a browser that runs none. */
  readonly hasScripts?: boolean
}

/** A page with its wallet, and what went wrong on it unseen. */
export type Visitor = {
  readonly page: Page
  readonly context: BrowserContext
  /** The wallet of the browser; only when the visit has an account. */
  readonly wallet: TestWallet | null
  /** Errors of the page: exceptions, and what the browser complained of in its console. */
  readonly faults: readonly string[]
}

type SceneOptions = {
  readonly isDevelopment?: boolean
  readonly env?: Record<string, string>
  readonly chain?: TestChain
}

/** A gateway on real parts that serves the console as built, and a browser that opens it. */
export type ConsoleScene = {
  readonly on: TestGateway
  /** Opens `path` in a browser of its own: nothing is stored in it. */
  visit(path: string, visit?: Visit): Promise<Visitor>
  stop(): Promise<void>
}

/**
 * Builds the console if needed, starts a gateway that serves it, and a browser. For one test file.
 *
 * @param options.isDevelopment has the gateway say that it is in development mode, with a faucet
 * @param options.env           settings of the gateway to differ in
 * @param options.chain         another chain than a new one; it is stopped at the end
 * @example
 * const scene = await openConsole()
 * const { page } = await scene.visit('/market', { account: newWallet() })
 */
export async function openConsole(options: SceneOptions = {}): Promise<ConsoleScene> {
  await buildConsole()
  const [on, browser] = await Promise.all([startScene(options), startBrowser()])
  return {
    on,
    visit: (path, visit = {}) => open(browser, on, path, visit),
    async stop() {
      await browser.close()
      await on.stop()
    },
  }
}

async function startScene(options: SceneOptions): Promise<TestGateway> {
  const { isDevelopment, env, chain: given } = options
  if (isDevelopment !== true) return startTestGateway({ ...(env && { env }), ...(given && { chain: given }) })
  const [chain, database] = await Promise.all([given ?? startTestChain(), createTestDatabase()])
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
    // Colours that are on their way would be judged as they are passing.
    reducedMotion: 'reduce',
    colorScheme: visit.theme ?? 'light',
    viewport: { width: visit.width ?? 1_280, height: visit.height ?? 800 },
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  context.setDefaultTimeout(STEP_MS)
  const wallet =
    visit.account === undefined ? null : await installTestWallet(context, on.chain, visit.account)
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', error => faults.push(String(error)))
  page.on('console', message => {
    if (message.type() === 'error') faults.push(message.text())
  })
  await page.goto(path)
  return { page, context, wallet, faults }
}

/** Signs in on any page, by the wallet that the visit has. */
export async function signInBy(page: Page, name = 'Test wallet'): Promise<void> {
  await page.getByRole('banner').getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('dialog').getByRole('button', { name }).click()
  await page
    .getByRole('banner')
    .getByRole('button', { name: /^Account 0x/, disabled: false })
    .waitFor()
}

/** Opens a page by a wallet that signs in there. */
export async function visitAs(
  scene: ConsoleScene,
  path: string,
  account: ReturnType<typeof newWallet>,
  visit: Visit = {},
): Promise<Visitor & { readonly wallet: TestWallet }> {
  const visitor = await scene.visit(path, { ...visit, account })
  await signInBy(visitor.page)
  const { wallet } = visitor
  if (wallet === null) throw new Error('The visitor has no wallet.')
  return { ...visitor, wallet }
}

/** Ends the session of a page at the gateway, behind its back. */
export async function endSession({ on }: ConsoleScene, page: Page): Promise<void> {
  const kept = (await page.evaluate(`localStorage.getItem('farebox.session')`)) as string
  const { token } = JSON.parse(kept) as { token: string }
  const { status } = await send(on.url, '/api/v1/auth/logout', { method: 'POST', token })
  if (status !== 200) throw new Error(`The session could not be ended: ${status}.`)
}

/** Every place that a page talks to from now on. */
export function placesOf(page: Page): ReadonlySet<string> {
  const places = new Set<string>()
  const add = (url: string) => places.add(new URL(url).origin)
  page.on('request', request => add(request.url()))
  page.on('websocket', socket => add(socket.url()))
  return places
}
