import { readFile } from 'node:fs/promises'
import type { Page, Route } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../gateway/test/kit/until.ts'
import { newWallet, signIn } from '../../gateway/test/kit/world/wallets.ts'
import { arrive, deposit, type Person } from '../../gateway/test/kit/world/world.ts'
import { expectAccessible, expectAccessibleInBothThemes } from './kit/axe.ts'
import { type ConsoleFixture, openConsole, type Visitor } from './kit/browser.ts'

let fixture: ConsoleFixture
let page: Page
let faults: readonly string[]
let wallet: Visitor['wallet']
const account = newWallet()

beforeAll(async () => {
  fixture = await openConsole({ env: { RECONCILE_INTERVAL_SECONDS: '0.5' } })
  const others = await Promise.all([arrive(fixture.on), arrive(fixture.on)])
  for (const [index, other] of others.entries()) await deposit(fixture.on, other, `${3 + index}.5`)
  // What the page shows of the checks is read at most once in a while.
  await until('the books are checked with the deposits', async () => {
    const checks = await fixture.on.sql('select 1 from reconciliations where vault_held = 8000000 limit 1')
    return checks.length > 0
  })
  // A page loaded again and again until then would keep a processor busy.
  await until('the deposits are sealed', async () => (await fixture.on.sql('select 1 from seals')).length > 0)
  ;({ page, faults, wallet } = await fixture.visit('/proof', { account }))
}, 180_000)
afterAll(() => fixture.stop())

const outcome = () => page.getByRole('region', { name: 'Outcome' })
const steps = (name: string) => page.getByRole('list', { name })
const again = () => outcome().getByRole('button', { name: 'Check again' }).click()

/** Changes an answer of the gateway on the way to the page, until it is disposed. */
async function tamper(path: string, change: (body: Record<string, unknown>) => void): Promise<void> {
  await page.route(`**${path}*`, async (route: Route) => {
    const answer = await route.fetch()
    const body = (await answer.json()) as Record<string, unknown>
    change(body)
    await route.fulfill({ response: answer, json: body })
  })
}

test('compares the vault with the chain and verifies the seals for every visitor', async () => {
  await outcome().getByText('The vault covers the liabilities').waitFor()
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
  await page.getByRole('region', { name: 'Reserves now' }).getByText('Exact to a millionth').waitFor()
  await page.getByText('Sound').first().waitFor()
  await page.getByRole('button', { name: 'Copy anchor' }).first().click()
  expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^1:0x[0-9a-f]{64}$/)
  await page.getByText('has saved the newest seal').waitFor()
  await page.reload()
  await page.getByText('is unchanged: no earlier entry was modified').waitFor()
  await expectAccessibleInBothThemes(page)
}, 180_000)

test('plots the vault against what is owed over time, and reports a failed check', async () => {
  const history = page.locator('section', { has: page.getByRole('heading', { name: 'Reserves over time' }) })
  await history
    .getByRole('slider', { name: '8.00 USDC in the vault for 8.00 owed at the last check' })
    .waitFor()
  await history.getByText('all passed').waitFor()
  await fixture.on.sql(
    `insert into reconciliations (at, consistent, findings) values (now() - interval '2 days', false, '[]')`,
  )
  await history.getByRole('button', { name: 'Week' }).click()
  await history.getByText('some failed, most recently 2 days ago').waitFor()
})

test('shows that it is between two roots while more is owed than the last one states', async () => {
  await outcome().getByText('The liabilities have not changed since.').waitFor()
  await tamper('/api/v1/proof/reserves', body => {
    body.liabilitiesUsdc = '9.500000'
  })
  await again()
  await outcome().getByText('The liabilities have changed since').waitFor()
  await outcome()
    .getByText(/Checked by this browser on \w+ \d+, \d{4}/)
    .waitFor()
  await page.unrouteAll({ behavior: 'wait' })
})

test('detects a vault balance above the one on chain', async () => {
  await tamper('/api/v1/proof/reserves', body => {
    const tree = body.tree as Record<string, unknown>
    tree.vaultBalanceUsdc = '1008.000000'
  })
  await again()
  await outcome().getByText('The proof failed').waitFor()
  await steps('Reserves').getByText('and not').getByText('1,008.00').waitFor()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save the evidence' }).click(),
  ])
  const saved = JSON.parse(await readFile(await download.path(), 'utf8'))
  expect(saved).toMatchObject({
    gateway: fixture.on.url,
    reserves: { tree: { vaultBalanceUsdc: '1008.000000' } },
  })
  expect(saved.outcomes.map(({ outcome }: { outcome: string }) => outcome)).toContain('fails')
  await expectAccessible(page)
  await page.unrouteAll({ behavior: 'wait' })
  await again()
  await outcome().getByText('The vault covers the liabilities').waitFor()
}, 120_000)

test("detects a seal that differs from this browser's anchor", async () => {
  await tamper('/api/v1/proof/seals', body => {
    for (const seal of body.seals as Record<string, unknown>[]) seal.hash = `0x${'5'.repeat(64)}`
  })
  await page.reload()
  await page.getByText('earlier entries were rewritten').waitFor()
  await page.getByText('Broken').first().waitFor()
  await page.unrouteAll({ behavior: 'wait' })
}, 120_000)

test('reports a wallet without a balance, and proves the inclusion of one with a balance', async () => {
  await page.getByRole('link', { name: 'Check your own balance' }).click()
  await page.getByRole('button', { name: 'Sign in with your wallet' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Test wallet' }).click()
  await page.getByText('You have no balance yet').waitFor()
  await expectAccessible(page)

  const me: Person = { account, token: await signIn(fixture.on.url, account) }
  await deposit(fixture.on, me, '12.5')
  await page.reload()
  // The page polls for the tree that includes it.
  await outcome()
    .getByText(/Your 12\.50/)
    .waitFor()
  await outcome().getByText('are in the reserves').waitFor()
  await expect.poll(() => steps('Your share').getByRole('img', { name: 'Holds' }).count()).toBe(5)
  await expect.poll(() => steps('Reserves').getByRole('img', { name: 'Holds' }).count()).toBe(4)
  const way = steps('Path to the root')
  await way.getByText('You', { exact: true }).waitFor()
  await way.getByText('20.50').first().waitFor()
  await expectAccessibleInBothThemes(page)
}, 180_000)

test.each([
  [
    'a reduced balance',
    (body: Record<string, unknown>) => {
      body.balanceUsdc = '2.500000'
    },
    'your ledger had',
  ],
  [
    'a changed sibling',
    (body: Record<string, unknown>) => {
      const [first] = body.branch as Record<string, unknown>[]
      if (first !== undefined) first.hash = `0x${'7'.repeat(64)}`
    },
    'which is a different root',
  ],
  [
    'a negative sum, which would hide what others are owed',
    (body: Record<string, unknown>) => {
      const [first] = body.branch as Record<string, unknown>[]
      if (first !== undefined) first.sumUsdc = '-3.500000'
    },
    'is not a valid balance',
  ],
])(
  'detects %s',
  async (_, change, reported) => {
    await tamper('/api/v1/proof/inclusion', change)
    await again()
    await outcome().getByText('The proof failed').waitFor()
    await steps('Your share').getByText(reported).waitFor()
    await page.unrouteAll({ behavior: 'wait' })
    await again()
    await outcome().getByText('are in the reserves').waitFor()
  },
  120_000,
)

test('leaves the outcome open when the node is unreachable, and reports an unreachable gateway', async () => {
  // Both the gateway's node and the wallet's.
  const { rpcUrl } = fixture.on.chain
  wallet?.loseChain(true)
  await page.route(`${rpcUrl}**`, route => route.abort())
  await page.reload()
  await outcome().getByText('The proof is incomplete').waitFor()
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
