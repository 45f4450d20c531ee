import { parseUsdc } from '@farebox/money'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../gateway/test/kit/until.ts'
import { newWallet } from '../../gateway/test/kit/world/wallets.ts'
import { expectAccessibleInBothThemes } from './kit/axe.ts'
import { type ConsoleFixture, endSession, openConsole, placesOf } from './kit/browser.ts'
import { startRelay, type TestRelay } from './kit/relay.ts'
import { startPhone, type TestPhone } from './kit/test-phone.ts'

const PROJECT = '0123456789abcdef0123456789abcdef'
const TEST_MS = 120_000

let relay: TestRelay
let fixture: ConsoleFixture
const phones: TestPhone[] = []

beforeAll(async () => {
  relay = await startRelay()
  fixture = await openConsole({
    env: { WALLETCONNECT_PROJECT_ID: PROJECT, WALLETCONNECT_RELAY_URL: relay.url },
  })
}, 240_000)
afterAll(async () => {
  for (const phone of phones) await phone.stop()
  await fixture.stop()
  await relay.stop()
})

async function phoneOf(account = newWallet()) {
  const phone = await startPhone(relay, fixture.on.chain, account)
  phones.push(phone)
  return { phone, account }
}

const dialogOf = (page: Page) => page.getByRole('dialog')
const code = (page: Page) => dialogOf(page).getByRole('img', { name: 'Code for the wallet on your phone' })
const account = (page: Page) =>
  page.getByRole('banner').getByRole('button', { name: /^Account 0x/, disabled: false })

async function choosePhone(page: Page): Promise<void> {
  await page.getByRole('banner').getByRole('button', { name: 'Sign in' }).click()
  await dialogOf(page).getByRole('button', { name: 'WalletConnect: a wallet on your phone' }).click()
}

/** Returns the text of the pairing code from its copy button. */
async function readCode(page: Page): Promise<string> {
  await code(page).waitFor()
  await dialogOf(page).getByRole('button', { name: 'Copy link' }).click()
  await dialogOf(page).getByRole('button', { name: 'Copied' }).waitFor()
  return (await page.evaluate('navigator.clipboard.readText()')) as string
}

async function signInByPhone(page: Page, phone: TestPhone): Promise<void> {
  await choosePhone(page)
  await phone.read(await readCode(page))
  await account(page).waitFor()
}

test(
  'pairs a phone, signs in and pays a deposit, and shares only the minimum with the relay',
  async () => {
    const { phone, account: owner } = await phoneOf()
    await fixture.on.chain.fund(owner.address, parseUsdc('30'))
    const { page, faults } = await fixture.visit('/market')
    const places = placesOf(page)
    await choosePhone(page)
    const uri = await readCode(page)
    expect(uri).toMatch(/^wc:[0-9a-f]{64}@2\?/)
    await expectAccessibleInBothThemes(page)
    await phone.read(uri)
    await account(page).waitFor()
    expect(await account(page).getAttribute('aria-label')).toContain(owner.address)

    // The connection survives a reload.
    await page.goto('/app/deposit')
    await page.getByText('In your wallet: 30.00 USDC').waitFor()
    await page.getByLabel('Amount').fill('12')
    await page.getByLabel('Amount').press('Enter')
    await page.getByRole('status').filter({ hasText: '12.00 USDC added to your balance' }).waitFor()
    expect(phone.asked).toEqual(['personal_sign', 'eth_signTypedData_v4', 'eth_sendTransaction'])
    await fixture.on.assertBooks()

    expect(faults).toEqual([])
    const { url, chain } = fixture.on
    expect([...places].sort()).toEqual(
      [url, chain.rpcUrl, relay.url].map(each => new URL(each).origin).sort(),
    )
    const visit = relay.visitors.find(query => query.get('projectId') === PROJECT)
    expect([...(visit?.keys() ?? [])].sort()).toEqual(['auth', 'projectId', 'ua', 'useOnCloseEvent'])
    // Besides the encrypted message, the relay learns its topic, its lifetime and the kind of step.
    const reported = relay.heard.filter(({ project }) => project === PROJECT).map(({ params }) => params)
    const open = ['topic', 'topics', 'id', 'pairingTopic', 'ttl', 'prompt', 'tag', 'tvf', 'correlationId']
    const sealed = ['message', 'sessionProposal']
    expect([...open, ...sealed]).toEqual(expect.arrayContaining(reported.flatMap(each => Object.keys(each))))
    for (const { tvf } of reported)
      expect(Object.keys(tvf ?? {})).toEqual(tvf === undefined ? [] : ['correlationId'])
  },
  TEST_MS,
)

test(
  'reports a decline on the phone, and can try again or use another phone',
  async () => {
    const { phone } = await phoneOf()
    const { page } = await fixture.visit('/market', { width: 390 })
    phone.decline(true)
    await choosePhone(page)
    await phone.read(await readCode(page))
    await dialogOf(page).getByText('You rejected the request in your wallet').waitFor()
    await expectAccessibleInBothThemes(page)
    phone.decline(false)
    phone.ignore(true)
    await dialogOf(page).getByRole('button', { name: 'Try again' }).click()
    await phone.read(await readCode(page))
    await dialogOf(page).getByText('Sign on your phone').waitFor()
    await expectAccessibleInBothThemes(page)
    phone.decline(true)
    await until('the phone is asked', () => phone.asked.length === 1)
    phone.ignore(false)
    await dialogOf(page).getByText('You rejected the request in your wallet').waitFor()

    const { phone: other } = await phoneOf()
    await dialogOf(page).getByRole('button', { name: 'Use another phone' }).click()
    await other.read(await readCode(page))
    await account(page).waitFor()
    expect(phone.connections()).toBe(0)
    expect(other.connections()).toBe(1)
  },
  TEST_MS,
)

test(
  'returns to the other wallets, and disconnects a phone that approves too late',
  async () => {
    const { phone } = await phoneOf()
    const { page, faults } = await fixture.visit('/market', { account: newWallet() })
    await choosePhone(page)
    const uri = await readCode(page)
    await dialogOf(page).getByRole('button', { name: 'Other wallets' }).click()
    const approvals = () => relay.heard.filter(({ method }) => method === 'wc_approveSession').length
    const before = approvals()
    await phone.read(uri)
    await until('the phone was connected', () => approvals() > before)
    await until('the phone is let go', () => phone.connections() === 0)
    await dialogOf(page).getByRole('button', { name: 'Test wallet' }).click()
    await account(page).waitFor()
    expect(faults).toEqual([])
  },
  TEST_MS,
)

test(
  'signs in with a phone on another network, and asks it to switch before paying',
  async () => {
    const { phone, account: owner } = await phoneOf()
    await fixture.on.chain.fund(owner.address, parseUsdc('30'))
    phone.stayOn(10)
    const { page } = await fixture.visit('/market')
    await signInByPhone(page, phone)
    await page.goto('/app/deposit')
    await page.getByText('In your wallet: 30.00 USDC').waitFor()
    phone.decline(true)
    await page.getByLabel('Amount').fill('3')
    await page.getByLabel('Amount').press('Enter')
    await page.getByRole('alert').filter({ hasText: 'You rejected the request in your wallet' }).waitFor()
    phone.decline(false)
    await page.getByRole('main').getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('status').filter({ hasText: '3.00 USDC added to your balance' }).waitFor()
    expect(phone.asked.filter(method => method.startsWith('wallet_'))).toEqual([
      'wallet_switchEthereumChain',
      'wallet_switchEthereumChain',
      'wallet_addEthereumChain',
    ])
  },
  TEST_MS,
)

test(
  'reports a disconnected phone when it is needed, and can reconnect it',
  async () => {
    const owner = newWallet()
    const { phone } = await phoneOf(owner)
    await fixture.on.chain.fund(owner.address, parseUsdc('30'))
    const { page } = await fixture.visit('/market')
    await signInByPhone(page, phone)
    await page.goto('/app/deposit')
    await page.getByText('In your wallet: 30.00 USDC').waitFor()
    phone.ignore(true)
    await page.getByLabel('Amount').fill('5')
    await page.getByLabel('Amount').press('Enter')
    await until('the phone is asked', () => phone.asked.length === 2)
    await phone.leave()
    phone.ignore(false)
    await page.getByRole('alert').filter({ hasText: 'Your phone did not respond' }).waitFor()
    await page.getByRole('main').getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('alert').filter({ hasText: 'No wallet is connected' }).waitFor()
    await page.getByRole('button', { name: 'Connect your wallet' }).click()
    await page.getByRole('dialog', { name: /^Connect 0x/ }).waitFor()
    await dialogOf(page).getByRole('button', { name: 'WalletConnect: a wallet on your phone' }).click()
    await phone.read(await readCode(page))
    await dialogOf(page).waitFor({ state: 'detached' })
    await page.getByRole('main').getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('status').filter({ hasText: '5.00 USDC added to your balance' }).waitFor()
  },
  TEST_MS,
)

test(
  'renews a session with the connected phone, and disconnects it on sign-out in any tab',
  async () => {
    const { phone } = await phoneOf()
    const { page, context } = await fixture.visit('/app')
    await signInByPhone(page, phone)
    // The phone is still connected: there is no other code to scan.
    await endSession(fixture, page)
    await page.reload()
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
    await dialogOf(page).getByRole('button', { name: 'WalletConnect: a wallet on your phone' }).click()
    await dialogOf(page).waitFor({ state: 'detached' })
    expect(phone.asked).toEqual(['personal_sign', 'personal_sign'])

    const other = await context.newPage()
    await other.goto('/market')
    await account(other).click()
    await other.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('banner').getByRole('button', { name: 'Sign in' }).waitFor()
    await expect.poll(() => phone.connections()).toBe(0)
  },
  TEST_MS,
)

test(
  'reports an unreachable relay, and connects when it is back',
  async () => {
    const { phone, account: owner } = await phoneOf()
    await fixture.on.chain.fund(owner.address, parseUsdc('30'))
    const { page } = await fixture.visit('/market')
    relay.beAway(true)
    try {
      await choosePhone(page)
      await dialogOf(page)
        .getByText('WalletConnect, which connects to your phone, cannot be reached')
        .waitFor()
    } finally {
      relay.beAway(false)
    }
    await dialogOf(page).getByRole('button', { name: 'Try again' }).click()
    await phone.read(await readCode(page))
    await account(page).waitFor()

    // A request that could not be sent is not sent later: a retry asks once.
    await page.goto('/app/deposit')
    await page.getByText('In your wallet: 30.00 USDC').waitFor()
    await page.getByLabel('Amount').fill('4')
    const before = relay.missed()
    relay.beAway(true)
    try {
      await until('the page has lost it', () => relay.missed() > before)
      await page.getByLabel('Amount').press('Enter')
      await page.getByRole('alert').filter({ hasText: 'cannot be reached. Nothing was sent' }).waitFor()
    } finally {
      relay.beAway(false)
    }
    await page.getByRole('main').getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('status').filter({ hasText: '4.00 USDC added to your balance' }).waitFor()
    expect(phone.asked).toEqual(['personal_sign', 'eth_signTypedData_v4', 'eth_sendTransaction'])
  },
  TEST_MS,
)
