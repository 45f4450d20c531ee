import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { post, send } from '../kit/network/http.ts'
import { invoke, register } from '../kit/world/world.ts'
import { type ModelFixture, raisedAs, startModelFixture } from './model-fixture.ts'

const PRICE = '0.001'
const MESSAGES = [{ role: 'user' as const, content: 'Go on.' }]

let fixture: ModelFixture
let credential: { readonly token: string; readonly id: string }
beforeAll(async () => {
  fixture = await startModelFixture()
  credential = await fixture.credential()
})
afterAll(async () => {
  await fixture.on.assertBooks()
  await fixture.stop()
})

/** The calls that were taken up since, whatever became of them. */
async function callsDuring(work: () => Promise<unknown>): Promise<number> {
  const count = async () =>
    Number((await fixture.on.sql<{ n: bigint }>('select count(*) as n from invocations', []))[0]?.n)
  const before = await count()
  await work()
  return (await count()) - before
}

/** A service that passes its calls on to a path of the gateway, at the expense of the owner. */
const offerGateway = (path: string, name: string) =>
  register(fixture.on, fixture.owner, {
    targets: [`${fixture.on.url}${path}`],
    priceUsdc: PRICE,
    invoke: { method: 'POST' },
    manifest: { agentToolName: name, upstreamHeaders: { authorization: `Bearer ${credential.token}` } },
  })

describe('services that target the gateway', () => {
  test('forward a call of a model only once, however they refer to each other', async () => {
    const upstreamHeaders = { authorization: `Bearer ${credential.token}` }
    const target = (path: string) => ({
      upstreamHeaders,
      invoke: { method: 'POST', targets: [{ url: fixture.on.url + path }] },
    })
    await fixture.offer('ping-model', '', { ...target('/v1/chat/completions'), upstreamModel: 'pong-model' })
    await fixture.offer('pong-model', '', {
      ...target('/v1/chat/completions?x=%20y'),
      upstreamModel: 'ping-model',
    })
    const client = new OpenAI({ baseURL: `${fixture.on.url}/v1`, apiKey: credential.token, maxRetries: 0 })
    const calls = await callsDuring(async () => {
      const asked = client.chat.completions.create({ model: 'ping-model', messages: MESSAGES, max_tokens: 5 })
      const raised = await raisedAs(OpenAI.APIError, asked)
      expect([raised.status, raised.message]).toEqual([502, expect.stringContaining('Loop detected')])
    })
    expect(calls).toBe(1)
  })

  test.each([
    [
      'POST /api/v1/agent/invoke',
      '/api/v1/agent/invoke',
      { serviceId: 'self-invoke', costUsdc: PRICE, payload: {} },
    ],
    ['POST /v1/messages', '/v1/messages', { model: 'ping-model', messages: MESSAGES, max_tokens: 5 }],
    ['POST /v1/responses', '/v1/responses', { model: 'ping-model', input: 'Go on.' }],
    ['POST /v1/completions', '/v1/completions', { model: 'ping-model', prompt: 'Go on.' }],
    ['POST /v1/embeddings', '/v1/embeddings', { model: 'ping-model', input: 'Go on.' }],
    [
      'POST /v1/messages/count_tokens',
      '/v1/messages/count_tokens',
      { model: 'ping-model', messages: MESSAGES },
    ],
    [
      'POST /mcp',
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'self-mcp', arguments: {} } },
    ],
  ])('are refused at %s in its own shape, without a charge', async (_, path, body) => {
    const serviceId = await offerGateway(path, `self${path.replaceAll(/[^a-z]+/g, '-')}`)
    const call = { serviceId, costUsdc: PRICE, payload: { body } }
    let answer: Awaited<ReturnType<typeof invoke>> | undefined
    expect(await callsDuring(async () => (answer = await invoke(fixture.on, credential, call)))).toBe(1)
    expect(answer?.body).toMatchObject({
      code: 'UPSTREAM_ERROR',
      detail: { upstreamStatus: 508, upstreamBody: expect.stringContaining('LOOP_DETECTED') },
    })
  })
})

test('refuses a call that returns signed with the secret of its provider, too', async () => {
  const { token } = fixture.owner
  const issued = await post<{ signingSecret: { keyId: string } }>(fixture.on, '/secrets/signing', { token })
  const serviceId = await offerGateway('/api/v1/agent/invoke', 'self-hmac')
  const change = { method: 'PUT', token, body: { signature: 'hmac-sha256' } } as const
  expect(await send(fixture.on.url, `/api/v1/services/${serviceId}`, change)).toMatchObject({ status: 200 })
  const call = { serviceId, costUsdc: PRICE, payload: { body: { serviceId, costUsdc: PRICE, payload: {} } } }
  let answer: Awaited<ReturnType<typeof invoke>> | undefined
  expect(await callsDuring(async () => (answer = await invoke(fixture.on, credential, call)))).toBe(1)
  expect(answer?.body).toMatchObject({
    code: 'UPSTREAM_ERROR',
    detail: { upstreamStatus: 508, upstreamBody: expect.stringContaining('LOOP_DETECTED') },
  })

  // Of no secret that there is, and of one that there is but did not make it.
  for (const keyId of ['sig_unknown', issued.body.signingSecret.keyId]) {
    const made = {
      'farebox-invocation-id': 'inv_1',
      'signature-input': `farebox=("@method");created=1;expires=2;keyid="${keyId}";alg="hmac-sha256"`,
      signature: `farebox=:${'A'.repeat(43)}=:`,
      'x-credential': credential.token,
    }
    const { body } = await post(fixture.on, '/agent/invoke', { headers: made, body: { serviceId: 'none' } })
    expect([keyId, body.code]).toEqual([keyId, 'SERVICE_NOT_FOUND'])
  }
})

test('accepts a request with an invented invocation id or a foreign signature like any other', async () => {
  const serviceId = await register(fixture.on, fixture.owner, {
    targets: [fixture.provider.url],
    priceUsdc: PRICE,
  })
  const made = {
    'farebox-invocation-id': 'inv_1',
    'signature-input': `farebox=("@method");created=1;expires=2;keyid="${'k'.repeat(43)}";alg="ed25519"`,
    signature: `farebox=:${'A'.repeat(86)}==:`,
  }
  for (const headers of [{ 'farebox-invocation-id': 'inv_1' }, made]) {
    const answer = await post(fixture.on, '/agent/invoke', {
      headers: { ...headers, 'x-credential': credential.token },
      body: { serviceId, costUsdc: PRICE, payload: {} },
    })
    expect(answer.body.code).not.toBe('LOOP_DETECTED')
  }
})
