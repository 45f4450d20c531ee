import { usdc } from '@farebox/money'
import type { Address, Hex } from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { transferData } from '../../../test/kit/chain/authorization.ts'
import { startTestChain } from '../../../test/kit/chain/test-chain.ts'
import { startTestGateway, type TestGateway } from '../../../test/kit/gateway/test-gateway.ts'
import { send } from '../../../test/kit/network/http.ts'
import { sendJson } from '../../../test/kit/provider/provider.ts'
import { until } from '../../../test/kit/until.ts'
import { PRICE, type SoldService, sellService } from '../../../test/kit/world/sold-service.ts'
import { newWallet } from '../../../test/kit/world/wallets.ts'
import { arrive, endNotices, register } from '../../../test/kit/world/world.ts'
import {
  askTerms,
  asVersion1,
  balanceOf,
  claiming,
  decoded,
  giveGas,
  newSettler,
  newX402Payer,
  request,
  signPayment,
  stockFetch,
} from '../../../test/kit/world/x402-client.ts'

const CONFIRMATIONS = 3
const settler = newSettler()

let on: TestGateway
let sold: SoldService
let url: string

beforeAll(async () => {
  const chain = await startTestChain({ requiredConfirmations: CONFIRMATIONS })
  await giveGas(chain, settler.address)
  on = await startTestGateway({
    chain,
    env: { ...settler.env, REQUIRED_CONFIRMATIONS: String(CONFIRMATIONS), X402_AT_RISK_USDC: '1' },
  })
  sold = await sellService(on)
  url = `${on.url}/x402/${sold.service}`
})
afterAll(async () => {
  await on.stop()
  await sold.upstream.stop()
})
afterEach(async () => {
  sold.upstream.respondWith((_, response) => sendJson(response, 200, { number: sold.upstream.calls.length }))
  await on.chain.mine(CONFIRMATIONS)
  await on.assertBooks()
})

const payer = (amount = PRICE) => newX402Payer(on.chain, amount)
const balance = (of: { address: Address }) => balanceOf(on.gateway.deps, of)
const calls = () => sold.upstream.calls.length
const body = { q: 1 }
const post = (content: unknown = body): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(content),
})

describe('the stock client', () => {
  test('pays and gets the unchanged answer of the provider', async () => {
    const alice = await payer()
    sold.upstream.respondWith((call, response) => sendJson(response, 200, { heard: JSON.parse(call.body) }))
    await expectPaid(alice, await stockFetch(alice)(url, post()), 'payment-response')
  })

  test('pays a GET with the arguments in the URL', async () => {
    const answer = await stockFetch(await payer())(`${url}?q=7`)
    expect(answer.status).toBe(200)
    expect(sold.upstream.calls.at(-1)?.body).toBe('{"q":"7"}')
  })
})

test('a payment of version 1 is accepted and answered in version 1', async () => {
  const alice = await payer()
  sold.upstream.respondWith((call, response) => sendJson(response, 200, { heard: JSON.parse(call.body) }))
  const { header } = await signPayment(alice, await askTerms(url))
  const headers = { 'content-type': 'application/json', 'x-payment': asVersion1(header) }
  await expectPaid(alice, await fetch(url, { ...post(), headers }), 'x-payment-response')
})

/** Checks the answer of a paid call, and that the payment went into the vault. */
async function expectPaid(of: { address: Address }, answer: Response, header: string): Promise<void> {
  expect([answer.status, await answer.json()]).toEqual([200, { heard: body }])
  expect(answer.headers.get('farebox-charged-usdc')).toBe('0.010000')
  expect(answer.headers.get('farebox-balance-usdc')).toBe('0.000000')
  expect(answer.headers.get('farebox-invocation-id')).toMatch(/^inv_/)
  const response = decoded<{ transaction: Hex }>(answer.headers.get(header))
  expect(response).toMatchObject({ success: true, network: 'eip155:31337', payer: of.address })
  const receipt = await on.chain.adapter.receipt(response.transaction)
  expect(receipt).toMatchObject({ status: 'success', from: settler.address.toLowerCase() })
  expect(await on.chain.usdcOf(of.address)).toBe(0n)
}

test('two parallel payments of one wallet are two calls, each charged once', async () => {
  const bob = await payer(2n * PRICE)
  const before = calls()
  const terms = await askTerms(url)
  const [one, two] = await Promise.all([signPayment(bob, terms), signPayment(bob, terms)])
  const answers = await Promise.all([request(url, body, one.header), request(url, body, two.header)])
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  expect(calls()).toBe(before + 2)
  expect(await balance(bob)).toBe(0n)
})

test('one payment sent in parallel is settled, called and charged once', async () => {
  const carol = await payer(2n * PRICE)
  const before = calls()
  const { header } = await signPayment(carol, await askTerms(url))
  const answers = await Promise.all(Array.from({ length: 5 }, () => request(url, body, header)))
  const statuses = answers.map(({ status }) => status)
  expect(statuses.filter(status => status === 200).length).toBeGreaterThan(0)
  // The others found the call under way.
  expect(statuses.every(status => status === 200 || status === 409)).toBe(true)
  const again = await request(url, body, header)
  expect([again.status, await again.json()]).toEqual([200, { number: before + 1 }])
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(decoded(again.headers.get('payment-response'))).toMatchObject({ success: true })
  expect(calls()).toBe(before + 1)
  expect(await on.chain.usdcOf(carol.address)).toBe(PRICE)

  const other = await request(url, { q: 2 }, header)
  expect([other.status, await other.json()]).toMatchObject([409, { code: 'IDEMPOTENCY_CONFLICT' }])
  expect(calls()).toBe(before + 1)
})

describe('nothing settles', () => {
  test('for a body that does not fit the service', async () => {
    const dave = await payer()
    const { header } = await signPayment(dave, await askTerms(url))
    const answer = await request(url, 'text', header)
    expect([answer.status, await answer.json()]).toMatchObject([400, { code: 'INVALID_PAYLOAD' }])
    const broken = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'payment-signature': header },
      body: '{',
    })
    expect(broken.status).toBe(400)
    expect(await on.chain.usdcOf(dave.address)).toBe(PRICE)
    expect((await request(url, body, header)).status).toBe(200)
  })

  test.each([
    [
      'expired',
      { validBefore: 1_000n },
      'invalid_exact_evm_payload_authorization_valid_before',
      /expired.*sign a new payment/,
    ],
    [
      'not yet valid',
      { validAfter: 99_999_999_999n, validBefore: 999_999_999_999n },
      'invalid_exact_evm_payload_authorization_valid_after',
      /clock/,
    ],
    [
      'below the price',
      { value: PRICE - 1n },
      'invalid_exact_evm_payload_authorization_value',
      /0\.010000 USDC/,
    ],
    [
      'to another recipient',
      { to: newWallet().address },
      'invalid_exact_evm_payload_recipient_mismatch',
      /payTo/,
    ],
    [
      "above the payer's balance",
      { value: 2n * PRICE },
      'invalid_exact_evm_insufficient_balance',
      /Send USDC/,
    ],
  ])('for an authorization that is %s, and says what to do', async (_, different, reason, advice) => {
    const erin = await payer()
    const before = calls()
    const { header } = await signPayment(erin, await askTerms(url), different)
    const answer = await request(url, body, header)
    expect([answer.status, await answer.json()]).toMatchObject([
      402,
      { code: 'PAYMENT_REQUIRED', error: reason, message: expect.stringMatching(advice) },
    ])
    expect(decoded(answer.headers.get('payment-response'))).toMatchObject({
      success: false,
      errorReason: reason,
    })
    expect([calls(), await on.chain.usdcOf(erin.address)]).toEqual([before, PRICE])
  })

  test('for a signature of another key, or a malformed header', async () => {
    const frank = await payer()
    const terms = await askTerms(url)
    const forged = decoded<{ payload: { authorization: { from: string } } }>(
      (await signPayment(newWallet(), terms)).header,
    )
    forged.payload.authorization.from = frank.address
    const header = Buffer.from(JSON.stringify(forged)).toString('base64')
    const answer = await request(url, body, header)
    expect([answer.status, await answer.json()]).toMatchObject([
      402,
      { error: 'invalid_exact_evm_signature', message: expect.stringContaining('key of the payer') },
    ])
    const none = await request(url, body, 'e30=')
    expect([none.status, await none.json()]).toMatchObject([400, { code: 'INVALID_REQUEST' }])
    expect(await on.chain.usdcOf(frank.address)).toBe(PRICE)
  })

  test('for a payer whose spending policy does not allow the call', async () => {
    const hana = await arrive(on)
    await on.chain.fund(hana.account.address, usdc(PRICE))
    const limit = (perCallLimitUsdc: string | null) =>
      send(on.url, '/api/v1/balance/spending-limit', {
        method: 'PUT',
        token: hana.token,
        body: { perCallLimitUsdc },
      })
    expect((await limit('0.009999')).status).toBe(200)
    const { header } = await signPayment(hana.account, await askTerms(url))
    const answer = await request(url, body, header)
    expect([answer.status, await answer.json()]).toMatchObject([
      402,
      { code: 'BUDGET_EXHAUSTED', detail: { limit: 'policy_per_call', requiredUsdc: '0.010000' } },
    ])
    expect(await on.chain.usdcOf(hana.account.address)).toBe(PRICE)
    expect((await limit(null)).status).toBe(200)
    expect((await request(url, body, header)).status).toBe(200)
  })

  test('for a payer whose credential for these calls is used up', async () => {
    const kim = await arrive(on)
    await on.chain.fund(kim.account.address, usdc(2n * PRICE))
    const pay = async () => {
      const { header } = await signPayment(kim.account, await askTerms(url))
      return request(url, body, header)
    }
    expect((await pay()).status).toBe(200)
    const owned = "select id from credentials where owner = $1 and name = 'x402'"
    const [{ id } = { id: '' }] = await on.sql<{ id: string }>(owned, [kim.account.address.toLowerCase()])
    for (const [quota, limit] of [
      [{ creditLimit: '0.019999' }, 'credential_credit'],
      [{ maxCalls: 1 }, 'credential_calls'],
    ] as const) {
      const change = { method: 'PATCH', token: kim.token, body: quota } as const
      expect((await send(on.url, `/api/v1/credentials/agent/${id}/quota`, change)).status).toBe(200)
      const answer = await pay()
      expect([answer.status, await answer.json()]).toMatchObject([
        402,
        { code: 'BUDGET_EXHAUSTED', detail: { limit } },
      ])
      expect(await on.chain.usdcOf(kim.account.address)).toBe(PRICE)
    }
  })

  test('for a service without a healthy target', async () => {
    const down = await sellService(on)
    const resource = `${on.url}/x402/${down.service}`
    const setHealth = (isHealthy: boolean) =>
      on.sql(`update service_targets set is_healthy = $2, next_probe_at = 'infinity' where service_id = $1`, [
        down.service,
        isHealthy,
      ])
    await until('its first probe has ended', async () => {
      const probes = 'select from health_probes where service_id = $1'
      return (await on.sql(probes, [down.service])).length > 0
    })
    await setHealth(false)
    const iris = await payer()
    const { header } = await signPayment(iris, await askTerms(url))
    const pay = () => request(resource, body, header)
    const refused = async (answer: Response) =>
      expect([answer.status, await answer.json()]).toMatchObject([
        502,
        { code: 'UPSTREAM_ERROR', detail: { reason: 'no_healthy_target' } },
      ])
    await refused(await pay())
    expect(await on.chain.usdcOf(iris.address)).toBe(PRICE)
    await setHealth(true)
    await until('it can be called', async () => (await pay()).status === 200)
    await down.upstream.stop()
  })

  test('for a call that has become free', async () => {
    const free = await register(on, await arrive(on), { targets: [sold.upstream.url], priceUsdc: '0' })
    const jana = await payer()
    const { header } = await signPayment(jana, await askTerms(url))
    const answer = await request(`${on.url}/x402/${free}`, body, header)
    expect([answer.status, answer.headers.get('farebox-charged-usdc')]).toEqual([200, '0.000000'])
    expect(answer.headers.has('payment-response')).toBe(false)
    expect(await on.chain.usdcOf(jana.address)).toBe(PRICE)
  })

  test('while the settler has no gas: 503, and the same payment is accepted later', async () => {
    const gina = await payer()
    const { header } = await signPayment(gina, await askTerms(url))
    await giveGas(on.chain, settler.address, '0')
    const answer = await request(url, body, header)
    expect([answer.status, await answer.json()]).toMatchObject([
      503,
      { code: 'UNAVAILABLE', detail: { reason: 'no_gas' } },
    ])
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    const { metrics } = on.gateway.deps as unknown as { metrics: { scrape(): Promise<string> } }
    expect(await metrics.scrape()).toMatch(/farebox_x402_payments_affordable 0/)
    await giveGas(on.chain, settler.address)
    expect((await request(url, body, header)).status).toBe(200)
  })
})

test('a provider that fails costs nothing, and the payment stays in the balance', async () => {
  const hugo = await payer()
  sold.upstream.respondWith((_, response) => sendJson(response, 500, { error: 'no' }))
  const { header } = await signPayment(hugo, await askTerms(url))
  const answer = await request(url, body, header)
  expect([answer.status, await answer.json()]).toMatchObject([502, { code: 'UPSTREAM_ERROR' }])
  expect(answer.headers.get('farebox-balance-usdc')).toBe('0.010000')
  expect(decoded(answer.headers.get('payment-response'))).toMatchObject({ success: true })
  expect(await balance(hugo)).toBe(PRICE)
})

test.each([
  ['image/png', 'image/png'],
  ['video/mp4; codecs="avc1.42E01E, mp4a.40.2"', 'video/mp4; codecs="avc1.42E01E, mp4a.40.2"'],
  ['application/pdf', 'application/octet-stream'],
  ['application/x-javascript', 'application/octet-stream'],
  ['application/octet-stream, text/html', 'application/octet-stream'],
  ['image/png, text/html', 'application/octet-stream'],
  ['image/svg', 'application/octet-stream'],
  ['multipart/x-mixed-replace; boundary=b', 'application/octet-stream'],
])('sends a file of %s as an attachment of %s, which no browser opens as a page', async (type, shown) => {
  const bytes = Buffer.from('<script>alert(1)</script>')
  sold.upstream.respondWith((_, response) => response.writeHead(200, { 'content-type': type }).end(bytes))
  const free = await register(on, await arrive(on), { targets: [sold.upstream.url], priceUsdc: '0' })
  const answer = await request(`${on.url}/x402/${free}`, {})
  expect(answer.headers.get('content-type')).toBe(shown)
  expect(answer.headers.get('content-disposition')).toBe('attachment')
  expect(answer.headers.get('content-security-policy')).toContain('sandbox')
  expect(Buffer.from(await answer.arrayBuffer())).toEqual(bytes)
})

test('credits the payment beyond the charge to the payer', async () => {
  const ida = await payer(5n * PRICE)
  const { header } = await signPayment(ida, await askTerms(url), { value: 5n * PRICE })
  const answer = await request(url, body, header)
  expect([answer.status, answer.headers.get('farebox-balance-usdc')]).toEqual([200, '0.040000'])
  expect(await balance(ida)).toBe(4n * PRICE)
})

test('a payment that another transaction has used buys no call, and is credited to its payer', async () => {
  const jack = await payer()
  const before = calls()
  const { header, message } = await signPayment(jack, await askTerms(url))
  await on.chain.send(newWallet().address, on.chain.contracts.usdc, transferData(message))
  const answer = await request(url, body, header)
  expect([answer.status, await answer.json()]).toMatchObject([
    402,
    { error: 'invalid_exact_evm_nonce_already_used' },
  ])
  expect(calls()).toBe(before)
  await on.sql(
    "update vault_deposits set confirmed_at = confirmed_at - interval '2 hours' where credited_at is null",
  )
  await on.chain.mine(CONFIRMATIONS)
  await until('it is credited', async () => {
    await on.sql(
      "update vault_deposits set confirmed_at = confirmed_at - interval '2 hours' where credited_at is null",
    )
    return (await balance(jack)) === PRICE
  })
})

test('a payment that is sent again tells nobody the balance of its payer', async () => {
  const dave = await payer(3n * PRICE)
  const { header } = await signPayment(dave, await askTerms(url), { value: 3n * PRICE })
  const [first, again] = [await request(url, body, header), await request(url, body, header)]
  expect([first.headers.get('farebox-balance-usdc'), again.status]).toEqual(['0.020000', 200])
  expect(again.headers.has('farebox-balance-usdc')).toBe(false)
})

test('a payment whose answer is no longer stored is not answered as if the provider had said nothing', async () => {
  const eve = await payer()
  const { header } = await signPayment(eve, await askTerms(url))
  const first = await request(url, body, header)
  const invocationId = first.headers.get('farebox-invocation-id')
  await on.sql('delete from invocation_answers where invocation_id = $1', [invocationId])
  const again = await request(url, body, header)
  expect([again.status, await again.json()]).toMatchObject([
    409,
    { code: 'IDEMPOTENCY_CONFLICT', detail: { invocationId, chargedUsdc: '0.010000', answerExpired: true } },
  ])
})

test.each<[string, Record<string, unknown>]>([
  ['is paused', { isActive: false }],
  ['has become free', { pricing: { currency: 'USDC', amount: '0' } }],
  ['takes other bodies', { invoke: { request: { body: { type: 'object', required: ['z'] } } } }],
])('a payment gets its stored answer also after the service %s', async (_, change) => {
  const changing = await sellService(on)
  const resource = `${on.url}/x402/${changing.service}`
  const set = async (body: Record<string, unknown>) => {
    const path = `/api/v1/services/${changing.service}`
    expect((await send(on.url, path, { method: 'PUT', token: changing.provider.token, body })).status).toBe(
      200,
    )
  }
  const mia = await payer()
  const { header } = await signPayment(mia, await askTerms(resource))
  const first = await request(resource, body, header)
  const targets = [{ url: changing.upstream.url, weight: 1 }]
  await set('invoke' in change ? { invoke: Object.assign({ targets }, change.invoke) } : change)
  const [again, other] = [await request(resource, body, header), await request(resource, { q: 2 }, header)]
  expect([again.status, await again.json()]).toEqual([200, await first.json()])
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect([other.status, await other.json()]).toMatchObject([409, { code: 'IDEMPOTENCY_CONFLICT' }])
  expect(changing.upstream.calls).toHaveLength(1)
  await changing.upstream.stop()
})

test('a request for a service that has just got a price is answered with terms, at a gateway that still takes it for free', async () => {
  const priced = await sellService(on)
  const set = async (amount: string) => {
    const change = { pricing: { currency: 'USDC', amount } }
    const path = `/api/v1/services/${priced.service}`
    await send(on.url, path, { method: 'PUT', token: priced.provider.token, body: change })
    await endNotices(on)
  }
  await set('0')
  const env = { ...settler.env, REQUIRED_CONFIRMATIONS: String(CONFIRMATIONS) }
  const other = await startTestGateway({ share: on, env })
  const resource = `${other.url}/x402/${priced.service}`
  try {
    expect((await request(resource, body)).status).toBe(200)
    await set('0.010000')
    const answer = await request(resource, body)
    expect([answer.status, await answer.json()]).toMatchObject([
      402,
      { code: 'PAYMENT_REQUIRED', accepts: [{ maxAmountRequired: '10000' }] },
    ])
    expect(priced.upstream.calls).toHaveLength(1)
  } finally {
    await other.stop()
    await priced.upstream.stop()
  }
})

test('payments above the risk limit wait for their confirmations', async () => {
  const big = 2n * 1_000_000n
  const kate = await payer(big)
  const { header } = await signPayment(kate, await askTerms(url), { value: big })
  const waiting = request(url, body, header)
  await until('it is broadcast', async () => (await on.chain.usdcOf(kate.address)) === 0n)
  expect(await balance(kate)).toBe(0n)
  await on.chain.mine(CONFIRMATIONS)
  expect((await waiting).status).toBe(200)
  expect(await balance(kate)).toBe(big - PRICE)
})

test('a call is charged at most what was paid for it, though its price rises before the payment is mined', async () => {
  const raising = await sellService(on)
  const resource = `${on.url}/x402/${raising.service}`
  const setPrice = async (amount: string) => {
    const change = { pricing: { currency: 'USDC', amount } }
    const sent = { method: 'PUT', token: raising.provider.token, body: change } as const
    expect((await send(on.url, `/api/v1/services/${raising.service}`, sent)).status).toBe(200)
  }
  const liam = await payer(500_000n + PRICE)
  const first = await signPayment(liam, await askTerms(resource), { value: 500_000n })
  expect((await request(resource, body, first.header)).status).toBe(200)

  const { header } = await signPayment(liam, await askTerms(resource))
  await on.chain.pauseMining()
  const waiting = request(resource, { q: 2 }, header)
  await until('it is broadcast', async () => {
    const sent = 'select from x402_payments where cardinality(transactions) > 0 and settled_in is null'
    return (await on.sql(sent)).length > 0
  })
  await setPrice('0.400000')
  await endNotices(on)
  await on.chain.resumeMining()
  await on.chain.mine(1)
  const answer = await waiting
  expect([answer.status, await answer.json()]).toMatchObject([
    402,
    {
      code: 'PAYMENT_REQUIRED',
      accepts: [{ maxAmountRequired: '400000' }],
      detail: { balanceUsdc: '0.500000' },
    },
  ])
  expect(decoded(answer.headers.get('payment-response'))).toMatchObject({ success: true })
  // Its signature is public now: whoever sends it again cannot claim that more was paid.
  const claimed = await request(resource, { q: 2 }, claiming(header, 400_000n))
  expect([claimed.status, await claimed.json()]).toMatchObject([
    402,
    { error: 'invalid_exact_evm_signature' },
  ])
  expect([await balance(liam), raising.upstream.calls.length]).toEqual([500_000n, 1])

  await setPrice('0.010000')
  expect((await request(resource, { q: 2 }, header)).status).toBe(200)
  expect(await balance(liam)).toBe(500_000n - PRICE)
  await raising.upstream.stop()
})
