import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startTestGateway, type TestGateway } from '../../../apps/gateway/test/kit/gateway/test-gateway.ts'
import { registerModel } from '../../../apps/gateway/test/kit/llm/llm-market.ts'
import { send } from '../../../apps/gateway/test/kit/network/http.ts'
import {
  type LlmTestProvider,
  startLlmProvider,
} from '../../../apps/gateway/test/kit/provider/llm-provider.ts'
import { startProvider, type TestProvider } from '../../../apps/gateway/test/kit/provider/provider.ts'
import { newWallet } from '../../../apps/gateway/test/kit/world/wallets.ts'
import { arrive, mint, ownerWith, type Person, register } from '../../../apps/gateway/test/kit/world/world.ts'
import { type Client, createClient, type EventStream } from '../src/client.ts'
import { GatewayError } from '../src/errors.ts'
import { pages } from '../src/paging.ts'
import { signIn } from '../src/sign-in.ts'
import { suggestServices } from '../src/suggest-services.ts'

let on: TestGateway
let server: TestProvider
let model: LlmTestProvider
let owner: Person
let api: Client
let credential: { token: string; id: string }

beforeAll(async () => {
  ;[on, server, model] = await Promise.all([startTestGateway(), startProvider(), startLlmProvider()])
  owner = await ownerWith(on, '5')
  api = createClient({ baseUrl: on.url, token: () => owner.token })
  credential = await mint(on, owner)
  const provider = await arrive(on)
  await register(on, provider, {
    targets: [server.url],
    priceUsdc: '0.1',
    manifest: { agentToolName: 'counter' },
  })
  const url = `${model.url}/v1/chat/completions`
  await registerModel(on, provider, { url, manifest: { agentToolName: 'model', upstreamModel: 'm-1' } })
  await registerModel(on, provider, {
    url: `${model.url}/v1/messages`,
    manifest: { agentToolName: 'writer', llmDialect: 'anthropic' },
  })
  await registerModel(on, provider, {
    url: `${model.url}/v1/responses`,
    manifest: { agentToolName: 'responder' },
  })
})
afterAll(async () => {
  await on.assertBooks()
  await Promise.all([server.stop(), model.stop()])
  await on.stop()
})

const call = { serviceId: 'counter', costUsdc: '0.1', payload: { body: {} } }

/** A `fetch` of which some requests fail: before they leave, or with their answers lost. */
function failing(kind: 'request' | 'answer', times: number): { fetch: typeof fetch; keys: string[] } {
  const keys: string[] = []
  let left = times
  return {
    keys,
    async fetch(url, init) {
      keys.push(new Headers(init?.headers).get('x-idempotency-key') ?? '')
      if (left > 0 && kind === 'request') {
        left -= 1
        throw new TypeError('fetch failed')
      }
      const answer = await fetch(url, init)
      if (left === 0) return answer
      left -= 1
      await answer.arrayBuffer()
      throw new TypeError('fetch failed')
    },
  }
}

test('operations are called by name, with their parameters', async () => {
  expect((await api.readBalance()).balance.ownerBalance).toMatch(/^\d+\.\d{6}$/)
  expect((await api.readMarketService({ path: { id: 'counter' } })).service.serviceName).toBe('Test service')
  const { credentials } = await api.listCredentials({ query: { limit: 1, active_only: 'true' } })
  expect(credentials.map(({ credential_id }) => credential_id)).toEqual([credential.id])
})

test.each([undefined, 'localhost:8402', '127.0.0.1:8402', 'ws://gateway.example'])(
  'a client of %o is refused with what a URL looks like',
  baseUrl => {
    const options = { baseUrl: baseUrl as string }
    expect(() => createClient(options)).toThrow(
      `baseUrl: ${baseUrl} is not the URL of a gateway, such as https://gateway.example.`,
    )
  },
)

test('a page may create a client of its own origin, or of a path there', () => {
  for (const baseUrl of ['', '/gateway']) expect(() => createClient({ baseUrl })).not.toThrow()
})

test('an operation without a part of its path is not sent', async () => {
  await expect(api.readMarketService({ path: { id: '' } })).rejects.toThrow('path.id is missing.')
})

test('a name that no service has leads to the closest ones', async () => {
  expect(await suggestServices(api, 'countre')).toContain('counter')
  expect(await suggestServices(api, 'my_countre v1')).toContain('counter')
  expect(await suggestServices(api, '--')).toEqual([])
})

describe('money', () => {
  test('a call whose answer was lost is retried under its key, and paid once', async () => {
    const { fetch, keys } = failing('answer', 1)
    const agent = createClient({ baseUrl: on.url, credential: credential.token, fetch })
    const before = server.calls.length
    const answer = await agent.invokeService({ body: call })
    expect(answer).toMatchObject({ status: 'SUCCEEDED', chargedUsdc: '0.100000' })
    expect(server.calls.length - before).toBe(1)
    expect(keys).toEqual([keys[0], keys[0]])
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/)
  })

  test.each([502, 503, 524])(
    'a call that a server in front of the gateway answered with %i is retried, too, and paid once',
    async status => {
      let left = 1
      const agent = createClient({
        baseUrl: on.url,
        credential: credential.token,
        async fetch(url, init) {
          const answer = await fetch(url, init)
          return left-- > 0 ? new Response('<html>Bad gateway</html>', { status }) : answer
        },
      })
      const before = server.calls.length
      expect(await agent.invokeService({ body: call })).toMatchObject({ chargedUsdc: '0.100000' })
      expect(server.calls.length - before).toBe(1)
    },
  )

  test('an error of a server in front of the gateway says so; only one of 5xx may pass', async () => {
    const refusal = (status: number) =>
      createClient({ baseUrl: on.url, retries: 0, fetch: async () => new Response('<html>', { status }) })
        .invokeService({ body: call })
        .catch((error: unknown) => error)
    expect(await refusal(502)).toMatchObject({
      code: 'UNREACHABLE',
      status: 502,
      isPassing: true,
      message: 'The gateway cannot be reached: a server in front of it answered 502.',
    })
    expect(await refusal(413)).toMatchObject({ code: 'UNREADABLE', status: 413, isPassing: false })
  })

  test('a call whose answer was cut is retried, too', async () => {
    let left = 1
    const agent = createClient({
      baseUrl: on.url,
      credential: credential.token,
      async fetch(url, init) {
        const answer = await fetch(url, init)
        if (left-- === 0) return answer
        const { body, ...head } = answer
        const cut = new ReadableStream({
          start(controller) {
            controller.enqueue(new TextEncoder().encode('{"invocationId": "inv_'))
          },
          pull: controller => controller.error(new TypeError('terminated')),
        })
        await body?.cancel()
        return new Response(cut, head)
      },
    })
    const before = server.calls.length
    expect(await agent.invokeService({ body: call })).toMatchObject({ chargedUsdc: '0.100000' })
    expect(server.calls.length - before).toBe(1)
  })

  test('a request whose first attempt still runs waits for its answer, for up to its timeout', async () => {
    const served = Promise.withResolvers<void>()
    server.respondWith(async (_, response) => {
      await served.promise
      response.setHeader('content-type', 'application/json').end('{"slow": true}')
    })
    const before = server.calls.length
    const request = { body: call, idempotencyKey: 'slow' }
    const plain = createClient({ baseUrl: on.url, credential: credential.token, retries: 0 })
    const first = plain.invokeService(request)
    await vi.waitFor(() => expect(server.calls.length).toBe(before + 1))
    await expect(plain.invokeService(request)).rejects.toMatchObject({ code: 'IDEMPOTENCY_IN_PROGRESS' })

    let refusals = 0
    const agent = createClient({
      baseUrl: on.url,
      credential: credential.token,
      retries: 1,
      async fetch(url, init) {
        const answer = await fetch(url, init)
        if (answer.status === 409) refusals += 1
        // More refusals than there are retries.
        if (refusals === 4) served.resolve()
        return answer
      },
    })
    const brief = agent.invokeService({ ...request, timeoutMs: 500 })
    await expect(brief).rejects.toMatchObject({ code: 'IDEMPOTENCY_IN_PROGRESS' })
    expect(refusals).toBe(2)
    expect(await agent.invokeService(request)).toEqual(await first)
    expect(refusals).toBe(4)
    expect(server.calls.length).toBe(before + 1)
    server.respondWith((_, response) => response.end('{}'))
  })

  test('two calls have different keys, unless they are given one', async () => {
    const { fetch, keys } = failing('request', 0)
    const agent = createClient({ baseUrl: on.url, credential: credential.token, fetch })
    await agent.invokeService({ body: call })
    await agent.invokeService({ body: call })
    await agent.invokeService({ body: call, idempotencyKey: 'mine' })
    await agent.invokeService({ body: call, headers: { 'X-Idempotency-Key': 'my header' } })
    await agent.invokeService({ body: { ...call, idempotencyKey: 'in the body' } })
    expect(new Set(keys).size).toBe(5)
    expect(keys.slice(2)).toEqual(['mine', 'my header', 'in the body'])
    const twoKeys = agent.invokeService({
      body: { ...call, idempotencyKey: 'theirs' },
      idempotencyKey: 'mine',
    })
    await expect(twoKeys).rejects.toThrow('invokeService: body.idempotencyKey is another key')
  })
})

describe('errors', () => {
  test('an error of the gateway has its code, detail and request id', async () => {
    const refused = api.invokeService({ body: { ...call, costUsdc: '0.2' }, credential: credential.token })
    const error = await refused.catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(GatewayError)
    expect(error).toMatchObject({
      code: 'PRICE_MISMATCH',
      status: 422,
      retryAfter: null,
      isPassing: false,
      requestId: expect.stringMatching(/^req_/),
      detail: { currentPriceUsdc: '0.100000' },
    })
  })

  test("an error of a compatible API has the gateway's code, too", async () => {
    const body = { model: 'nobody', messages: [{ role: 'user' as const, content: 'Hi' }] }
    const refused = api.createChatCompletion({ body, credential: credential.token })
    await expect(refused).rejects.toMatchObject({ code: 'SERVICE_NOT_FOUND', status: 404 })
  })

  test("a request is sent with its own credential instead of the client's", async () => {
    const agent = createClient({ baseUrl: on.url, credential: `agt_${'0'.repeat(43)}`, retries: 0 })
    await expect(agent.invokeService({ body: call })).rejects.toMatchObject({ code: 'CREDENTIAL_INVALID' })
    expect((await agent.invokeService({ body: call, credential: credential.token })).status).toBe('SUCCEEDED')
  })

  test('retries reads, but not writes without a key', async () => {
    const reading = failing('request', 2)
    await createClient({ baseUrl: on.url, fetch: reading.fetch }).readLiveness()
    expect(reading.keys).toHaveLength(3)
    const writing = failing('request', 1)
    const client = createClient({ baseUrl: on.url, fetch: writing.fetch })
    const body = { source: 'api' as const, sentiment: 'neutral' as const, message: 'Hello.' }
    await expect(client.submitFeedback({ body })).rejects.toMatchObject({
      code: 'UNREACHABLE',
      status: 0,
      message: `The gateway cannot be reached at ${on.url}.`,
    })
    expect(writing.keys).toHaveLength(1)
  })

  test('rejects a key for an operation that takes none, as its repetition would be a second request', async () => {
    const lost = failing('answer', 1)
    const careless = createClient({ baseUrl: on.url, token: () => owner.token, fetch: lost.fetch })
    const request = { body: { name: 'once' }, idempotencyKey: 'mint-1' }
    // @ts-expect-error Only operations whose answer the gateway repeats by a key take one.
    const minted = careless.issueCredential(request)
    await expect(minted).rejects.toThrow('issueCredential takes no idempotencyKey.')
    const ping = { body: { jsonrpc: '2.0', id: 1, method: 'ping' }, idempotencyKey: 'ping-1' } as const
    // @ts-expect-error Its key is `_meta["farebox/idempotencyKey"]`.
    const called = careless.callMcp(ping)
    await expect(called).rejects.toThrow(TypeError)
    expect(lost.keys).toEqual([])
  })

  test('waits as long as Retry-After asks', async () => {
    let asked = 0
    const client = createClient({
      baseUrl: on.url,
      async fetch(url, init) {
        asked += 1
        if (asked > 1) return fetch(url, init)
        const body = { code: 'RATE_LIMITED', message: 'Later.', detail: {} }
        return Response.json(body, { status: 429, headers: { 'retry-after': '1' } })
      },
    })
    const from = performance.now()
    expect(await client.readLiveness()).toMatchObject({ status: 'ok' })
    expect(performance.now() - from).toBeGreaterThanOrEqual(990)
  })

  test('a late answer is a timeout, and an abandoned one the caller’s abort', async () => {
    server.respondWith(() => undefined)
    const agent = createClient({ baseUrl: on.url, credential: credential.token, retries: 0 })
    const late = agent.invokeService({ body: call, timeoutMs: 100 })
    await expect(late).rejects.toMatchObject({ code: 'TIMEOUT' })
    const left = agent.invokeService({ body: call, signal: AbortSignal.timeout(100) })
    await expect(left).rejects.toMatchObject({ name: 'TimeoutError' })
    server.respondWith((_, response) => response.end('{}'))
  })
})

describe('backoff', () => {
  const body = { model: 'model', messages: [] }
  test.each([
    ['a read', 30_000, (client: Client) => client.readLiveness()],
    ['a call', 135_000, (client: Client) => client.invokeService({ body: call })],
    [
      'a call through a compatible API',
      135_000,
      (client: Client) => client.stream('createChatCompletion', { body }),
    ],
    [
      'a call with its own timeout',
      50,
      (client: Client) => client.invokeService({ body: call, timeoutMs: 50 }),
    ],
  ])('%s is waited for %i ms', async (_, ms, ask) => {
    // Only the client's: calls of earlier tests may still end at the gateway, by the true clock.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const { promise: never, reject } = Promise.withResolvers<Response>()
      const client = createClient({
        baseUrl: on.url,
        retries: 0,
        async fetch(_url, init) {
          init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))
          return never
        },
      })
      const outcome = ask(client).then(
        () => 'answered',
        (error: GatewayError) => error.code,
      )
      await vi.advanceTimersByTimeAsync(ms - 1)
      expect(await Promise.race([outcome, 'still waited for'])).toBe('still waited for')
      await vi.advanceTimersByTimeAsync(1)
      expect(await outcome).toBe('TIMEOUT')
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('sessions', () => {
  test('a wallet signs in by its signature', async () => {
    const { token, expires_in } = await signIn(createClient({ baseUrl: on.url }), newWallet())
    expect(expires_in).toBeGreaterThan(0)
    const wallet = createClient({ baseUrl: on.url, token: () => token })
    expect((await wallet.readBalance()).consumer_available_balance).toBe('0.000000')
  })

  const ended = async () => {
    const { token } = await arrive(on)
    await send(on.url, '/api/v1/auth/logout', { method: 'POST', token })
    return token
  }

  test('an expired session is renewed, and the request continues', async () => {
    const token = await ended()
    let asked = 0
    const client = createClient({
      baseUrl: on.url,
      token: () => token,
      onUnauthorized: async () => {
        asked += 1
        return owner.token
      },
    })
    await client.readBalance()
    expect(asked).toBe(1)
  })

  test('reports the error if the session is not renewed', async () => {
    const token = await ended()
    const client = createClient({ baseUrl: on.url, token: () => token, onUnauthorized: async () => null })
    await expect(client.readBalance()).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  })
})

describe('pages and streams', () => {
  test('reads a list page by page to its end', async () => {
    const entries = []
    for await (const page of pages(cursor => api.listLedgerEntries({ query: { ...cursor, limit: 2 } })))
      entries.push(...page.entries)
    const { entries: all } = await api.listLedgerEntries({ query: { limit: 100 } })
    expect(entries).toEqual(all)
    expect(all.length).toBeGreaterThan(2)
  })

  const messages = [{ role: 'user' as const, content: 'Who pays the ferryman?' }]

  test('reads a stream event by event, with its hold and its cost', async () => {
    const body = { model: 'model', messages, stream: true, max_tokens: 20 }
    const stream = await api.stream('createChatCompletion', { body, credential: credential.token })
    expect(Number(stream.headers.get('farebox-hold-usdc'))).toBeGreaterThan(0)
    expect(stream.bill).toBeNull()
    const reported = []
    for await (const { data } of stream) reported.push(data)
    expect(reported.at(-1)).toBe('[DONE]')
    expect(reported.length).toBeGreaterThan(3)
    expect(stream.bill).toMatchObject({
      invocationId: stream.headers.get('farebox-invocation-id'),
      status: 'SUCCEEDED',
      holdUsdc: stream.headers.get('farebox-hold-usdc'),
      usage: { outputTokens: 20 },
    })
  })

  const asked = (max_tokens: number) => ({
    credential: credential.token,
    idempotencyKey: `stream-${max_tokens}`,
    body: { serviceId: 'model', payload: { body: { messages, max_tokens, stream: true } } },
  })

  test('reads the bill wherever the gateway sends it, and again on replay', async () => {
    const bills = []
    for (let times = 0; times < 2; times++) {
      const stream = await api.stream('invokeService', asked(12))
      for await (const { event } of stream) expect(['message', 'gateway']).toContain(event)
      bills.push(stream.bill)
    }
    expect(bills[0]).toMatchObject({ status: 'SUCCEEDED', usage: { outputTokens: 12 } })
    const { chargedUsdc, holdUsdc, releasedUsdc } = bills[0] ?? {}
    expect(Number(releasedUsdc)).toBeCloseTo(Number(holdUsdc) - Number(chargedUsdc), 6)
    expect(bills[1]).toEqual(bills[0])
  })

  test('treats a complete answer as a stream of one event', async () => {
    const stream = await api.stream('invokeService', { body: call, credential: credential.token })
    const reported = []
    for await (const { event, data } of stream) reported.push([event, JSON.parse(data).status])
    expect(reported).toEqual([['gateway', 'SUCCEEDED']])
    expect(stream.bill).toMatchObject({ chargedUsdc: '0.100000', releasedUsdc: '0.000000', usage: null })
  })

  test('throws an error of the gateway at the end of a stream', async () => {
    model.bend({ cutAfterEvents: 3 })
    const stream = await api.stream('invokeService', asked(13))
    const read = async () => {
      for await (const { event } of stream) expect(event).toBe('message')
    }
    await expect(read()).rejects.toMatchObject({
      code: 'UPSTREAM_ERROR',
      requestId: expect.stringMatching(/^req_/),
      detail: { status: 'PROCESSING' },
    })
    expect(stream.bill).toBeNull()
    model.bend({})
  })

  const compatApis = {
    createChatCompletion: () =>
      api.stream('createChatCompletion', {
        credential: credential.token,
        body: { model: 'model', messages, stream: true, max_tokens: 20 },
      }),
    createMessage: () =>
      api.stream('createMessage', {
        credential: credential.token,
        body: { model: 'writer', messages, stream: true, max_tokens: 20 },
      }),
    createResponse: () =>
      api.stream('createResponse', {
        credential: credential.token,
        body: { model: 'responder', input: 'Who?', stream: true, max_output_tokens: 20 },
      }),
  }
  const toItsEnd = async (stream: EventStream) => {
    for await (const { event } of stream) expect(event).not.toBe('error')
  }

  test.each(Object.entries(compatApis))(
    'throws an error of the gateway at the end of a stream of %s',
    async (_, ask) => {
      model.bend({ cutAfterEvents: 3 })
      const stream = await ask()
      await expect(toItsEnd(stream)).rejects.toMatchObject({
        code: 'UPSTREAM_ERROR',
        status: 200,
        requestId: expect.stringMatching(/^req_/),
        detail: { status: 'PROCESSING', invocationId: stream.headers.get('farebox-invocation-id') },
      })
      model.bend({})
    },
  )

  test.each([
    ['createChatCompletion', 'data: {"error":{"message":"Too many at once.","code":"overloaded"}}\n\n'],
    [
      'createMessage',
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Too many at once."}}\n\n',
    ],
    [
      'createResponse',
      'event: error\ndata: {"type":"error","message":"Too many at once.","code":null,"sequence_number":9}\n\n',
    ],
    [
      'createResponse',
      'event: response.failed\ndata: {"type":"response.failed","response":{"id":"r","error":{"message":"Too many at once."}}}\n\n',
    ],
  ] as const)("throws a provider's own error at the end of a stream of %s", async (name, raw) => {
    model.bend({ inject: [{ afterEvents: 2, raw }], endAfterEvents: 2 })
    await expect(toItsEnd(await compatApis[name]())).rejects.toMatchObject({
      code: 'UPSTREAM_ERROR',
      message: 'Too many at once.',
      requestId: null,
    })
    model.bend({})
  })

  test("does not mistake a model's text about errors for an error", async () => {
    model.bend({ reply: 'He said {"type":"error","error":{"message":"none"}} and went.' })
    for (const ask of Object.values(compatApis)) await toItsEnd(await ask())
    model.bend({})
  })

  test('reports a cut stream as an unreachable gateway', async () => {
    const cut = createClient({
      baseUrl: on.url,
      fetch: async () =>
        new Response(
          new ReadableStream({
            pull(controller) {
              controller.enqueue(new TextEncoder().encode('data: 1\n\n'))
              controller.error(new TypeError('terminated'))
            },
          }),
          { headers: { 'content-type': 'text/event-stream' } },
        ),
    })
    const stream = await cut.stream('invokeService', { body: call })
    await expect(stream[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'UNREACHABLE' })
  })

  test('passes on what is not JSON unchanged', async () => {
    const answer = await api.raw('listLedgerEntries', { headers: { accept: 'text/csv' } })
    expect(answer.headers.get('content-type')).toContain('text/csv')
    expect((await answer.text()).split('\n').length).toBeGreaterThan(2)
  })
})
