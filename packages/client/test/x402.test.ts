import { createClient } from '@farebox/client'
import { payWithX402 } from '@farebox/client/x402'
import { DEFAULT_ASSETS } from '@x402/evm'
import { createWalletClient, http } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../../apps/gateway/test/kit/gateway/test-gateway.ts'
import { sendJson } from '../../../apps/gateway/test/kit/provider/provider.ts'
import {
  PRICE,
  PRICE_USDC,
  type SoldService,
  sellService,
} from '../../../apps/gateway/test/kit/world/sold-service.ts'
import { giveGas, newSettler, newX402Payer } from '../../../apps/gateway/test/kit/world/x402-client.ts'
import { USDC } from '../src/x402-terms.ts'

let on: TestGateway
let sold: SoldService
let asset: string

beforeAll(async () => {
  const settler = newSettler()
  on = await startTestGateway({ env: settler.env })
  await giveGas(on.chain, settler.address)
  sold = await sellService(on)
  sold.upstream.respondWith((call, response) => sendJson(response, 200, { heard: call.body }))
  asset = on.chain.contracts.usdc
})
afterAll(async () => {
  await on.assertBooks()
  await on.stop()
  await sold.upstream.stop()
})

const api = (other: typeof fetch = fetch) => createClient({ baseUrl: on.url, fetch: other })
const calls = () => sold.upstream.calls.length

/** A wallet with the price of one call, and the call that it pays for. */
async function caller() {
  const account = await newX402Payer(on.chain, PRICE)
  return { account, service: sold.service, body: { q: 1 }, asset }
}

test('a wallet without an account pays for a call, by an account or a wallet client', async () => {
  const { account, ...call } = await caller()
  const paid = await payWithX402(api(), { account, ...call })
  expect(await paid.response.json()).toEqual({ heard: '{"q":1}' })
  expect(paid).toMatchObject({
    chargedUsdc: PRICE_USDC,
    balanceUsdc: '0.000000',
    invocationId: expect.stringMatching(/^inv_/),
    txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
  })
  expect(await on.chain.usdcOf(account.address)).toBe(0n)

  const other = await caller()
  const wallet = createWalletClient({ account: other.account, transport: http(on.chain.rpcUrl) })
  const query = { q: 7 }
  const asked = await payWithX402(api(), { account: wallet, service: call.service, query, asset })
  expect(await asked.response.json()).toEqual({ heard: '{"q":"7"}' })
})

test('recovers a lost answer by the same payment, in this process and in another', async () => {
  const input = await caller()
  const before = calls()
  let isCut = false
  const cutOnce: typeof fetch = async (url, init) => {
    const answer = await fetch(url, init)
    const isPaid = new Headers(init?.headers).has('payment-signature')
    if (!isPaid || isCut) return answer
    isCut = true
    throw new TypeError('fetch failed')
  }
  let stored = ''
  const onSigned = (payment: string) => {
    stored = payment
  }
  const paid = await payWithX402(api(cutOnce), { ...input, onSigned })
  expect([isCut, paid.response.headers.get('idempotent-replayed')]).toEqual([true, 'true'])
  const again = await payWithX402(api(), { ...input, payment: stored })
  expect(await again.response.json()).toEqual(await paid.response.json())
  expect([calls() - before, await on.chain.usdcOf(input.account.address)]).toEqual([1, 0n])
})

test('retries a payment that waits for its block until it is mined', async () => {
  const input = await caller()
  let pending = 0
  const soon: typeof fetch = async (url, init) => {
    if (!new Headers(init?.headers).has('payment-signature') || pending === 3) return fetch(url, init)
    pending += 1
    const code = 'UNAVAILABLE'
    const body = { code, message: 'It waits.', detail: { code, reason: 'payment_pending' } }
    return Response.json(body, { status: 503, headers: { 'retry-after': '0' } })
  }
  const patient = createClient({ baseUrl: on.url, fetch: soon, retries: 1 })
  expect((await payWithX402(patient, input)).chargedUsdc).toBe(PRICE_USDC)
  expect(pending).toBe(3)
})

test('signs nothing above the maximum or for another token than agreed', async () => {
  const input = await caller()
  const signed: string[] = []
  const watched = { ...input, onSigned: (payment: string) => void signed.push(payment) }
  const { asset: _, ...inUsdc } = watched
  await expect(payWithX402(api(), { ...watched, maxPaymentUsdc: '0.009999' })).rejects.toMatchObject({
    code: 'PAYMENT_REQUIRED',
    message: 'It costs 0.010000 USDC, more than maxPaymentUsdc. Nothing was signed.',
  })
  // The token of the test chain is not USDC.
  await expect(payWithX402(api(), inUsdc)).rejects.toMatchObject({
    code: 'PAYMENT_REQUIRED',
    message: expect.stringContaining('give it as `asset`'),
  })
  await expect(payWithX402(api(), { ...watched, maxPaymentUsdc: '1,5' })).rejects.toThrow(RangeError)
  expect([signed, await on.chain.usdcOf(input.account.address)]).toEqual([[], PRICE])
})

test('throws the reason of a refused payment', async () => {
  const account = await newX402Payer(on.chain, PRICE - 1n)
  await expect(payWithX402(api(), { ...(await caller()), account })).rejects.toMatchObject({
    code: 'PAYMENT_REQUIRED',
    status: 402,
    detail: { reason: 'invalid_exact_evm_insufficient_balance' },
  })
})

test('the USDC contracts are those that the stock client pays in', () => {
  const known = Object.entries(DEFAULT_ASSETS).flatMap(([network, assets]) =>
    [assets].flat().flatMap(each => (each.asset === USDC[network] ? [network] : [])),
  )
  expect(known.toSorted()).toEqual(Object.keys(USDC).toSorted())
})
