import { ExactEvmScheme } from '@x402/evm/exact/client'
import {
  type CompleteSIWxInfo,
  createSIWxClientExtension,
  createSIWxPayload,
  encodeSIWxHeader,
} from '@x402/extensions/sign-in-with-x'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import type { PrivateKeyAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { transferData } from '../../../test/kit/chain/authorization.ts'
import { startTestChain } from '../../../test/kit/chain/test-chain.ts'
import { startTestGateway, type TestGateway } from '../../../test/kit/gateway/test-gateway.ts'
import { until } from '../../../test/kit/until.ts'
import { PRICE, type SoldService, sellService } from '../../../test/kit/world/sold-service.ts'
import { newWallet } from '../../../test/kit/world/wallets.ts'
import {
  askTerms,
  balanceOf,
  giveGas,
  newSettler,
  newX402Payer,
  request,
  signPayment,
} from '../../../test/kit/world/x402-client.ts'
import { countChainFindings } from '../ledger/database/chain-findings.ts'

const CONFIRMATIONS = 3
/** More than the time for which a sign-in is valid and its nonce is kept. */
const APART_MS = 420_000
const settler = newSettler()

type SignInTerms = { readonly info: object; readonly supportedChains: readonly object[] }

let on: TestGateway
let sold: SoldService
let url: string

beforeAll(async () => {
  const chain = await startTestChain({ requiredConfirmations: CONFIRMATIONS })
  await giveGas(chain, settler.address)
  on = await startTestGateway({
    chain,
    env: { ...settler.env, REQUIRED_CONFIRMATIONS: String(CONFIRMATIONS) },
  })
  sold = await sellService(on)
  // The client signs in at the URL that the terms name.
  url = (await askTerms(`${on.url}/x402/${sold.service}`)).resource.url
})
afterAll(async () => {
  await on.stop()
  await sold.upstream.stop()
})

const balance = (of: PrivateKeyAccount) => balanceOf(on.gateway.deps, of)

/** The stock client that spends its balance first; `sent` are the headers of its requests. */
function signingFetch(account: PrivateKeyAccount) {
  const sent: Headers[] = []
  const client = new x402Client()
    .register('eip155:31337', new ExactEvmScheme(account))
    .setSpendControls(false)
    .registerExtension(createSIWxClientExtension({ signers: [account] }))
  const watched: typeof fetch = (input, init) => {
    sent.push(new Request(input, init).headers)
    return fetch(input, init)
  }
  return { sent, pay: wrapFetchWithPayment(watched, client) }
}

test('spends the remaining balance by sign-in-with-x, then the client pays again', async () => {
  const alice = await newX402Payer(on.chain, 3n * PRICE)
  const { header } = await signPayment(alice, await askTerms(url), { value: 2n * PRICE })
  expect((await request(url, {}, header)).status).toBe(200)
  const { pay, sent } = signingFetch(alice)
  const second = await pay(url, { method: 'POST' })
  expect([second.status, second.headers.get('farebox-balance-usdc')]).toEqual([200, '0.000000'])
  expect(await on.chain.usdcOf(alice.address)).toBe(PRICE)
  const third = await pay(url, { method: 'POST' })
  expect([third.status, await on.chain.usdcOf(alice.address)]).toEqual([200, 0n])
  expect(await balance(alice)).toBe(0n)

  const before = sold.upstream.calls.length
  const used = sent.map(headers => headers.get('sign-in-with-x')).find(value => value !== null) ?? ''
  const replayed = await fetch(url, { method: 'POST', headers: { 'sign-in-with-x': used } })
  expect([replayed.status, await replayed.json()]).toMatchObject([
    402,
    { error: 'invalid_siwx_nonce', message: expect.stringContaining('one call') },
  ])
  expect(sold.upstream.calls.length).toBe(before)
  await on.assertBooks()
})

test.each([
  ['behind', -APART_MS],
  ['ahead of', APART_MS],
])(
  'a sign-in pays for one call, also where the clock of a machine is %s that of the database',
  async (_, offMs) => {
    const alice = await newX402Payer(on.chain, 3n * PRICE)
    const { header } = await signPayment(alice, await askTerms(url), { value: 3n * PRICE })
    expect((await request(url, {}, header)).status).toBe(200)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + offMs })
    try {
      const { extensions = {} } = await askTerms(url)
      const { info, supportedChains } = extensions['sign-in-with-x'] as SignInTerms
      const terms = { ...info, ...supportedChains[0] } as CompleteSIWxInfo
      const signIn = encodeSIWxHeader(await createSIWxPayload(terms, alice, new URL(url)))
      // Another gateway answers, whose clock is off in the other direction.
      vi.setSystemTime(Date.now() - 2 * offMs)
      const answers = []
      for (let turn = 0; turn < 3; turn += 1)
        answers.push(await fetch(url, { method: 'POST', headers: { 'sign-in-with-x': signIn } }))
      expect(answers.map(({ status }) => status)).toEqual([200, 402, 402])
    } finally {
      vi.useRealTimers()
    }
  },
)

test.each([
  ['a nonce of one character', { nonce: 'x' }],
  ['an address that is none', { address: '0x00' }],
  ['a line break in its statement', { statement: 'a\nb' }],
  ['a time of another form', { notBefore: new Date(0).toUTCString() }],
  ['another version', { version: '2' }],
  ['very many resources', { resources: Array<string>(700).fill('a:b') }],
])('a sign-in with %s is INVALID_REQUEST', async (_, member) => {
  const { extensions = {} } = await askTerms(url)
  const { info, supportedChains } = extensions['sign-in-with-x'] as SignInTerms
  const { address } = newWallet()
  const signed = { ...info, ...supportedChains[0], address, signature: `0x${'11'.repeat(65)}`, ...member }
  const header = Buffer.from(JSON.stringify(signed)).toString('base64')
  const refused = await fetch(url, { method: 'POST', headers: { 'sign-in-with-x': header } })
  expect([refused.status, await refused.json()]).toMatchObject([400, { code: 'INVALID_REQUEST' }])
})

test('allows pages of every origin to pay and read the payment headers', async () => {
  const headers = 'content-type,payment-signature,sign-in-with-x,access-control-expose-headers'
  const preflight = await fetch(url, {
    method: 'OPTIONS',
    headers: {
      origin: 'https://page.invalid',
      'access-control-request-method': 'POST',
      'access-control-request-headers': headers,
    },
  })
  expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
  expect(preflight.headers.get('access-control-allow-headers')).toBe(headers)
  const answer = await fetch(url, { method: 'POST', headers: { origin: 'https://page.invalid' } })
  expect(answer.headers.get('access-control-allow-origin')).toBe('*')
  expect(answer.headers.get('access-control-expose-headers')).toBe('*')
  expect(answer.headers.has('access-control-allow-credentials')).toBe(false)
})

test('a reorganised settlement opens a finding, closes it when mined again, and is paid once', async () => {
  const bob = await newX402Payer(on.chain, PRICE)
  await on.chain.mine(1)
  const { header, message } = await signPayment(bob, await askTerms(url))
  expect((await request(url, {}, header)).status).toBe(200)
  const calls = sold.upstream.calls.length
  await on.chain.reorg(1)
  await on.chain.mine(CONFIRMATIONS + 1)
  const gone = async () => (await countChainFindings(on.gateway.deps.db))['deposit-reorganised']
  await until('the follower has passed the block', async () => (await gone()) === 1)
  expect(await balance(bob)).toBe(0n)
  expect((await request(url, {}, header)).headers.get('idempotent-replayed')).toBe('true')

  await on.chain.send(newWallet().address, on.chain.contracts.usdc, transferData(message))
  await on.chain.mine(CONFIRMATIONS)
  await until('the finding is closed', async () => (await gone()) === 0)
  expect([await balance(bob), sold.upstream.calls.length]).toEqual([0n, calls])
  await on.assertBooks()
})
