import { usdc } from '@farebox/money'
import { withdrawalNonce } from '@farebox/vault'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { get, post } from '../../gateway/test/kit/network/http.ts'
import { startProvider, type TestProvider } from '../../gateway/test/kit/provider/provider.ts'
import { newWallet, signIn } from '../../gateway/test/kit/world/wallets.ts'
import {
  arrive,
  balanceOf,
  deposit,
  invoke,
  mint,
  ownerWith,
  type Person,
  register,
} from '../../gateway/test/kit/world/world.ts'
import { expectAccessibleInBothThemes } from './kit/axe.ts'
import { type ConsoleFixture, openConsole, signInBy, visitAs } from './kit/browser.ts'

const PRICE = '10.000000'
const admin = newWallet()

let fixture: ConsoleFixture
let target: TestProvider
let seller: Person
let buyer: Person
let credential: { token: string }
let serviceId: string
let page: Page
let faults: readonly string[]

beforeAll(async () => {
  const env = { ADMIN_WALLETS: admin.address, WITHDRAW_AUTO_APPROVE_MAX_USDC: '1' }
  ;[fixture, target] = await Promise.all([openConsole({ env }), startProvider()])
  const { on } = fixture
  ;[seller, buyer] = await Promise.all([arrive(on), ownerWith(on, '50')])
  serviceId = await register(on, seller, {
    targets: [target.url],
    priceUsdc: PRICE,
    manifest: { serviceName: 'Weather now', agentToolName: 'weather' },
  })
  credential = await mint(on, buyer)
  expect(await call()).toBe(200)
  ;({ page, faults } = await fixture.visit('/admin', { account: admin }))
}, 180_000)
afterAll(async () => {
  await fixture.stop()
  await target.stop()
})

const call = async () =>
  (await invoke(fixture.on, credential, { serviceId, costUsdc: PRICE, payload: { body: {} } })).status
const go = (name: string) =>
  page.getByRole('navigation', { name: 'Admin' }).getByRole('link', { name, exact: true }).click()
const dialog = () => page.getByRole('dialog')
/** A part of what needs attention, above every page. */
const needs = (part: string) =>
  page.getByRole('region', { name: 'Needs attention' }).getByRole('link', { name: part })
const withdraw = (amountUsdc: string, key: string) =>
  post<{ withdrawalId: string }>(fixture.on, '/providers/withdrawals/intent', {
    token: seller.token,
    body: { amountUsdc },
    headers: { 'x-idempotency-key': key },
  })

test('refuses other wallets on every page, and says why', async () => {
  const stranger = await fixture.visit('/admin/vouchers', { account: newWallet() })
  await signInBy(stranger.page)
  await stranger.page.getByRole('heading', { name: 'Only admins can see this page' }).waitFor()
  await stranger.page.getByText('ADMIN_WALLETS').waitFor()
  await expectAccessibleInBothThemes(stranger.page)
  expect(stranger.faults).toEqual([])
  await stranger.context.close()
}, 120_000)

test('approves or rejects withdrawals above the rule after a typed confirmation', async () => {
  await signInBy(page)
  await page.getByText('Nothing to review').waitFor()
  const [big, small] = [await withdraw('5', 'one'), await withdraw('2.5', 'two')]
  const row = (amount: string) => page.getByRole('row').filter({ hasText: amount })
  await row('2.50').waitFor()
  // Who waits longest comes first, and every page says that somebody waits.
  const amounts = await page.getByRole('table', { name: 'Withdrawals' }).getByRole('row').allTextContents()
  expect(amounts).toEqual([
    expect.anything(),
    expect.stringMatching(/^5\.00/),
    expect.stringMatching(/^2\.50/),
  ])
  await needs('To review')
    .getByText(/^2, oldest /)
    .waitFor()
  await expectAccessibleInBothThemes(page)

  const first = row('5.00').filter({ hasNotText: '2.5' })
  await first.getByText('First payment').waitFor()
  await first.getByText('Wallet limit').waitFor()
  await first.getByRole('button', { name: 'Approve' }).click()
  await dialog().getByText(seller.account.address, { exact: true }).waitFor()
  await dialog().getByText('The amount is above the daily limit of its wallet.').waitFor()
  const earlier = dialog().getByRole('region', { name: 'Earlier withdrawals' })
  await earlier.getByText('This wallet has not been paid before.').waitFor()
  await earlier.getByRole('listitem').getByText('2.50').waitFor()
  const address = await dialog().getByText(seller.account.address, { exact: true }).boundingBox()
  const copy = await dialog().getByRole('button', { name: 'Copy address' }).boundingBox()
  expect(copy?.x).toBeGreaterThanOrEqual(Number(address?.x) + Number(address?.width))
  expect(Number(copy?.y)).toBeLessThan(Number(address?.y) + Number(address?.height))
  const approve = dialog().getByRole('button', { name: 'Approve' })
  expect(await approve.isDisabled()).toBe(true)
  await dialog().getByLabel('to confirm').fill('6')
  expect(await approve.isDisabled()).toBe(true)
  await dialog().getByLabel('to confirm').fill('5')
  await expectAccessibleInBothThemes(page)
  await dialog().getByLabel('to confirm').press('Enter')
  await page.getByText('The provider can now redeem a ticket.').waitFor()

  await row('2.50').getByRole('button', { name: 'Reject' }).click()
  await dialog().getByLabel('to confirm').fill('2.50')
  expect(await dialog().getByRole('button', { name: 'Reject' }).isDisabled()).toBe(true)
  await dialog().getByLabel('Reason').fill('The invoice is missing.')
  await dialog().getByRole('button', { name: 'Reject' }).click()
  await page.getByText('Nothing to review').waitFor()
  await page.getByRole('combobox', { name: 'Show' }).click()
  await page.getByRole('option', { name: 'Rejected' }).click()
  await page.getByRole('table', { name: 'Withdrawals' }).getByText('The invoice is missing.').waitFor()
  const read = async (id: string) =>
    (await get<{ withdrawal: Record<string, unknown> }>(fixture.on, `/providers/withdrawals/${id}`, seller))
      .body
  expect(JSON.stringify(await read(big.body.withdrawalId))).toContain('APPROVED_MANUAL')
  expect(JSON.stringify(await read(small.body.withdrawalId))).toContain('The invoice is missing.')
}, 120_000)

test('suspends and resumes a service and a wallet', async () => {
  await go('Suspension')
  await page.getByText('Nothing is suspended').waitFor()
  await page.getByLabel('Tool name or id').fill('Not a name!')
  await page.getByRole('button', { name: 'Suspend…' }).first().click()
  await page.getByRole('alert').filter({ hasText: 'A tool name or an id' }).waitFor()
  await page.getByLabel('Tool name or id').fill('weather')
  await page.getByRole('button', { name: 'Suspend…' }).first().click()
  await dialog().getByLabel('Reason').fill('Other answers than it is paid for.')
  await dialog().getByLabel('to confirm').fill('weather')
  await dialog().getByRole('button', { name: 'Suspend service' }).click()
  const row = (text: string) => page.getByRole('row').filter({ hasText: text })
  await row('Weather now').getByText('Other answers than it is paid for.').waitFor()
  expect(await call()).toBe(404)
  const theirs = await visitAs(fixture, `/provider/${serviceId}`, seller.account)
  await theirs.page.getByText('Reason: “Other answers than it is paid for.”').waitFor()
  await theirs.page.getByRole('table', { name: 'Targets' }).getByText('Not probed').waitFor()

  const { address } = buyer.account
  await page.getByLabel('Address of the wallet').fill(address)
  await page.getByRole('button', { name: 'Suspend…' }).last().click()
  await dialog().getByLabel('Reason').fill('Its token was stolen.')
  await dialog().getByLabel('to confirm').fill(address.slice(-6))
  await dialog().getByRole('button', { name: 'Suspend wallet' }).click()
  await row('Wallet').getByRole('button', { name: 'Lift' }).waitFor()
  expect(await call()).toBe(403)
  expect((await get(fixture.on, '/balance', buyer)).body).toMatchObject({
    code: 'WALLET_SUSPENDED',
    message: 'This wallet is suspended. Its token was stolen.',
  })
  await expectAccessibleInBothThemes(page)

  await row('Weather now').getByRole('button', { name: 'Lift' }).click()
  await dialog().getByLabel('to confirm').fill('Weather now')
  await dialog().getByRole('button', { name: 'Lift suspension' }).click()
  await row('Weather now').waitFor({ state: 'detached' })
  await row('Wallet').getByRole('button', { name: 'Lift' }).click()
  await dialog().getByLabel('to confirm').fill(address.slice(-6))
  await dialog().getByRole('button', { name: 'Lift suspension' }).click()
  await page.getByText('Nothing is suspended').waitFor()
  await expect.poll(call).toBe(200)
}, 180_000)

test('turns a report into a task, closes it with a note, and moderates the forum', async () => {
  const report = { source: 'api', sentiment: 'not_helpful', category: 'billing', message: 'Charged twice?' }
  expect((await post(fixture.on, '/feedback', { token: buyer.token, body: report })).status).toBe(200)
  const written = await post<{ topic: { topicId: string } }>(fixture.on, '/forum/topics', {
    token: seller.token,
    body: { title: 'Buy my coins', category: 'general', body: 'Cheap!' },
  })
  expect(written.status).toBe(200)

  await go('Support tasks')
  await page.getByRole('row').filter({ hasText: 'Charged twice?' }).getByRole('button').first().click()
  await dialog().getByText('Charged twice?', { exact: true }).first().waitFor()
  await dialog().getByRole('button', { name: 'Close task' }).click()
  await dialog().getByRole('alert').filter({ hasText: 'Enter a resolution.' }).waitFor()
  await expectAccessibleInBothThemes(page)
  await dialog().getByLabel('Resolution').fill('One of them was released.')
  await dialog().getByRole('button', { name: 'Close task' }).click()
  await page.getByText('No open tasks').waitFor()
  await page.getByRole('group', { name: 'Show' }).getByRole('button', { name: 'Closed' }).click()
  await page.getByRole('row').filter({ hasText: 'Charged twice?' }).waitFor()

  await go('Forum')
  const topic = page.getByRole('row').filter({ hasText: 'Buy my coins' })
  const act = async (name: string) => {
    await topic.getByRole('button', { name: 'Action for Buy my coins' }).click()
    await page.getByRole('menuitem', { name, exact: true }).click()
  }
  const author = topic.getByTitle(`Services of ${seller.account.address}`)
  expect(await author.getAttribute('href')).toBe(`/market?provider=${seller.account.address}`)
  await expectAccessibleInBothThemes(page)
  await act('Lock')
  await topic.getByText('Locked').waitFor()
  await act('Remove')
  await dialog().getByLabel('to confirm').fill('remove')
  await dialog().getByRole('button', { name: 'Remove topic' }).click()
  await topic.waitFor({ state: 'detached' })
}, 120_000)

test("creates vouchers from the admin's balance and shows their codes once", async () => {
  await go('Vouchers')
  await page.getByText('No vouchers yet').waitFor()
  await page.getByRole('button', { name: 'Create vouchers' }).click()
  await dialog().getByLabel('Quantity').fill('0')
  await dialog().getByRole('button', { name: 'Create vouchers' }).click()
  await dialog().getByRole('alert').filter({ hasText: 'From 1 to 100.' }).waitFor()
  await dialog().getByLabel('Quantity').fill('2')
  await dialog().getByText('Total value').getByText('10.00').waitFor()
  await dialog().getByRole('button', { name: 'Create vouchers' }).click()
  await dialog().getByText('10.00 USDC must be set aside, but your balance is 0.00 USDC').waitFor()
  const boss = { account: admin, token: await signIn(fixture.on.url, admin) }
  await deposit(fixture.on, boss, '10')
  await dialog().getByRole('button', { name: 'Create vouchers' }).click()

  const codes = dialog().getByRole('list', { name: 'Codes' }).getByRole('listitem')
  await codes.first().waitFor()
  const reported = await codes.allTextContents()
  await dialog().getByRole('button', { name: 'Copy all codes' }).click()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(reported.join('\n'))
  await expectAccessibleInBothThemes(page)
  await dialog().getByRole('button', { name: 'I have saved them' }).click()
  expect(await page.getByRole('table', { name: 'Vouchers' }).getByText('0 of 1').count()).toBe(2)
  const before = await balanceOf(fixture.on, buyer)
  const { status } = await post(fixture.on, '/balance/vouchers/redeem', {
    token: buyer.token,
    body: { voucherCode: reported[0] },
    headers: { 'x-idempotency-key': 'one' },
  })
  expect(status).toBe(200)
  expect((await balanceOf(fixture.on, buyer)).available - before.available).toBe(5_000_000n)
}, 120_000)

test('says from every page that the chain and the books disagree, and settles it with a reason', async () => {
  const { chain } = fixture.on
  const to = seller.account.address
  const nonce = withdrawalNonce('wd_stolen')
  const signed = { to, amount: usdc(1_000_000n), deadline: (await chain.now()) + 3_600n, nonce }
  await chain.redeem(signed, await chain.adapter.signTicket(signed))
  await go('Vouchers')
  await needs('Chain and books').getByText('1 disagreement: no payouts').waitFor()
  await needs('Chain and books').click()
  await page.getByRole('heading', { name: 'Unexplained payment' }).waitFor()
  await page.getByText('unknown_nonce').waitFor()
  await expectAccessibleInBothThemes(page)
  await page.getByRole('button', { name: 'Adopt payment' }).click()
  await dialog().getByText(to.toLowerCase(), { exact: true }).waitFor()
  await dialog().getByRole('button', { name: 'The platform' }).click()
  await dialog().getByText('The platform bears the whole amount.').waitFor()
  await dialog().getByLabel('Reason').fill('The key was stolen and is replaced.')
  await dialog().getByLabel('to confirm').fill('1')
  await expectAccessibleInBothThemes(page)
  await dialog().getByRole('button', { name: 'Adopt payment' }).click()
  await page.getByText('Settled: 0.00 USDC charged to the wallet, 1.00 USDC to the platform.').waitFor()
  await needs('Chain and books').getByText('Agree').waitFor()
  await go('Audit log')
  await page.getByRole('table', { name: 'Audit log' }).getByText('Payment adopted').waitFor()
}, 120_000)

test('checks the books on demand and lists every admin action in the audit log', async () => {
  await go('Reconcile')
  await page.getByRole('button', { name: 'Check now' }).click()
  const checks = page.getByRole('table', { name: 'Checks' })
  await checks.getByText('Consistent').waitFor()
  await page.getByText('The books are consistent').waitFor()
  await expectAccessibleInBothThemes(page)

  await go('Fees and health')
  const rotation = page.getByRole('table', { name: 'Jobs' }).getByRole('row', { name: 'rotate-signing-keys' })
  await rotation.getByText(/^\d+ (s|min) ago$/).waitFor()
  await rotation.getByText(/^took <?\d/).waitFor()
  await rotation.getByText(/^in \d+ s$/).waitFor()
  await rotation.getByText('every 60 s').waitFor()
  const card = (name: string) => page.locator('section').filter({ has: page.getByRole('heading', { name }) })
  await card('Ledger partitions').getByText('The tables reflect all 16 partitions of the log.').waitFor()
  await card('Chain').getByText('Deposits are read on time.').waitFor()
  await expect
    .poll(() => page.getByRole('table', { name: 'Ledger partitions' }).getByRole('row').count())
    .toBe(1 + 16)
  await expectAccessibleInBothThemes(page)

  const headings = () => page.locator('main section h2').allTextContents()
  expect(await headings()).toEqual(['Background jobs', 'Ledger partitions', 'Chain', 'Queue', 'Fees'])
  await page.getByText('All well', { exact: true }).waitFor()
  await page.route('**/api/v1/admin/health', async route => {
    const response = await route.fetch()
    const answer = (await response.json()) as { queue: object }
    await route.fulfill({ response, json: { ...answer, queue: { ...answer.queue, givenUp: 2 } } })
  })
  await page.getByText('1 part needs attention').waitFor()
  await needs('Gateway').getByText('2 jobs failed after all retries.').waitFor()
  await card('Queue').getByText('2 jobs failed after all retries.').waitFor()
  expect((await headings())[0]).toBe('Queue')
  await page.unroute('**/api/v1/admin/health')

  await go('Audit log')
  const log = page.getByRole('table', { name: 'Audit log' })
  await log.getByText('Books checked').waitFor()
  await page.getByRole('combobox', { name: 'Act' }).click()
  await page.getByRole('option', { name: 'Withdrawal rejected' }).click()
  await page.waitForURL('**/admin/audit?action=withdrawal.reject')
  await log.getByText('Books checked').waitFor({ state: 'detached' })
  await log.getByRole('button', { name: 'Withdrawal rejected' }).click()
  await dialog().getByText('"REJECTED"').first().waitFor()
  await dialog().getByRole('button', { name: 'Before' }).click()
  await dialog().getByText('"PENDING_REVIEW"').first().waitFor()
  await expectAccessibleInBothThemes(page)
  await page.keyboard.press('Escape')
  expect(faults.filter(fault => !/status of 4\d\d/.test(fault))).toEqual([])
}, 120_000)

test('links wallets and transactions to the explorer of a known chain in lists, records and the account menu', async () => {
  const log = page.getByRole('table', { name: 'Audit log' })
  const openMenu = () =>
    page
      .getByRole('banner')
      .getByRole('button', { name: /^Account 0x/ })
      .click()
  const inMenu = page.getByRole('menuitem', { name: 'Open in block explorer' })
  await page.goto(`${fixture.on.url}/admin/audit?action=wallet.suspend`)
  await log.getByText('Wallet suspended').waitFor()
  expect(await page.getByRole('link', { name: /in the block explorer$/ }).count()).toBe(0)
  await openMenu()
  await page.getByRole('menuitem', { name: 'Sign out' }).waitFor()
  expect(await inMenu.count()).toBe(0)

  await page.context().route('https://basescan.org/**', route => route.fulfill({ body: 'An explorer.' }))
  await page.route('**/console/config.json', async route => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...(await response.json()), chainId: 8453 } })
  })
  await page.reload()
  const row = log.getByRole('row').filter({ hasText: 'Wallet suspended' })
  const hrefs = async () => {
    const links = await row.getByRole('link').all()
    return Promise.all(links.map(async link => (await link.getAttribute('href'))?.toLowerCase()))
  }
  const pathOf = (address: string) => `https://basescan.org/address/${address}`.toLowerCase()
  await expect.poll(hrefs).toEqual([pathOf(buyer.account.address), pathOf(admin.address)])
  const opened = page.waitForEvent('popup')
  await row.getByRole('link').first().click()
  expect((await opened).url().toLowerCase()).toBe(pathOf(buyer.account.address))
  expect(await dialog().count()).toBe(0)

  await row.getByRole('button', { name: 'Wallet suspended' }).click()
  await dialog().getByText(buyer.account.address, { exact: true }).waitFor()
  expect(
    await dialog()
      .getByRole('link', { name: /in the block explorer$/ })
      .count(),
  ).toBe(2)
  await page.keyboard.press('Escape')
  await openMenu()
  const fromMenu = page.waitForEvent('popup')
  await inMenu.click()
  expect((await fromMenu).url().toLowerCase()).toBe(pathOf(admin.address))
  await page.unroute('**/console/config.json')
}, 60_000)

test('lists the oldest open support task first, and opens one beyond the loaded pages', async () => {
  const idOf = (number: number | string) => `task_${String(number).padStart(26, '0')}`
  await fixture.on.sql(
    `with topics as (
       insert into forum_topics (id, category, title, body)
       select 'top_' || lpad(n::text, 26, '0'), 'support', 'Report ' || n, 'Report ' || n || '.' from generate_series(1, 60) n
       returning id)
     insert into support_tasks (id, topic_id, category, report)
     select replace(id, 'top_', 'task_'), id, 'bug', '{}' from topics`,
  )
  await page.goto('/admin/support')
  const first = page.getByRole('table', { name: 'Support tasks' }).getByRole('row').nth(1)
  await first.getByText('Report 1.', { exact: true }).waitFor()
  await page.goto(`/admin/support?open=${idOf(60)}`)
  await dialog().getByText('Report 60.', { exact: true }).waitFor()
  await expectAccessibleInBothThemes(page)
  await page.goto(`/admin/support?open=${idOf('none'.replaceAll('o', '0'))}`)
  await dialog().getByText('Unknown task').waitFor()
})
