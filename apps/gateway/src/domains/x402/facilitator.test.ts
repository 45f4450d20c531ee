import { HTTPFacilitatorClient } from '@x402/core/http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../../test/kit/gateway/test-gateway.ts'
import { send } from '../../../test/kit/network/http.ts'
import { PRICE, type SoldService, sellService } from '../../../test/kit/world/sold-service.ts'
import { newWallet } from '../../../test/kit/world/wallets.ts'
import { register } from '../../../test/kit/world/world.ts'
import {
  askTerms,
  balanceOf,
  claiming,
  decoded,
  giveGas,
  newSettler,
  newX402Payer,
  request,
  signPayment,
} from '../../../test/kit/world/x402-client.ts'

const TOO_LITTLE = 'invalid_exact_evm_payload_authorization_value'

type Facilitated = Parameters<HTTPFacilitatorClient['verify']>

const settler = newSettler()

let on: TestGateway
let sold: SoldService
let url: string
let facilitator: HTTPFacilitatorClient

beforeAll(async () => {
  on = await startTestGateway({ env: { ...settler.env, X402_MIN_USDC: '0.005' } })
  await giveGas(on.chain, settler.address)
  sold = await sellService(on)
  url = `${on.url}/x402/${sold.service}`
  facilitator = new HTTPFacilitatorClient({ url: `${on.url}/x402` })
})
afterAll(async () => {
  await on.assertBooks()
  await on.stop()
  await sold.upstream.stop()
})

/** A signed payment of somebody who has the money, with its header, and the requirements that it meets. */
async function signed(different: Parameters<typeof signPayment>[2] = {}) {
  const payer = await newX402Payer(on.chain, PRICE)
  const terms = await askTerms(url)
  const { header } = await signPayment(payer, terms, different)
  const [payload, requirements] = [decoded(header), terms.accepts[0]] as unknown as Facilitated
  return { payer, header, payload, requirements }
}

const body = ({ payload, requirements }: Awaited<ReturnType<typeof signed>>) => ({
  x402Version: 2,
  paymentPayload: payload,
  paymentRequirements: requirements,
})
const settle = (content: unknown) =>
  send<Record<string, unknown>>(on.url, '/x402/settle', { method: 'POST', body: content })

test('a service that costs less than X402_MIN_USDC asks for that, and leaves the rest to the payer', async () => {
  const cheap = await register(on, sold.provider, { targets: [sold.upstream.url], priceUsdc: '0.001' })
  const resource = `${on.url}/x402/${cheap}`
  const terms = await askTerms(resource)
  expect(terms.accepts[0]?.amount).toBe('5000')
  const payer = await newX402Payer(on.chain, PRICE)
  const little = await signPayment(payer, terms, { value: 4_999n })
  const refused = await request(resource, {}, little.header)
  expect([refused.status, decoded(refused.headers.get('payment-response')).errorReason]).toEqual([
    402,
    TOO_LITTLE,
  ])

  const { header } = await signPayment(payer, terms)
  const paid = await request(resource, {}, header)
  expect([paid.status, paid.headers.get('farebox-charged-usdc')]).toEqual([200, '0.001000'])
  expect(await balanceOf(on.gateway.deps, payer)).toBe(4_000n)
  const free = await register(on, sold.provider, { targets: [sold.upstream.url], priceUsdc: '0' })
  expect((await request(`${on.url}/x402/${free}`, {})).status).toBe(200)
})

test('a deposit of less than X402_MIN_USDC is neither valid nor settled', async () => {
  const payment = await signed({ value: 4_999n })
  const less = { ...payment.requirements, amount: '4999' } as Facilitated[1]
  expect(await facilitator.verify(payment.payload, less)).toMatchObject({ invalidReason: TOO_LITTLE })
  const { body: answer } = await settle(body({ ...payment, requirements: less }))
  expect(answer).toMatchObject({ success: false, errorReason: TOO_LITTLE })
  expect(await on.chain.usdcOf(payment.payer.address)).toBe(PRICE)
})

test('the stock facilitator client reads the supported kinds', async () => {
  expect(await facilitator.getSupported()).toMatchObject({
    kinds: [
      { x402Version: 2, scheme: 'exact', network: 'eip155:31337' },
      { x402Version: 1, scheme: 'exact' },
    ],
    signers: { 'eip155:*': [settler.address] },
  })
})

test('the stock facilitator client verifies and settles a payment, credited to its payer once', async () => {
  const { payer, payload, requirements } = await signed()
  const verified = await facilitator.verify(payload, requirements)
  expect(verified).toMatchObject({ isValid: true, payer: payer.address })
  expect(await balanceOf(on.gateway.deps, payer)).toBe(0n)
  const settled = await facilitator.settle(payload, requirements)
  expect(settled).toMatchObject({ success: true, network: 'eip155:31337', payer: payer.address })
  expect(await facilitator.settle(payload, requirements)).toMatchObject({
    success: true,
    transaction: settled.transaction,
  })
  expect(await balanceOf(on.gateway.deps, payer)).toBe(PRICE)
  expect(await on.chain.usdcOf(payer.address)).toBe(0n)
})

test('waits for no sender from before the clock of the database was set back', async () => {
  await on.sql("update x402_senders set holder = 'gw_dead', lease_until = now() + interval '3 hours'")
  const { payload, requirements } = await signed()
  expect(await facilitator.settle(payload, requirements)).toMatchObject({ success: true })
})

test('a settled payment does not settle again for a larger amount than was signed', async () => {
  const { payer, header, payload, requirements } = await signed()
  expect(await facilitator.settle(payload, requirements)).toMatchObject({ success: true })
  const claimed = {
    payload: decoded(claiming(header, 2n * PRICE)) as unknown as Facilitated[0],
    requirements: Object.assign(requirements, { amount: String(2n * PRICE) }),
  }
  expect(await settle(body({ payer, header, ...claimed }))).toMatchObject({
    status: 200,
    body: { success: false, errorReason: 'invalid_exact_evm_signature' },
  })
  expect(await balanceOf(on.gateway.deps, payer)).toBe(PRICE)
})

test.each([
  ['to another recipient', 'invalid_exact_evm_payload_recipient_mismatch', { to: newWallet().address }, {}],
  [
    'below the required amount',
    'invalid_exact_evm_payload_authorization_value',
    {},
    { amount: String(PRICE + 1n) },
  ],
  ['in another token', 'invalid_payment_requirements', {}, { asset: newWallet().address }],
  [
    'required for another address',
    'invalid_exact_evm_payload_recipient_mismatch',
    {},
    { payTo: newWallet().address },
  ],
  ['on another chain', 'invalid_network', {}, { network: 'eip155:1' }],
  ['by another scheme', 'unsupported_scheme', {}, { scheme: 'upto' }],
])('a payment %s is neither valid nor settled: %s', async (_, reason, different, others) => {
  const given = await signed(different)
  Object.assign(given.requirements, others)
  const answer = await send(on.url, '/x402/verify', { method: 'POST', body: body(given) })
  expect(answer).toMatchObject({ status: 200, body: { isValid: false, invalidReason: reason } })
  expect(await settle(body(given))).toMatchObject({
    status: 200,
    body: { success: false, errorReason: reason, transaction: '' },
  })
  expect(await on.chain.usdcOf(given.payer.address)).toBe(PRICE)
})

test('IDEMPOTENCY_CONFLICT for a payment that has bought a call, WALLET_SUSPENDED before anything settles', async () => {
  const bought = await signed()
  expect((await request(url, {}, bought.header)).status).toBe(200)
  expect(await settle(body(bought))).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_CONFLICT' } })
  const suspended = await signed()
  await on.sql('insert into wallets (address, username, suspended_at) values ($1, $2, now())', [
    suspended.payer.address.toLowerCase(),
    'gone',
  ])
  expect(await settle(body(suspended))).toMatchObject({ status: 403, body: { code: 'WALLET_SUSPENDED' } })
  expect(await on.chain.usdcOf(suspended.payer.address)).toBe(PRICE)
})

test.each(['verify', 'settle'])('POST /x402/%s: INVALID_PAYLOAD for a malformed payment', async act => {
  const answer = await send(on.url, `/x402/${act}`, { method: 'POST', body: { x402Version: 2 } })
  expect(answer).toMatchObject({ status: 400, body: { code: 'INVALID_PAYLOAD' } })
})

test('RATE_LIMITED above sixty requests a minute of one client address, to all paths together', async () => {
  const paths = [
    ['GET', 'supported'],
    ['POST', 'verify'],
    ['POST', 'settle'],
  ] as const
  // No path gets sixty of them.
  const requests = Array.from({ length: 59 }, () => paths).flat()
  const answers = await Promise.all(
    requests.map(async ([method, path]) => ({ path, ...(await send(on.url, `/x402/${path}`, { method })) })),
  )
  const limited = answers.filter(({ status }) => status === 429)
  expect(new Set(limited.map(({ path }) => path))).toEqual(new Set(['supported', 'verify', 'settle']))
  for (const { body: answer } of limited) expect(answer).toMatchObject({ code: 'RATE_LIMITED' })
})
