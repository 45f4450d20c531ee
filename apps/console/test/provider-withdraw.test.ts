import { parseUsdc } from '@farebox/money'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sendToVault } from '../../gateway/test/kit/chain/vault-owner.ts'
import { post } from '../../gateway/test/kit/network/http.ts'
import { startProvider, type TestProvider } from '../../gateway/test/kit/provider/provider.ts'
import { until } from '../../gateway/test/kit/until.ts'
import { newWallet, signIn } from '../../gateway/test/kit/world/wallets.ts'
import { arrive, invoke, mint, type Person, register } from '../../gateway/test/kit/world/world.ts'
import { expectAccessibleInBothThemes } from './kit/axe.ts'
import { type ConsoleFixture, ofThePage, openConsole, visitAs } from './kit/browser.ts'
import type { TestWallet } from './kit/test-wallet.ts'
import { beginWith, replaceSent, sentHash } from './kit/wallet-flow-steps.ts'

const PRICE = '2.000000'

let fixture: ConsoleFixture
let provider: TestProvider
let page: Page
let context: BrowserContext
let wallet: TestWallet
let faults: readonly string[]
const account = newWallet()

beforeAll(async () => {
  ;[fixture, provider] = await Promise.all([
    openConsole({ env: { REQUIRED_CONFIRMATIONS: '2', WITHDRAW_AUTO_APPROVE_MAX_USDC: '12' } }),
    startProvider(),
  ])
  ;({ page, context, faults, wallet } = await visitAs(fixture, '/provider/earnings', account))
}, 180_000)
afterAll(async () => {
  await fixture.stop()
  await provider.stop()
})

const steps = () => page.getByRole('list', { name: 'Withdrawal' })
const reported = (text: string | RegExp) => steps().getByRole('alert').filter({ hasText: text })
const list = () => page.getByRole('table', { name: 'Withdrawals' })
const paid = (amount: string) =>
  page.getByRole('status').filter({ hasText: `${amount} USDC was paid to your wallet` })
const places = (name: string) =>
  page.getByRole('navigation', { name: 'Provider' }).getByRole('link', { name }).click()

const begin = (amount: string) => beginWith(page, amount)
const sent = () => sentHash(page, `farebox.withdrawal.${account.address.toLowerCase()}`)

/** Returns an owner with 100 USDC, credited after two blocks. */
async function payer(): Promise<Person> {
  const { on } = fixture
  const person = await arrive(on)
  const { address } = person.account
  await on.chain.fund(address, parseUsdc('100'))
  const tx_hash = await on.chain.deposit(address, parseUsdc('100'))
  const { token } = person
  const opened = await post<{ intent: { id: string } }>(on, '/balance/deposit/intent', {
    token,
    body: { tx_hash, amount: '100' },
  })
  await on.chain.mine(2)
  const confirm = () =>
    post(on, `/balance/deposit/intents/${opened.body.intent.id}/confirm`, { token, body: {} })
  await until('the deposit is credited', async () => (await confirm()).status === 200)
  return person
}

/** Sends a transaction of the vault's owner. */
async function ofVault(functionName: 'pause' | 'unpause'): Promise<void> {
  await sendToVault(fixture.on.chain, functionName)
  await fixture.on.chain.mine()
}

test('shows earnings by day and by service, and downloads them', async () => {
  await page.getByText('Nothing earned in this period').waitFor()
  await expectAccessibleInBothThemes(page)
  const person = { account, token: await signIn(fixture.on.url, account) }
  const serviceId = await register(fixture.on, person, {
    targets: [provider.url],
    priceUsdc: PRICE,
    manifest: { serviceName: 'Weather now' },
  })
  const credential = await mint(fixture.on, await payer())
  for (let call = 0; call < 10; call++) {
    const answer = await invoke(fixture.on, credential, { serviceId, costUsdc: PRICE, payload: { body: {} } })
    expect(answer).toMatchObject({ status: 200 })
  }
  await page.reload()
  await page.getByText('10 paid calls').waitFor()
  await page.getByText('Available', { exact: true }).locator('..').getByText('20.00').waitFor()
  await page.getByRole('table', { name: 'Earnings by service' }).getByText('Weather now').waitFor()
  const forecast = page.getByRole('list', { name: 'Payout forecast' })
  const part = (label: string) => forecast.getByRole('listitem').filter({ hasText: label })
  await part('Immediate ticket').getByText('12.00').waitFor()
  await part("Above today's limit").getByText('8.00').waitFor()
  await part('From 00:00 UTC').waitFor()
  await page.getByText('Up to 12.00 USDC needs no review.').waitFor()
  await expectAccessibleInBothThemes(page)
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download services as CSV' }).click()
  expect((await download).suggestedFilename()).toMatch(/^farebox-earnings-by-service-.*\.csv$/)
}, 120_000)

test('completes a withdrawal across a declined request and reloads', async () => {
  const { chain } = fixture.on
  await places('Withdraw')
  await page.getByText('You can withdraw 20.00 USDC').waitFor()
  await begin('21')
  await page.getByRole('alert').filter({ hasText: 'You have 20.00 USDC to withdraw.' }).waitFor()
  await expectAccessibleInBothThemes(page)

  // Declined: an error is shown, a reload loses nothing, and the wallet opens only on a click.
  wallet.decline(true)
  await begin('6')
  await reported('You rejected the request in your wallet').waitFor()
  await expectAccessibleInBothThemes(page)
  await page.reload()
  await steps().getByRole('button', { name: 'Redeem' }).waitFor()
  await steps()
    .getByText(/It expires in \d+ min\./)
    .waitFor()
  await page.getByText('In withdrawal').locator('..').getByText('6.00').waitFor()
  expect(wallet.asked.filter(method => method === 'eth_sendTransaction')).toHaveLength(1)

  wallet.decline(false)
  await chain.pauseMining()
  await steps().getByRole('button', { name: 'Redeem' }).click()
  await steps().getByText('not in a block yet').waitFor()
  await page.reload()
  await steps().getByText('not in a block yet').waitFor()
  await chain.mine()
  await steps().getByText('1 of 2 confirmations').waitFor()
  await page.reload()
  await steps().getByText('1 of 2 confirmations').waitFor()
  await expectAccessibleInBothThemes(page)
  // The introduction knows what was done, and what is next.
  const introduction = page.getByRole('list', { name: 'First steps' })
  const ticked = () => introduction.getByLabel('Done').count()
  await places('Services')
  await introduction
    .getByRole('listitem')
    .filter({ hasText: 'Withdraw to your wallet' })
    .getByRole('link')
    .waitFor()
  expect(await ticked()).toBe(3)
  await places('Withdraw')
  await steps().getByText('1 of 2 confirmations').waitFor()
  await chain.mine()
  await chain.resumeMining()
  await paid('6.00').waitFor()
  await list().getByText('Paid').waitFor()
  expect(await chain.usdcOf(account.address)).toBe(parseUsdc('6'))
  expect(wallet.asked.filter(method => method === 'eth_sendTransaction')).toHaveLength(2)
  await page.getByRole('button', { name: 'Close' }).click()
  await places('Services')
  await expect.poll(ticked, { timeout: 20_000 }).toBe(4)
  await page.getByRole('button', { name: 'Hide first steps' }).click()
  await introduction.waitFor({ state: 'detached' })
  await places('Withdraw')
}, 180_000)

test('asks a wallet on another network to switch, and explains why the vault does not pay', async () => {
  await ofVault('pause')
  await begin('2')
  // An amount above what the vault can pay now is reviewed first.
  await steps().getByText('The operator reviews this withdrawal before a ticket is issued').waitFor()
  await list().getByText('In review').waitFor()
  for (const place of [steps(), list()])
    await place.getByText('The vault could not cover it at that time.').waitFor()
  await page.getByRole('button', { name: 'Later' }).click()
  await ofVault('unpause')

  await wallet.goToChain(5)
  wallet.decline(true)
  await begin('1')
  await reported('You rejected the request in your wallet').waitFor()
  wallet.decline(false)
  await ofVault('pause')
  await steps().getByRole('button', { name: 'Try again' }).click()
  await reported('The operator has paused the vault').waitFor()
  await expectAccessibleInBothThemes(page)
  await ofVault('unpause')
  await steps().getByRole('button', { name: 'Try again' }).click()
  await steps().getByText('1 of 2 confirmations').waitFor()
  await fixture.on.chain.mine()
  await paid('1.00').waitFor()
  await page.getByRole('button', { name: 'Close' }).click()
}, 120_000)

test('follows a redemption that was sped up, and reports and retries when something is unreachable', async () => {
  const { chain } = fixture.on
  await chain.pauseMining()
  await begin('0.5')
  const hash = await sent()
  await list().getByText('Confirming', { exact: true }).waitFor()
  await page.goto('about:blank')
  await replaceSent(chain, { account, hash, by: 'same' })
  await chain.mine()
  await page.goto(`${fixture.on.url}/provider/withdraw`)
  await steps().getByText('1 of 2 confirmations').waitFor()
  await context.route('**/api/v1/**', route => route.abort())
  await reported('The gateway cannot be reached').waitFor()
  await context.unroute('**/api/v1/**')
  await chain.mine()
  await chain.resumeMining()
  await paid('0.50').waitFor()
  await page.getByRole('button', { name: 'Close' }).click()
}, 120_000)

test('reports a redemption that the chain dropped, and sends it again', async () => {
  const { chain } = fixture.on
  await chain.pauseMining()
  await begin('0.25')
  await chain.client.dropTransaction({ hash: await sent() })
  await reported('The chain does not know this transaction').waitFor()
  await steps().getByRole('button', { name: 'Ask the wallet again' }).click()
  await reported('The chain does not know this transaction').waitFor({ state: 'detached' })
  await sent()
  await chain.mine(2)
  await chain.resumeMining()
  await paid('0.25').waitFor()
  await page.getByRole('button', { name: 'Close' }).click()
}, 120_000)

test('releases the amount of a ticket past its deadline', async () => {
  wallet.decline(true)
  await begin('1.5')
  await reported('You rejected the request in your wallet').waitFor()
  await page.getByRole('button', { name: 'Later' }).click()
  wallet.decline(false)
  await list().getByRole('button', { name: 'Redeem' }).waitFor()
  const { increaseTime, mine } = fixture.on.chain
  await increaseTime(3_700)
  await list().getByRole('button', { name: 'Redeem' }).click()
  await steps().getByText('The ticket has expired').waitFor()
  await mine(3)
  await reported('The ticket was not redeemed before its deadline').waitFor()
  await page.getByRole('button', { name: 'Withdraw again' }).click()
  await list().getByText('Expired').waitFor()
  await expectAccessibleInBothThemes(page)
  await context.close()
  expect(ofThePage(faults)).toEqual([])
  await fixture.on.assertBooks()
}, 120_000)
