import { parseUsdc } from '@farebox/money'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type RpcProxy, startRpcProxy } from '../../gateway/test/kit/chain/rpc-proxy.ts'
import { startTestChain, type TestChain } from '../../gateway/test/kit/chain/test-chain.ts'
import { sendToVault } from '../../gateway/test/kit/chain/vault-owner.ts'
import { newWallet } from '../../gateway/test/kit/world/wallets.ts'
import { type ConsoleFixture, openConsole, visitAs } from './kit/browser.ts'
import type { TestWallet } from './kit/test-wallet.ts'
import { beginWith, replaceSent, sentHash } from './kit/wallet-flow-steps.ts'

let fixture: ConsoleFixture
let chain: TestChain
let proxy: RpcProxy
let page: Page
let context: BrowserContext
let wallet: TestWallet
const account = newWallet()

beforeAll(async () => {
  chain = await startTestChain()
  proxy = await startRpcProxy(chain.rpcUrl)
  fixture = await openConsole({
    chain,
    env: { CHAIN_RPC_URL: proxy.url, CHAIN_PUBLIC_RPC_URL: chain.rpcUrl, REQUIRED_CONFIRMATIONS: '2' },
  })
  await chain.fund(account.address, parseUsdc('1000'))
  ;({ page, context, wallet } = await visitAs(fixture, '/app/deposit', account))
}, 180_000)
afterAll(async () => {
  await fixture.stop()
  await proxy.stop()
})
beforeEach(async () => {
  await chain.resumeMining()
  await page.evaluate(`localStorage.removeItem('${keyOfDraft}')`)
  await page.reload()
  await page.getByText('In your wallet: ').waitFor()
})

const keyOfDraft = `farebox.deposit.${account.address.toLowerCase()}`
const progress = () => page.getByRole('list', { name: 'Deposit' })
const reported = (text: string | RegExp) => progress().getByRole('alert').filter({ hasText: text })
const credited = (amount: string) =>
  page.getByRole('status').filter({ hasText: `${amount} USDC added to your balance` })

const begin = (amount: string) => beginWith(page, amount)
const sent = () => sentHash(page, keyOfDraft)
/** Removes members from the stored draft. */
const forget = (members: string) =>
  page.evaluate(`{
    const { ${members}, ...draft } = JSON.parse(localStorage.getItem('${keyOfDraft}'))
    localStorage.setItem('${keyOfDraft}', JSON.stringify(draft))
  }`)

test('asks a wallet on another network to switch, and continues the deposit', async () => {
  await wallet.goToChain(5)
  const alert = page.getByRole('alert').filter({ hasText: 'another network' })
  await alert.waitFor()
  wallet.decline(true)
  await page.getByRole('button', { name: 'Switch network' }).click()
  await page.getByText('You rejected the request in your wallet').waitFor()
  wallet.decline(false)
  await begin('1')
  await progress().getByText('1 of 2 confirmations').waitFor()
  await alert.waitFor({ state: 'detached' })
  await chain.mine()
  await credited('1.00').waitFor()
}, 90_000)

test('follows a transaction that was sped up, even while the page was closed', async () => {
  await chain.pauseMining()
  await begin('2')
  const hash = await sent()
  await page.goto('about:blank')
  await replaceSent(chain, { account, hash, by: 'same' })
  await chain.mine(2)
  await page.goto(`${fixture.on.url}/app/deposit`)
  await credited('2.00').waitFor()
  // No claim for a transaction that never reaches the chain remains.
  expect(await fixture.on.sql('select 1 from deposits where tx_hash = $1', [hash])).toEqual([])
}, 90_000)

test('reports a transaction that was cancelled in the wallet, and can start over', async () => {
  await chain.pauseMining()
  await begin('3')
  await replaceSent(chain, { account, hash: await sent(), by: 'nothing' })
  await chain.mine()
  await reported('cancelled or replaced in your wallet').waitFor()
  await page.reload()
  await reported('cancelled or replaced in your wallet').waitFor()
  await page.getByRole('button', { name: 'Start over' }).click()
  await page.getByLabel('Amount').waitFor()
}, 90_000)

test('reports one that was cancelled before its nonce was seen as unknown, and can abandon it', async () => {
  await chain.pauseMining()
  await begin('3')
  const hash = await sent()
  await page.goto('about:blank')
  await replaceSent(chain, { account, hash, by: 'nothing' })
  await chain.mine()
  await page.goto(`${fixture.on.url}/market`)
  await forget('nonce')
  await page.goto(`${fixture.on.url}/app/deposit`)
  await reported('The chain does not know this transaction').waitFor()
  await page.getByRole('button', { name: 'Discard and start over' }).click()
  await page.getByLabel('Amount').waitFor()
}, 90_000)

test('reports a reverted transaction', async () => {
  await chain.pauseMining()
  await begin('4')
  await sent()
  await sendToVault(chain, 'pause')
  await chain.mine()
  await reported('rejected the transaction').waitFor()
  await sendToVault(chain, 'unpause')
  await chain.mine()
}, 90_000)

test('warns about a wallet without ether before and after an attempt', async () => {
  const { address } = account
  const before = await chain.client.getBalance({ address })
  await chain.client.setBalance({ address, value: 0n })
  await page.getByText('This wallet has no ether').waitFor()
  await begin('8')
  await reported('enough ether').waitFor()
  await chain.client.setBalance({ address, value: before })
  await page.getByRole('button', { name: 'Try again' }).click()
  await progress().getByText('1 of 2 confirmations').waitFor()
  await chain.mine()
  await credited('8.00').waitFor()
}, 90_000)

test('finds a transaction on chain that was sent while the page closed', async () => {
  await chain.pauseMining()
  await begin('5')
  await sent()
  await forget('hash, nonce')
  await page.reload()
  await progress().getByText('Your wallet was already asked to send this deposit').waitFor()
  await chain.mine(2)
  await credited('5.00').waitFor()
}, 90_000)

test('reports that chain or gateway is unreachable, retries, and continues', async () => {
  await chain.pauseMining()
  await begin('6')
  await sent()
  const chainUrl = `${chain.rpcUrl}/**`
  await context.route(chainUrl, route => route.abort())
  wallet.loseChain(true)
  await reported('The chain cannot be reached').waitFor()
  wallet.loseChain(false)
  await context.unroute(chainUrl)
  await chain.mine()
  await progress().getByText('1 of 2 confirmations').waitFor()

  proxy.misbehave({ status: 503 })
  await reported('It is retried automatically').waitFor()
  proxy.misbehave()
  await reported('It is retried automatically').waitFor({ state: 'detached' })

  await context.route('**/api/v1/**', route => route.abort())
  await reported('The gateway cannot be reached').waitFor()
  await context.unroute('**/api/v1/**')
  await chain.mine()
  await credited('6.00').waitFor()
}, 120_000)

test('runs a deposit in one of two tabs, and in the other once that one is closed', async () => {
  await chain.pauseMining()
  await begin('7')
  await sent()
  const other = await context.newPage()
  await other.goto('/app/deposit')
  await other.getByText('Another tab of this browser continues this deposit').waitFor()
  await page.goto('about:blank')
  await other.getByText('Another tab of this browser').waitFor({ state: 'detached' })
  await chain.mine(2)
  await other.getByRole('status').filter({ hasText: '7.00 USDC added to your balance' }).waitFor()
  await other.close()
  await page.goto(`${fixture.on.url}/app/deposit`)
  await fixture.on.assertBooks()
}, 90_000)
