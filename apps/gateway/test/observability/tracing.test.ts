import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestGateway } from '../kit/gateway/test-gateway.ts'
import { chatBody, invokeStream, type LlmMarket, openLlmMarket } from '../kit/llm/llm-market.ts'
import { get, post } from '../kit/network/http.ts'
import { sendJson, startProvider, type TestProvider } from '../kit/provider/provider.ts'
import { until } from '../kit/until.ts'
import { arrive, mint, ownerWith, register } from '../kit/world/world.ts'
import { type Collector, type SeenSpan, startCollector } from './collector.ts'

const PRICE_USDC = '0.010000'
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-0([01])$/
/** Text that must not be in any span. */
const QUERY_SECRET = 'a-query-value-of-the-provider'
const HEADER_SECRET = 'a-key-of-the-provider'
const BODY_SECRET = 'what-the-agent-asked'

let on: LlmMarket
let collector: Collector
let [dead, alive] = [] as unknown as [TestProvider, TestProvider]
let service: string
beforeAll(async () => {
  collector = await startCollector()
  ;[dead, alive] = await Promise.all([startProvider(), startProvider()])
  on = await openLlmMarket({
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SERVICE_NAME: 'farebox-under-test' },
  })
  dead.respondWith((_, response) => sendJson(response, 503, {}))
  service = await register(on, on.provider, {
    targets: [`${dead.url}paid?key=${QUERY_SECRET}`, `${alive.url}paid?key=${QUERY_SECRET}`],
    priceUsdc: PRICE_USDC,
    manifest: { upstreamHeaders: { 'x-provider-key': HEADER_SECRET } },
    invoke: { method: 'GET' },
  })
})
afterAll(async () => {
  await on.stop()
  await Promise.all([dead.stop(), alive.stop(), collector.stop()])
})

/** A trace started by a caller. */
function begin(isSampled = true) {
  const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')]
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-0${isSampled ? 1 : 0}` }
}

const call = (headers: Record<string, string> = {}, more: Record<string, unknown> = {}) =>
  post<{ receipt: { attempts: number }; invocationId: string }>(on, '/agent/invoke', {
    headers: { 'x-credential': on.credential.token, ...headers },
    body: { serviceId: service, costUsdc: PRICE_USDC, payload: { body: { q: BODY_SECRET } }, ...more },
  })

/** The spans of a trace, once its server span is there: that is the last to end. */
async function spansOf(traceId: string): Promise<SeenSpan[]> {
  const found = () => collector.spans.filter(span => span.traceId === traceId)
  await until('the trace was sent', () => found().some(({ kind }) => kind === 'server'))
  return found()
}

const named = (spans: readonly SeenSpan[], name: string) => spans.filter(span => span.name === name)

describe('a trace of a paid call', () => {
  test('joins caller, gateway and provider, across a failover', async () => {
    // Targets are drawn: until the dead one is first.
    for (let calls = 1; ; calls += 1) {
      if (calls === 50) throw new Error('The dead target was never drawn.')
      const trace = begin()
      const answer = await call({ traceparent: trace.traceparent, 'x-request-id': `request-${calls}` })
      expect(answer.status).toBe(200)
      if (answer.body.receipt.attempts === 1) continue

      const spans = await spansOf(trace.traceId)
      const [server] = spans.filter(({ kind }) => kind === 'server')
      expect(server).toMatchObject({
        parentSpanId: trace.spanId,
        name: 'POST /api/v1/agent/invoke',
        isError: false,
        attributes: {
          'http.request.method': 'POST',
          'http.route': '/api/v1/agent/invoke',
          'http.response.status_code': 200,
          'farebox.operation': 'invokeService',
          'farebox.request.id': `request-${calls}`,
          'farebox.service.id': service,
          'farebox.invocation.id': answer.body.invocationId,
        },
      })
      expect(server?.events.map(({ name }) => name)).toEqual(['farebox.failover'])
      const steps = spans.filter(({ parentSpanId }) => parentSpanId === server?.spanId)
      expect(steps.map(({ name }) => name)).toEqual(['hold', 'GET', 'GET', 'settle'])
      expect(steps).toHaveLength(spans.length - 1)
      const [first, second] = named(steps, 'GET')
      const at = (provider: TestProvider) => ({
        'http.request.method': 'GET',
        'server.address': '127.0.0.1',
        'server.port': Number(new URL(provider.url).port),
      })
      expect(first).toMatchObject({ kind: 'client', isError: true })
      expect(first?.attributes).toEqual({
        ...at(dead),
        'http.response.status_code': 503,
        'error.type': '503',
      })
      expect(second).toMatchObject({ kind: 'client', isError: false })
      expect(second?.attributes).toEqual({
        ...at(alive),
        'http.response.status_code': 200,
        'http.request.resend_count': 1,
      })
      // Each provider continues the very attempt that reached it.
      const seenBy = (provider: TestProvider) => provider.calls.at(-1)?.headers.traceparent
      expect(seenBy(dead)).toBe(`00-${trace.traceId}-${first?.spanId}-01`)
      expect(seenBy(alive)).toBe(`00-${trace.traceId}-${second?.spanId}-01`)
      return
    }
  })

  test('starts here if the caller sends none or an invalid one', async () => {
    const nothings = [
      {},
      { traceparent: 'nonsense' },
      { traceparent: `00-${'0'.repeat(32)}-${'1'.repeat(16)}-01` },
    ]
    for (const headers of nothings) {
      expect((await call(headers)).status).toBe(200)
      const [, traceId = '', , flags] =
        TRACEPARENT.exec(alive.calls.at(-1)?.headers.traceparent as string) ?? []
      expect(flags).toBe('1')
      const spans = await spansOf(traceId)
      expect(spans.find(({ kind }) => kind === 'server')?.parentSpanId ?? '').toBe('')
    }
  })

  test('is not exported if the caller does not sample it, but is still propagated', async () => {
    const [unsampled, sampled] = [begin(false), begin()]
    expect((await call({ traceparent: unsampled.traceparent })).status).toBe(200)
    expect(alive.calls.at(-1)?.headers.traceparent).toMatch(new RegExp(`^00-${unsampled.traceId}-.{16}-00$`))
    await call({ traceparent: sampled.traceparent })
    await spansOf(sampled.traceId)
    expect(collector.spans.some(({ traceId }) => traceId === unsampled.traceId)).toBe(false)
  })

  test('has an event for a replay, and no span of a provider', async () => {
    const idempotencyKey = 'told twice'
    const first = await call({}, { idempotencyKey })
    const trace = begin()
    await call({ traceparent: trace.traceparent }, { idempotencyKey })
    const spans = await spansOf(trace.traceId)
    const server = spans.find(({ kind }) => kind === 'server')
    expect(server?.events).toEqual([
      { name: 'farebox.replay', attributes: { 'farebox.invocation.id': first.body.invocationId } },
    ])
    expect(spans.some(({ kind }) => kind === 'client')).toBe(false)
  })

  test('has a span for a stream that lasts as long as the stream', async () => {
    const [before, pauseMs] = [collector.spans.length, 300]
    on.model.bend({ stallAfterEvents: 2 })
    const streamed = invokeStream(on, on.credential, {
      serviceId: on.chat,
      payload: { body: chatBody({ stream: true }) },
    })
    await new Promise(done => setTimeout(done, pauseMs))
    on.model.bend({})
    on.model.release()
    expect((await streamed).text).toContain('[DONE]')
    const lasting = () =>
      collector.spans
        .slice(before)
        .find(span => span.kind === 'client' && span.name === 'POST' && span.took >= pauseMs * 0.8)
    await until('the attempt was sent', () => lasting() !== undefined)
    expect(lasting()).toMatchObject({ isError: false, attributes: { 'http.response.status_code': 200 } })
  })

  test('is the same trace through the compatible APIs: OpenAI, MCP', async () => {
    const asks = [
      { path: '/v1/chat/completions', body: { ...chatBody(), model: on.chat } },
      {
        path: '/mcp',
        body: {
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: on.chat, arguments: chatBody() },
        },
      },
    ]
    for (const { path, body } of asks) {
      const trace = begin()
      const answer = await fetch(`${on.url}${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${on.credential.token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          traceparent: trace.traceparent,
        },
        body: JSON.stringify(body),
      })
      expect([path, answer.status, await answer.text()]).toEqual([path, 200, expect.any(String)])
      const spans = await spansOf(trace.traceId)
      const names = spans.map(({ name }) => name).sort()
      expect(names).toEqual(['POST', `POST ${path}`, 'hold', 'settle'].sort())
      const client = spans.find(({ kind }) => kind === 'client')
      expect(on.model.calls.at(-1)?.headers.traceparent).toBe(`00-${trace.traceId}-${client?.spanId}-01`)
    }
  })
})

describe('a trace', () => {
  test('marks refusals by their code, and internal faults as errors', async () => {
    const [refused, broken] = [begin(), begin()]
    await call({ traceparent: refused.traceparent }, { costUsdc: '9' })
    const [server] = (await spansOf(refused.traceId)).filter(({ kind }) => kind === 'server')
    expect(server).toMatchObject({ isError: false, attributes: { 'farebox.error.code': 'PRICE_MISMATCH' } })
    alive.respondWith((_, response) => response.destroy())
    dead.respondWith((_, response) => response.destroy())
    await call({ traceparent: broken.traceparent })
    alive.respondWith((_, response) => sendJson(response, 200, {}))
    dead.respondWith((_, response) => sendJson(response, 503, {}))
    const spans = await spansOf(broken.traceId)
    expect(spans.find(({ kind }) => kind === 'server')?.isError).toBe(true)
    expect(spans.find(({ kind }) => kind === 'client')).toMatchObject({
      isError: true,
      attributes: { 'error.type': 'reset' },
    })
  })

  test('names the caller, but no token, header, body, query or wallet', async () => {
    expect(collector.resource()).toMatchObject({
      'service.name': 'farebox-under-test',
      'service.version': 'test',
      'service.instance.id': on.gateway.deps.instanceId,
    })
    await get(on, '/usage/logs?status=SUCCEEDED&q=a-query-of-the-owner', { token: on.owner.token })
    const trace = begin()
    await get(on, '/auth/me', { token: on.owner.token, headers: { traceparent: trace.traceparent } })
    await spansOf(trace.traceId)
    const secrets = [QUERY_SECRET, HEADER_SECRET, BODY_SECRET, on.credential.token, on.owner.token]
    const people = [on.owner.account.address, on.owner.account.address.toLowerCase()]
    for (const text of [...secrets, ...people, 'a-query-of-the-owner', 'ferry', '?key=']) {
      expect(collector.text()).not.toContain(text)
    }
  })
})

describe('without a collector', () => {
  test('creates no span without tracing, and forwards a caller’s header unchanged', async () => {
    const plain = await startTestGateway({ share: on })
    try {
      expect(plain.gateway.deps.tracer).toBeNull()
      const { traceparent } = begin()
      const asked = (headers: Record<string, string>) =>
        post(plain, '/agent/invoke', {
          headers: { 'x-credential': on.credential.token, ...headers },
          body: { serviceId: service, costUsdc: PRICE_USDC, payload: { body: {} } },
        })
      expect((await asked({ traceparent })).status).toBe(200)
      expect(alive.calls.at(-1)?.headers.traceparent).toBe(traceparent)
      expect((await asked({})).status).toBe(200)
      expect(alive.calls.at(-1)?.headers.traceparent).toBeUndefined()
    } finally {
      await plain.stop()
    }
  })

  test('delays no call and no stop while the collector is unreachable', async () => {
    const gone = await startCollector()
    const lone = await startTestGateway({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: gone.url }, share: on })
    await gone.stop()
    const provider = await arrive(lone)
    const owner = await ownerWith(lone, '1')
    const agent = await mint(lone, owner)
    const id = await register(lone, provider, { targets: [alive.url], priceUsdc: PRICE_USDC })
    const answer = await post(lone, '/agent/invoke', {
      headers: { 'x-credential': agent.token },
      body: { serviceId: id, costUsdc: PRICE_USDC, payload: { body: {} } },
    })
    expect(answer.status).toBe(200)
    const from = performance.now()
    await lone.stop()
    expect(performance.now() - from).toBeLessThan(10_000)
  })

  test('exports only the configured share of the traces that start here', async () => {
    const none = await startTestGateway({
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_TRACES_SAMPLER_ARG: '0',
        OTEL_SERVICE_NAME: 'none',
      },
      share: on,
    })
    const before = collector.spans.length
    for (let asks = 0; asks < 5; asks += 1) await get(none, '/auth/me', { token: on.owner.token })
    await none.stop()
    expect(collector.resource()['service.name']).not.toBe('none')
    expect(collector.spans.slice(before).filter(({ name }) => name.includes('/auth/me'))).toEqual([])
  })
})
