import type { Page, Route } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newWallet, signIn } from '../../gateway/test/kit/world/wallets.ts'
import { arrive, deposit, type Person } from '../../gateway/test/kit/world/world.ts'
import { expectAccessible, expectAccessibleInBothThemes } from './kit/axe.ts'
import { type ConsoleScene, openConsole, type Visitor } from './kit/browser.ts'

let scene: ConsoleScene
let page: Page
let faults: readonly string[]
let wallet: Visitor['wallet']
const account = newWallet()

beforeAll(async () => {
  scene = await openConsole({ env: { RECONCILE_INTERVAL_SECONDS: '0.5' } })
  const others = await Promise.all([arrive(scene.on), arrive(scene.on)])
  for (const [index, other] of others.entries()) await deposit(scene.on, other, `${3 + index}.5`)
  ;({ page, faults, wallet } = await scene.visit('/proof', { account }))
}, 180_000)
afterAll(() => scene.stop())

const outcome = () => page.getByRole('region', { name: 'Outcome' })
const steps = (name: string) => page.getByRole('list', { name })
const again = () => outcome().getByRole('button', { name: 'Check again' }).click()

/** Answers with what the gateway says, changed on the way; until it is taken back. */
async function tamper(path: string, change: (body: Record<string, unknown>) => void): Promise<void> {
  await page.route(`**${path}*`, async (route: Route) => {
    const answer = await route.fetch()
    const body = (await answer.json()) as Record<string, unknown>
    change(body)
    await route.fulfill({ response: answer, json: body })
  })
}

test('whoever comes sees the vault compared with the chain, and the seals hashed anew', async () => {
  await outcome().getByText('The vault covers what is owed').waitFor()
  await expect
    .poll(
      async () => {
        await again()
        return steps('Reserves').getByText('8.00').count()
      },
      { timeout: 30_000 },
    )
    .toBeGreaterThan(0)
  await expect.poll(() => steps('Reserves').getByRole('img', { name: 'Holds' }).count()).toBe(4)
  await page.getByRole('region', { name: 'Reserves now' }).getByText('To the last millionth').waitFor()
  // Entries are sealed within ten seconds or so.
  await expect
    .poll(
      async () => {
        await page.reload()
        await page.getByRole('heading', { name: 'Seals over the ledger' }).waitFor()
        await page
          .getByText(/No seal yet|Sound/)
          .first()
          .waitFor()
        return page.getByText('Sound').count()
      },
      { timeout: 60_000 },
    )
    .toBeGreaterThan(0)
  await page.getByRole('button', { name: 'Copy anchor' }).first().click()
  expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^1:0x[0-9a-f]{64}$/)
  // A page that was opened in the moment of the first seal may have kept none yet: the next one does.
  await expect
    .poll(
      async () => {
        await page.reload()
        await page
          .getByText(/newest seal from now on|is still the same/)
          .first()
          .waitFor()
        return page.getByText(/is still the same: nothing before it was changed/).count()
      },
      { timeout: 60_000 },
    )
    .toBeGreaterThan(0)
  await expectAccessibleInBothThemes(page)
}, 180_000)

test('a vault that is said to hold more than the chain says is seen', async () => {
  await tamper('/api/v1/proof/reserves', body => {
    const tree = body.tree as Record<string, unknown>
    tree.vaultBalanceUsdc = '1008.000000'
  })
  await again()
  await outcome().getByText('This does not add up').waitFor()
  await steps('Reserves').getByText('and not').getByText('1,008.00').waitFor()
  await expectAccessible(page)
  await page.unrouteAll({ behavior: 'wait' })
  await again()
  await outcome().getByText('The vault covers what is owed').waitFor()
}, 120_000)

test('a seal that is another one than this browser has kept is told', async () => {
  await tamper('/api/v1/proof/seals', body => {
    for (const seal of body.seals as Record<string, unknown>[]) seal.hash = `0x${'5'.repeat(64)}`
  })
  await page.reload()
  await page.getByText('the history before it was written anew').waitFor()
  await page.getByText('Broken').first().waitFor()
  await page.unrouteAll({ behavior: 'wait' })
}, 120_000)

test('a wallet that was never owed anything is told so; one with money finds it under the root', async () => {
  await page.getByRole('link', { name: 'Check your own balance' }).click()
  await page.getByRole('button', { name: 'Sign in with your wallet' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Test wallet' }).click()
  await page.getByText('Nothing was ever owed to you').waitFor()
  await expectAccessible(page)

  const me: Person = { account, token: await signIn(scene.on.url, account) }
  await deposit(scene.on, me, '12.5')
  await page.reload()
  // The page looks by itself for the tree that has it.
  await outcome()
    .getByText(/Your 12\.50/)
    .waitFor()
  await outcome().getByText('are in the reserves').waitFor()
  await expect.poll(() => steps('Your part').getByRole('img', { name: 'Holds' }).count()).toBe(5)
  await expect.poll(() => steps('Reserves').getByRole('img', { name: 'Holds' }).count()).toBe(4)
  const way = steps('The way to the root')
  await way.getByText('You', { exact: true }).waitFor()
  await way.getByText('20.50').first().waitFor()
  await expectAccessibleInBothThemes(page)
}, 180_000)

test.each([
  [
    'a balance that is made smaller',
    (body: Record<string, unknown>) => {
      body.balanceUsdc = '2.500000'
    },
    'by your ledger it was',
  ],
  [
    'a node beside the way that is another one',
    (body: Record<string, unknown>) => {
      const [first] = body.branch as Record<string, unknown>[]
      if (first !== undefined) first.hash = `0x${'7'.repeat(64)}`
    },
    'which is another root',
  ],
  [
    'a sum below zero, which would hide what others are owed',
    (body: Record<string, unknown>) => {
      const [first] = body.branch as Record<string, unknown>[]
      if (first !== undefined) first.sumUsdc = '-3.500000'
    },
    'is no amount that may be owed',
  ],
])(
  '%s is seen',
  async (_, change, told) => {
    await tamper('/api/v1/proof/inclusion', change)
    await again()
    await outcome().getByText('This does not add up').waitFor()
    await steps('Your part').getByText(told).waitFor()
    await page.unrouteAll({ behavior: 'wait' })
    await again()
    await outcome().getByText('are in the reserves').waitFor()
  },
  120_000,
)

test('a node of the chain that is away leaves the question open; a gateway that is away is told, with a way on', async () => {
  // Both the node that the gateway names and the one of the wallet.
  const { rpcUrl } = scene.on.chain
  wallet?.loseChain(true)
  await page.route(`${rpcUrl}**`, route => route.abort())
  await page.reload()
  await outcome().getByText('Not all of it could be checked').waitFor()
  await expect
    .poll(() => steps('Reserves').getByRole('img', { name: 'Could not be checked' }).count())
    .toBe(1)
  await expectAccessible(page)
  wallet?.loseChain(false)
  await page.unrouteAll({ behavior: 'wait' })

  await page.route('**/api/v1/proof/**', route => route.abort())
  await page.reload()
  await page.getByRole('alert').filter({ hasText: 'The gateway cannot be reached' }).first().waitFor()
  await page.unrouteAll({ behavior: 'wait' })
  await page.getByRole('button', { name: 'Try again' }).first().click()
  await outcome().getByText('are in the reserves').waitFor()
  await page.setViewportSize({ width: 360, height: 800 })
  await expect
    .poll(() => page.evaluate('document.documentElement.scrollWidth <= window.innerWidth'))
    .toBe(true)
  expect(faults.filter(fault => !/^Failed to load resource|WebSocket/.test(fault))).toEqual([])
}, 180_000)
