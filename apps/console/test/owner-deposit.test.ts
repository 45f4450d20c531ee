import { parseUsdc } from '@farebox/money'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newWallet } from '../../gateway/test/kit/world/wallets.ts'
import { expectAccessible, expectAccessibleInBothThemes } from './kit/axe.ts'
import { type ConsoleFixture, ofThePage, openConsole, visitAs } from './kit/browser.ts'

let fixture: ConsoleFixture
beforeAll(async () => {
  fixture = await openConsole({ env: { REQUIRED_CONFIRMATIONS: '3' } })
}, 180_000)
afterAll(() => fixture.stop())

const progress = (page: Page) => page.getByRole('list', { name: 'Deposit' })

test('states that a deposit is final and completes it, with a reload at each step', async () => {
  const account = newWallet()
  const { chain } = fixture.on
  await chain.fund(account.address, parseUsdc('100'))
  const { page, wallet, faults } = await visitAs(fixture, '/app/deposit', account)
  const amount = page.getByLabel('Amount')
  const deposit = page.getByRole('main').getByRole('button', { name: 'Deposit', exact: true })
  await page.getByText('In your wallet: 100.00 USDC').waitFor()
  await page.getByText('A deposit pays for calls. It cannot be paid back to your wallet.').waitFor()

  // Amounts are parsed to the micro-USDC and checked before the wallet opens.
  for (const [typed, reported] of [
    ['100.000001', 'More than your wallet has.'],
    ['1.1234567', 'USDC has at most 6 decimals.'],
    ['ten', 'Enter a number'],
    ['0', 'Must be greater than zero.'],
  ] as const) {
    await amount.fill(typed)
    await deposit.click()
    await page.getByRole('alert').filter({ hasText: reported }).waitFor()
  }
  await page.getByRole('button', { name: 'Max' }).click()
  await expect.poll(() => amount.inputValue()).toBe('100')
  await amount.fill('25')

  // Declined: an error is shown, a reload loses nothing, and the wallet opens only on a click.
  wallet?.decline(true)
  await deposit.click()
  await progress(page)
    .getByRole('alert')
    .filter({ hasText: 'You rejected the request in your wallet' })
    .waitFor()
  await expectAccessible(page)
  await page.reload()
  await progress(page).getByRole('button', { name: 'Sign the permit' }).waitFor()
  expect(wallet.asked.filter(method => method === 'eth_signTypedData_v4')).toHaveLength(1)

  wallet?.decline(false)
  await chain.pauseMining()
  await progress(page).getByRole('button', { name: 'Sign the permit' }).click()
  await progress(page).getByText('not in a block yet').waitFor()
  await page.reload()
  await progress(page).getByText('not in a block yet').waitFor()

  await chain.mine()
  await progress(page).getByText('1 of 3 confirmations').waitFor()
  await page.reload()
  await progress(page).getByText('1 of 3 confirmations').waitFor()
  await page.getByRole('table', { name: 'Deposits' }).getByText('Confirming').waitFor()
  await expectAccessibleInBothThemes(page)
  await chain.mine(2)
  await chain.resumeMining()
  await page.getByRole('status').filter({ hasText: '25.00 USDC added to your balance' }).waitFor()
  await page.getByRole('table', { name: 'Deposits' }).getByText('Credited').waitFor()
  await page.getByText('Available to spend').locator('..').getByText('25.00').waitFor()
  await expectAccessible(page)
  expect(wallet.asked.filter(method => method === 'eth_sendTransaction')).toHaveLength(1)
  expect(await chain.usdcOf(account.address)).toBe(parseUsdc('75'))
  expect(ofThePage(faults)).toEqual([])
  await fixture.on.assertBooks()
}, 180_000)

test('approves the amount in a separate transaction without a permit', async () => {
  const account = newWallet()
  const { chain } = fixture.on
  await chain.fund(account.address, parseUsdc('7'))
  const { page, wallet } = await visitAs(fixture, '/app/deposit', account, { width: 360 })
  await page.getByRole('button', { name: 'Approve first' }).click()
  await page.getByLabel('Amount').fill('6.5')
  await page.getByLabel('Amount').press('Enter')
  await progress(page).getByText('1 of 3 confirmations').waitFor()
  await chain.mine(2)
  await page.getByRole('status').filter({ hasText: '6.50 USDC added to your balance' }).waitFor()
  expect(wallet.asked.filter(method => method === 'eth_sendTransaction')).toHaveLength(2)
  expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true)
  // The form is there beside what is done.
  await page.getByLabel('Amount').fill('0.5')
  await page.getByRole('button', { name: 'Close' }).click()
  expect(await page.getByLabel('Amount').inputValue()).toBe('0.5')
}, 120_000)
