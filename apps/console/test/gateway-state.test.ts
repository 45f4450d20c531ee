import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RpcProxy, startRpcProxy } from '../../gateway/test/kit/chain/rpc-proxy.ts'
import { startTestChain } from '../../gateway/test/kit/chain/test-chain.ts'
import { sendToVault } from '../../gateway/test/kit/chain/vault-owner.ts'
import { createTestDatabase } from '../../gateway/test/kit/database/test-database.ts'
import { type FaultProxy, startFaultProxy } from '../../gateway/test/kit/network/database-proxy.ts'
import { startTcpProxy } from '../../gateway/test/kit/network/tcp-proxy.ts'
import { expectAccessible } from './kit/axe.ts'
import { type ConsoleFixture, loaded, openConsole } from './kit/browser.ts'

const TEST_MS = 90_000
/** Interval at which a page reads the status of the gateway, in ms. */
const STATUS_EVERY_MS = 30_000
/** Each press begins again what is being read. */
const PRESS_EVERY_MS = 1_000

let fixture: ConsoleFixture
let node: RpcProxy
let proxy: FaultProxy
beforeAll(async () => {
  const [chain, database] = await Promise.all([startTestChain(), createTestDatabase()])
  node = await startRpcProxy(chain.rpcUrl)
  proxy = await startFaultProxy(database.url)
  fixture = await openConsole({
    chain,
    database,
    // No check by the job: the age of the last one is that of the test.
    env: { CHAIN_RPC_URL: node.url, DATABASE_URL: proxy.url, RECONCILE_INTERVAL_SECONDS: '86400' },
  })
}, 240_000)
afterAll(async () => {
  await fixture.stop()
  await node.stop()
  await proxy.stop()
})

const banner = (page: Page) => page.getByRole('banner').getByRole('status')

/** Causes the page to read the status, and waits for the answer. */
async function readStatus(page: Page, cause: () => Promise<unknown>) {
  const [status] = await Promise.all([page.waitForResponse('**/api/v1/status'), cause()])
  await status.finished()
}

/** Opens the page until its banner has the text: the status is at most some seconds old. */
async function openUntil(page: Page, text: string, before: () => Promise<unknown> = async () => undefined) {
  await expect
    .poll(async () => {
      await before()
      await readStatus(page, () => page.goto('/forum'))
      await loaded(page)
      return banner(page).textContent()
    })
    .toContain(text)
  await page.getByRole('heading', { level: 1, name: 'Forum' }).waitFor()
}

/** Presses "Try now" until the banner is gone. */
async function retryUntilGone(page: Page) {
  const retry = banner(page).getByRole('button', { name: 'Try now' })
  const press = async () => {
    if ((await retry.count()) > 0) await retry.click()
    return banner(page).textContent()
  }
  await expect.poll(press, { interval: PRESS_EVERY_MS }).toBe('')
}

test(
  'shows that the vault is paused until it is unpaused',
  async () => {
    const { page } = await fixture.visit('/forum')
    expect(await banner(page).textContent()).toBe('')
    await sendToVault(fixture.on.chain, 'pause')
    await openUntil(page, 'The operator has paused the vault')
    await expectAccessible(page)
    await sendToVault(fixture.on.chain, 'unpause')
    await retryUntilGone(page)
  },
  TEST_MS,
)

test(
  'shows that the check of the books is late, and when the last one was',
  async () => {
    const { page } = await fixture.visit('/forum')
    const age = (days: number) =>
      fixture.on.sql('update reconciliations set at = now() - make_interval(days => $1)', [days])
    await openUntil(page, 'The check of the books is late. The last check was 4 days ago.', () => age(4))
    expect(await banner(page).textContent()).toContain('Calls are not affected.')
    await age(0)
    await retryUntilGone(page)
  },
  TEST_MS,
)

test(
  'leads to the checks of the books when the last one found a difference',
  async () => {
    const { page } = await fixture.visit('/forum')
    const judge = (isConsistent: boolean) =>
      fixture.on.sql('update reconciliations set consistent = $1', [isConsistent])
    await openUntil(page, 'The last check of the books found a difference.', () => judge(false))
    expect(await banner(page).getByRole('button', { name: 'Try now' }).count()).toBe(0)
    await banner(page).getByRole('link', { name: 'Show the checks' }).click()
    await page.waitForURL('**/proof')
    await page.getByRole('heading', { level: 1 }).waitFor()
    await judge(true)
  },
  TEST_MS,
)

test(
  'shows that the chain does not respond',
  async () => {
    const { page } = await fixture.visit('/forum')
    node.misbehave({ refuses: true })
    await openUntil(page, 'The chain is not responding. Deposits and withdrawals are delayed.')
    node.misbehave()
    await retryUntilGone(page)
  },
  TEST_MS,
)

test(
  'shows how old the figures are while the gateway cannot read its data',
  async () => {
    const { page } = await fixture.visit('/health', { width: 360 })
    await page.clock.install()
    await page.goto('/forum')
    await loaded(page)
    proxy.refuse()
    await expect
      .poll(async () => {
        await readStatus(page, () => page.clock.fastForward(STATUS_EVERY_MS))
        return banner(page).textContent()
      })
      .toMatch(/cannot read its data\. Figures on this page may be from \d+:\d+/)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
    proxy.pass()
    await retryUntilGone(page)
  },
  TEST_MS,
)

test(
  'recovers from a restart of the gateway without a browser error page',
  async () => {
    const line = await startTcpProxy(() => Number(new URL(fixture.on.url).port))
    try {
      const { page } = await fixture.visit('/health')
      await page.goto(`${line.origin}/forum`)
      await loaded(page)
      const home = page.getByRole('banner').getByRole('link', { name: 'Market' })
      await home.waitFor()
      line.bend({ kind: 'reset' })
      await home.click()
      await expect
        .poll(() => banner(page).textContent())
        .toMatch(/^The gateway is not responding\. This page shows data from .*Try now$/)
      await page.getByRole('banner').getByRole('link', { name: 'Docs' }).click()
      line.heal()
      await banner(page).getByRole('button', { name: 'Try now' }).click()
      await page.getByRole('heading', { level: 1, name: 'Docs' }).waitFor()
      await expect.poll(() => banner(page).textContent()).toBe('')
    } finally {
      await line.stop()
    }
  },
  TEST_MS,
)
