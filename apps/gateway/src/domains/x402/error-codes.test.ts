import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { interruptCall } from '../../../test/kit/gateway/interrupt-call.ts'
import { startTestGateway, type TestGateway } from '../../../test/kit/gateway/test-gateway.ts'
import { registerModel } from '../../../test/kit/llm/llm-market.ts'
import { holdAnswers } from '../../../test/kit/provider/hold-answers.ts'
import { sendJson, startProvider, type TestProvider } from '../../../test/kit/provider/provider.ts'
import { until } from '../../../test/kit/until.ts'
import { arrive, register } from '../../../test/kit/world/world.ts'
import {
  decoded,
  giveGas,
  newSettler,
  newX402Payer,
  signPayment,
  type Terms,
} from '../../../test/kit/world/x402-client.ts'

const settler = newSettler()

let on: TestGateway
let upstream: TestProvider

beforeAll(async () => {
  ;[on, upstream] = await Promise.all([startTestGateway({ env: settler.env }), startProvider()])
  await giveGas(on.chain, settler.address)
  const provider = await arrive(on)
  const query = { type: 'object', properties: { n: { type: 'integer' } } }
  const sell = (agentToolName: string, priceUsdc: string) =>
    register(on, provider, {
      targets: [upstream.url],
      priceUsdc,
      manifest: { agentToolName },
      invoke: { request: { query } },
    })
  await sell('paid', '0.01')
  await sell('gratis', '0')
  await registerModel(on, provider, {
    url: `${upstream.url}v1/chat/completions`,
    manifest: { agentToolName: 'ferryman' },
  })
})
afterAll(async () => {
  await on.assertBooks()
  await on.stop()
  await upstream.stop()
})

type Answer = { status: number; headers: Headers; code: unknown; message?: unknown; detail?: unknown }

describe.each(['GET', 'POST'] as const)('%s /x402/:service', method => {
  const call = async (path: string, header?: string): Promise<Answer> => {
    const url = `${on.url}/x402/${path}`
    const answer = await fetch(url, {
      method,
      ...(header !== undefined && { headers: { 'payment-signature': header } }),
    })
    const { code, message, detail } = (await answer.json()) as Readonly<Record<string, unknown>>
    return { status: answer.status, code, message, detail, headers: answer.headers }
  }
  const pay = async (path: string) => {
    const payer = await newX402Payer(on.chain, 1_000_000n)
    const { headers } = await call(path)
    const signed = await signPayment(payer, decoded<Terms>(headers.get('payment-required')))
    return { payer, wallet: payer.address.toLowerCase(), header: signed.header }
  }

  test('PAYMENT_REQUIRED without a payment, SERVICE_NOT_FOUND without a service', async () => {
    expect(await call('paid')).toMatchObject({ status: 402, code: 'PAYMENT_REQUIRED' })
    expect(await call('nothing')).toMatchObject({ status: 404, code: 'SERVICE_NOT_FOUND' })
  })

  test('INVALID_PAYLOAD names arguments that do not fit; numbers in a URL are numbers', async () => {
    const { header } = await pay('paid')
    expect(await call('paid?n=many', header)).toMatchObject({
      status: 400,
      code: 'INVALID_PAYLOAD',
      message: expect.stringMatching(/^n must be /),
      detail: { issues: [{ path: 'n' }] },
    })
    expect(await call('paid?n=12', header)).toMatchObject({ status: 200 })
    expect(upstream.calls.at(-1)?.url).toBe('/?n=12')
  })

  test('PRICE_MISMATCH, LIMIT_EXCEEDED and LLM_AUTO_HOLD_LIMIT_EXCEEDED for caps and bounds', async () => {
    const { header } = await pay('paid')
    expect(await call('paid?maxCostUsdc=0.001', header)).toMatchObject({
      status: 422,
      code: 'PRICE_MISMATCH',
    })
    const isGet = method === 'GET'
    const cap = `ferryman?maxCostUsdc=0.000001${isGet ? '&prompt=a' : ''}`
    const model = await pay('ferryman')
    const capped = isGet ? await call(cap, model.header) : await postModel(cap, model.header, {})
    expect(capped).toMatchObject({ status: 422, code: 'LIMIT_EXCEEDED' })
    const long = isGet
      ? await call('ferryman?max_tokens=1000000', model.header)
      : await postModel('ferryman', model.header, { max_tokens: 1_000_000 })
    expect(long).toMatchObject({ status: 422, code: 'LLM_AUTO_HOLD_LIMIT_EXCEEDED' })
  })

  async function postModel(path: string, header: string, body: unknown): Promise<Answer> {
    const headers = { 'content-type': 'application/json', 'payment-signature': header }
    const answer = await fetch(`${on.url}/x402/${path}`, { method, headers, body: JSON.stringify(body) })
    return {
      status: answer.status,
      code: ((await answer.json()) as { code: unknown }).code,
      headers: answer.headers,
    }
  }

  test('WALLET_SUSPENDED before anything settles', async () => {
    const { wallet, payer, header } = await pay('paid')
    await on.sql('insert into wallets (address, username, suspended_at) values ($1, $2, now())', [
      wallet,
      'gone',
    ])
    expect(await call('paid', header)).toMatchObject({ status: 403, code: 'WALLET_SUSPENDED' })
    expect(await on.chain.usdcOf(payer.address)).toBe(1_000_000n)
  })

  test('BUDGET_EXHAUSTED by the spending policy of the payer', async () => {
    const { wallet, header } = await pay('paid')
    await on.sql("insert into wallets (address, username) values ($1, 'careful')", [wallet])
    await on.sql('insert into spending_policies (owner, monthly_limit) values ($1, 1)', [wallet])
    expect(await call('paid', header)).toMatchObject({ status: 402, code: 'BUDGET_EXHAUSTED' })
  })

  test('SERVICE_NOT_ALLOWED by the allow-list of the credential of the payer, before anything settles', async () => {
    const { payer, wallet, header } = await pay('paid')
    expect(await call('paid', header)).toMatchObject({ status: 200 })
    const left = await on.chain.usdcOf(payer.address)
    await on.sql("update credentials set allowed_services = '{ferryman}' where owner = $1", [wallet])
    const { headers } = await call('paid')
    const again = await signPayment(payer, decoded<Terms>(headers.get('payment-required')))
    expect(await call('paid', again.header)).toMatchObject({ status: 403, code: 'SERVICE_NOT_ALLOWED' })
    expect(await on.chain.usdcOf(payer.address)).toBe(left)
  })

  test('UPSTREAM_ERROR, IDEMPOTENCY_CONFLICT and IDEMPOTENCY_IN_PROGRESS', async () => {
    upstream.respondWith((_, response) => sendJson(response, 500, {}))
    const failing = await pay('paid')
    expect(await call('paid', failing.header)).toMatchObject({ status: 502, code: 'UPSTREAM_ERROR' })
    expect(await call('paid?n=2', failing.header)).toMatchObject({
      status: 409,
      code: 'IDEMPOTENCY_CONFLICT',
    })
    const held = holdAnswers(upstream)
    const { header } = await pay('paid')
    const first = call('paid', header)
    await until('the provider is called', () => held.waiting() === 1)
    expect(await call('paid', header)).toMatchObject({ status: 409, code: 'IDEMPOTENCY_IN_PROGRESS' })
    held.release()
    expect(await first).toMatchObject({ status: 200 })
  })

  test('GATEWAY_INTERRUPTED for a call that was swept, permanently', async () => {
    const held = holdAnswers(upstream)
    const { wallet, header } = await pay('paid')
    const first = call('paid', header)
    await until('the provider is called', () => held.waiting() === 1)
    const [row] = await on.sql<{ id: string }>(
      'select credential_id as id from x402_payers where wallet = $1',
      [wallet],
    )
    await interruptCall(on, { id: row?.id ?? '' })
    held.release()
    await first
    expect(await call('paid', header)).toMatchObject({ status: 503, code: 'GATEWAY_INTERRUPTED' })
  })

  test('IDEMPOTENCY_CONFLICT once the payer has ended the credential of the call', async () => {
    upstream.respondWith((_, response) => sendJson(response, 200, {}))
    const { wallet, header } = await pay('paid')
    expect(await call('paid', header)).toMatchObject({ status: 200 })
    const before = upstream.calls.length
    await on.sql(
      `update credentials set status = 'revoked' where id = (select credential_id from x402_payers where wallet = $1)`,
      [wallet],
    )
    expect(await call('paid', header)).toMatchObject({ status: 409, code: 'IDEMPOTENCY_CONFLICT' })
    expect(upstream.calls.length).toBe(before)
  })

  test('RATE_LIMITED for free calls of one client address', async () => {
    let answer = await call('gratis')
    for (let calls = 0; calls < 100 && answer.status === 200; calls += 1) answer = await call('gratis')
    expect(answer).toMatchObject({ status: 429, code: 'RATE_LIMITED' })
  })
})
