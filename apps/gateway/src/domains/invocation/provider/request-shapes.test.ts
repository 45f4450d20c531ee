import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../../../test/kit/gateway/test-gateway.ts'
import { registerModel } from '../../../../test/kit/llm/llm-market.ts'
import { post } from '../../../../test/kit/network/http.ts'
import { callTool, connectMcp, textOf } from '../../../../test/kit/network/mcp-client.ts'
import { type SignedProvider, startSignedProvider } from '../../../../test/kit/provider/signed-provider.ts'
import { manifestOf } from '../../../../test/kit/world/manifests.ts'
import { arrive, invoke, mint, ownerWith, type Person, register } from '../../../../test/kit/world/world.ts'

const PRICE = '0.010000'

let on: TestGateway
let provider: Person
let upstream: SignedProvider
let credential: { token: string; id: string }

beforeAll(async () => {
  on = await startTestGateway()
  provider = await arrive(on)
  upstream = await startSignedProvider(on.url, { wallet: provider.account.address })
  credential = await mint(on, await ownerWith(on, '10'))
})
afterEach(async () => {
  await on.assertBooks()
  upstream.seen.length = 0
})
afterAll(async () => {
  await upstream.stop()
  await on.stop()
})

/** Registers a service at a path of the provider. */
const sell = (path: string, more: Record<string, unknown> = {}, manifest: Record<string, unknown> = {}) =>
  register(on, provider, { targets: [upstream.url + path], priceUsdc: PRICE, invoke: more, manifest })

const call = (serviceId: string, payload: Record<string, unknown>, more: Record<string, unknown> = {}) =>
  invoke(on, credential, { serviceId, costUsdc: PRICE, payload, ...more })

/** The calls that reached the provider; probes are left out. */
const received = () => upstream.seen.filter(({ headers }) => headers['farebox-purpose'] === 'invocation')

/** The one call that reached the provider, whose signature over its bytes must have held. */
function only() {
  const [seen, ...others] = received()
  if (seen === undefined || others.length > 0) throw new Error(`${others.length + 1} calls or none.`)
  expect(seen.refused).toBeNull()
  return { ...seen, type: seen.headers['content-type'], text: seen.body.toString() }
}

/** Returns the refusal of a call that reached nobody and cost nothing. */
async function refused(serviceId: string, payload: Record<string, unknown>) {
  const { status, body } = await call(serviceId, payload)
  expect({ status, code: body.code, seen: received().length }).toEqual({
    status: 400,
    code: 'INVALID_PAYLOAD',
    seen: 0,
  })
  const [issue] = body.detail.issues as { path: string; message: string }[]
  return `${issue?.path} ${issue?.message}`
}

/** The path of the first issue of a manifest that is refused. */
async function faultOf(invokes: Record<string, unknown>, more: Record<string, unknown> = {}) {
  const body = { ...manifestOf(upstream.url), ...more, invoke: invokes }
  const { status, body: answer } = await post<{ code: string; message: string }>(on, '/services', {
    token: provider.token,
    body,
  })
  return `${status} ${answer.code} ${answer.message}`
}

test('substitutes percent-encoded path placeholders and signs the final URL', async () => {
  const id = await sell('/users/{user}/files/v{version}.json?key=k#top')
  const path = { user: 'ä b?#%2e;=é', version: 7 }
  expect(await call(id, { path, query: { x: [1, 2] } })).toMatchObject({ status: 200 })
  expect(only()).toMatchObject({
    method: 'POST',
    url: '/users/%C3%A4%20b%3F%23%252e%3B%3D%C3%A9/files/v7.json?key=k&x=1&x=2',
  })
})

test('rejects path values that do not fill one segment, before any hold', async () => {
  const id = await sell('/items/{id}')
  const faults: [object, string][] = [
    [{}, 'payload.path.id is missing'],
    [{ id: '' }, 'payload.path.id must not be empty'],
    [{ id: '..' }, 'payload.path.id must not contain ..'],
    [{ id: '.' }, 'payload.path.id must not contain ..'],
    [{ id: 'a..b' }, 'payload.path.id must not contain ..'],
    [{ id: 'a/b' }, 'payload.path.id must not contain a slash'],
    [{ id: 'a\\b' }, 'payload.path.id must not contain a slash'],
    [{ id: '\ud800' }, 'payload.path.id contains characters'],
    [{ id: 'a\nb' }, 'payload.path.id contains characters'],
    [{ id: 'x'.repeat(513) }, 'payload.path.id may be 512 characters'],
    [{ id: 'a', other: 'b' }, 'payload.path.other is not a placeholder of the service'],
  ]
  for (const [path, said] of faults) expect(await refused(id, { path })).toContain(said)
  const long = await sell('/items/{a}/{b}')
  const values = { a: 'ä'.repeat(512), b: 'ä'.repeat(512) }
  expect(await refused(long, { path: values })).toContain('payload.path may be 4096 characters')
})

test('rejects path values for a service without placeholders', async () => {
  expect(await refused(await sell('/plain'), { path: { id: '1' } })).toContain(
    'payload.path.id is not a placeholder',
  )
})

test('rejects unusable placeholders at registration', async () => {
  const at = (...urls: string[]) => faultOf({ targets: urls.map(url => ({ url })) })
  for (const url of [
    'http://{host}/x',
    'http://a.invalid/x?q={q}',
    'http://a.invalid/x#{q}',
    'http:///{x}/y',
  ]) {
    expect(await at(url)).toMatch(/^400 INVALID_MANIFEST invoke\.targets\.0\.url: Placeholders/)
  }
  for (const path of ['/{}', '/{a b}', '/{1a}', '/{a', '/a}', '/{a{b}}']) {
    expect(await at(upstream.url + path)).toMatch(
      /^400 INVALID_MANIFEST invoke\.targets\.0\.url: A placeholder is/,
    )
  }
  const many = Array.from({ length: 17 }, (_, index) => `{p${index}}`).join('/')
  expect(await at(`${upstream.url}/${many}`)).toContain('May hold 16 placeholders.')
  expect(await at(`${upstream.url}/{a}`, `${upstream.url}/{b}`)).toMatch(/invoke\.targets\.1\.url: Must hold/)
  const llm = {
    pricing: {},
    serviceKind: 'llm',
    inputPricePer1MTokensUsdc: '1',
    outputPricePer1MTokensUsdc: '1',
  }
  expect(await faultOf({ targets: [{ url: `${upstream.url}/{a}` }] }, llm)).toContain(
    'Models are called at one URL',
  )
  expect(await faultOf({ targets: [{ url: upstream.url }], encoding: 'form' }, llm)).toContain(
    'Models are called with JSON',
  )
})

test('probes a target at the path before its first placeholder, or at its healthPath', async () => {
  const probes = () => upstream.seen.filter(({ headers }) => headers['farebox-purpose'] === 'probe')
  await sell('/v1/probed/{id}?key=k')
  expect(probes().map(({ url, refused: why }) => [url, why])).toEqual([['/v1/probed/', null]])
  upstream.seen.length = 0
  const targets = [{ url: `${upstream.url}/v1/probed/{id}`, healthPath: '/up?now=1' }]
  await register(on, provider, { targets: [], priceUsdc: PRICE, invoke: { targets } })
  expect(probes().map(({ url }) => url)).toEqual(['/up?now=1'])
})

test('sends a form with arrays as repeated fields, and rejects objects', async () => {
  const id = await sell('/form', { encoding: 'form' })
  expect(
    await call(id, { body: { a: 'x y&=é', n: 1.5, yes: true, list: ['p', 'q'], none: null } }),
  ).toMatchObject({ status: 200 })
  expect(only()).toMatchObject({
    type: 'application/x-www-form-urlencoded',
    text: 'a=x+y%26%3D%C3%A9&n=1.5&yes=true&list=p&list=q',
  })
  upstream.seen.length = 0
  expect(await refused(id, { body: { a: { b: 1 } } })).toContain('payload.body.a cannot be sent in a form')
  expect(await refused(id, { body: { a: ['x', ['y']] } })).toContain(
    'payload.body.a.1 cannot be sent in a form',
  )
  expect(await refused(id, { body: 'a=b' })).toContain('payload.body must be an object')
  const fields = Array.from({ length: 201 }, () => 'x')
  expect(await refused(id, { body: { fields } })).toContain('payload.body must have at most 200 fields')
})

test('sends multipart text and files byte for byte', async () => {
  const id = await sell('/upload', { encoding: 'multipart' })
  const file = Buffer.from([0, 13, 10, 45, 45, 255, 0])
  const body = {
    'na"me\r\n': 'vaule é',
    n: 7,
    file: { base64: file.toString('base64'), filename: 'a"\r\nb.bin', contentType: 'image/png' },
    plain: [{ base64: '' }, 'second'],
  }
  expect(await call(id, { body })).toMatchObject({ status: 200 })
  const seen = only()
  const [, boundary = ''] =
    /^multipart\/form-data; boundary=(farebox-[0-9a-f-]{36})$/.exec(seen.type ?? '') ?? []
  const part = (head: string, content: Buffer | string) =>
    Buffer.concat([
      Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; ${head}\r\n\r\n`),
      Buffer.from(content),
      Buffer.from('\r\n'),
    ])
  const expected = Buffer.concat([
    part('name="na%22me%0D%0A"', 'vaule é'),
    part('name="n"', '7'),
    part('name="file"; filename="a%22%0D%0Ab.bin"\r\ncontent-type: image/png', file),
    part('name="plain"; filename="plain"\r\ncontent-type: application/octet-stream', ''),
    part('name="plain"', 'second'),
    Buffer.from(`--${boundary}--\r\n`),
  ])
  expect(seen.body.equals(expected)).toBe(true)
  const read = await new Response(new Uint8Array(seen.body), {
    headers: { 'content-type': seen.type ?? '' },
  }).formData()
  expect(Buffer.from(await (read.get('file') as File).arrayBuffer()).equals(file)).toBe(true)
})

test('rejects invalid parts before any hold', async () => {
  const id = await sell('/upload', { encoding: 'multipart' })
  const faults: [object, string][] = [
    [{ a: { b: 1 } }, 'payload.body.a is not a part'],
    [{ a: [[1]] }, 'payload.body.a.0 is not a part'],
    [{ a: { base64: 'a' } }, 'payload.body.a has an invalid base64'],
    [{ a: { base64: 'YQ' } }, 'payload.body.a has an invalid base64'],
    [{ a: { base64: '', filename: '' } }, 'payload.body.a has a filename'],
    [{ a: { base64: '', filename: 7 } }, 'payload.body.a has a filename'],
    [{ a: { base64: '', contentType: 'x\r\ny: z' } }, 'payload.body.a has an invalid contentType'],
    [{ a: { base64: '', fileName: 'x' } }, 'payload.body.a has a member "fileName"'],
    [{ ['x'.repeat(257)]: 'y' }, 'has a name over 256 characters'],
  ]
  for (const [body, said] of faults) expect(await refused(id, { body })).toContain(said)
})

test('sends text unchanged, with the content type of the manifest', async () => {
  const id = await sell('/text', { encoding: 'text', contentType: 'text/xml; charset=utf-8' })
  expect(await call(id, { body: '<a>é\r\n</a>' })).toMatchObject({ status: 200 })
  expect(only()).toMatchObject({ type: 'text/xml; charset=utf-8', text: '<a>é\r\n</a>' })
  upstream.seen.length = 0
  expect(await refused(id, { body: { a: 1 } })).toContain('payload.body must be a string')
  expect(await refused(id, { body: '\ud800' })).toContain('payload.body contains half of a surrogate pair')
  await call(await sell('/text', { encoding: 'text' }), { body: '' })
  expect(only()).toMatchObject({ type: 'text/plain; charset=utf-8', text: '' })
  upstream.seen.length = 0
  expect(await refused(await sell('/json'), { body: 'text' })).toContain('payload.body must be an object')
})

test('names at most 20 issues of a body, however it is sent', async () => {
  const body = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`name${index}`, {}]))
  for (const invokes of [{ method: 'GET' }, { encoding: 'form' }, { encoding: 'multipart' }]) {
    const answer = await call(await sell('/many', invokes), { body })
    expect(answer.status).toBe(400)
    expect(answer.body.detail.issues).toHaveLength(20)
  }
})

test('rejects a query of over 10,000 parameters, repeated ones included, before any hold', async () => {
  const id = await sell('/many', { method: 'GET' })
  upstream.seen.length = 0
  const named = Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [`name${index}`, index]))
  for (const body of [named, { ids: Array(10_000).fill(1), id: 1 }])
    expect(await refused(id, { body })).toBe('payload.body must have at most 10000 parameters')
})

/** POST /agent/invoke with `payload` as it is, written by a client whose integers have more than 53 bits. */
async function callText(serviceId: string, payload: string, key: string) {
  const body = `{"serviceId":"${serviceId}","costUsdc":"${PRICE}","idempotencyKey":"${key}","payload":${payload}}`
  const headers = { 'x-credential': credential.token, 'content-type': 'application/json' }
  const answer = await fetch(`${on.url}/api/v1/agent/invoke`, { method: 'POST', headers, body })
  const { code, status } = (await answer.json()) as { code?: string; status?: string }
  return { http: answer.status, outcome: code ?? status }
}

const DONE = { http: 200, outcome: 'SUCCEEDED' }

describe('an integer that a number would round', () => {
  const integer = { type: 'integer', minimum: 10 }

  test('reaches the provider as it was sent, in the body, a form, the query and the path', async () => {
    const members = '{"id":9007199254740993,"all":[-9223372036854775808,{"x":18446744073709551615}],"n":1.50}'
    const body = { type: 'object', properties: { id: integer } }
    const whole = await sell('/exact', { request: { body } })
    expect(await callText(whole, `{"body":${members}}`, 'whole')).toEqual(DONE)
    expect(only().text).toBe(members.replace('1.50', '1.5'))
    upstream.seen.length = 0

    const form = await sell('/form', { encoding: 'form' })
    await callText(form, '{"body":{"id":9007199254740993}}', 'form')
    expect(only().text).toBe('id=9007199254740993')
    upstream.seen.length = 0

    const parts = { path: { properties: { id: integer } }, query: { properties: { after: integer } } }
    const named = await sell('/users/{id}', { method: 'GET', request: parts })
    const places =
      '{"path":{"id":9007199254740993},"query":{"after":9007199254740995},"body":{"to":9007199254740997}}'
    expect(await callText(named, places, 'named')).toEqual(DONE)
    expect(only().url).toBe('/users/9007199254740993?to=9007199254740997&after=9007199254740995')
  })

  test.each([
    ['a tool', (name: string, given: string) => `{"name":"${name}","arguments":${given}}`],
    [
      'farebox_call',
      (name: string, given: string) =>
        `{"name":"farebox_call","arguments":{"service":"${name}","arguments":${given}}}`,
    ],
  ])('reaches the provider by MCP as it was sent, as an argument of %s', async (_, paramsOf) => {
    const members = '{"id":9007199254740993,"of":[{"x":18446744073709551615}]}'
    const params = paramsOf(await sell('/tool'), members)
    const answer = await fetch(`${on.url}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${credential.token}`, 'content-type': 'application/json' },
      body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`,
    })
    expect(await answer.json()).toMatchObject({ id: 1, result: { content: [{}] } })
    expect(only().text).toBe(members)
  })

  test('is checked by the schema as a number', async () => {
    const body = { type: 'object', properties: { id: { type: 'integer', maximum: 1_000 } } }
    const id = await sell('/small', { request: { body } })
    expect(await callText(id, '{"body":{"id":9007199254740993}}', 'small')).toEqual({
      http: 400,
      outcome: 'INVALID_PAYLOAD',
    })
    expect(received()).toEqual([])
  })

  test('is part of what an idempotency key is bound to', async () => {
    const id = await sell('/bound')
    expect(await callText(id, '{"body":{"id":9007199254740993}}', 'bound')).toEqual(DONE)
    expect(await callText(id, '{"body":{"id":9007199254740992}}', 'bound')).toEqual({
      http: 409,
      outcome: 'IDEMPOTENCY_CONFLICT',
    })
    expect(received()).toHaveLength(1)
  })

  test('is rounded for a model, whose body the gateway reads', async () => {
    const id = await registerModel(on, provider, { url: `${upstream.url}/v1/chat/completions` })
    const payload = '{"body":{"messages":[],"max_tokens":5,"seed":9223372036854775807}}'
    const body = `{"serviceId":"${id}","payload":${payload}}`
    const headers = { 'x-credential': credential.token, 'content-type': 'application/json' }
    await fetch(`${on.url}/api/v1/agent/invoke`, { method: 'POST', headers, body })
    expect(only().text).toContain('"seed":9223372036854776000')
  })
})

test('rejects unusable encodings at registration', async () => {
  const targets = [{ url: upstream.url }]
  const fault = (more: object) => faultOf({ targets, ...more })
  expect(await fault({ encoding: 'yaml' })).toContain('invoke.encoding')
  expect(await fault({ method: 'GET', encoding: 'form' })).toContain(
    'invoke.encoding: Calls by GET send no body.',
  )
  expect(await fault({ encoding: 'form', contentType: 'a/b' })).toContain(
    'invoke.contentType: Is for encoding text',
  )
  expect(await fault({ encoding: 'text', contentType: 'a/b\r\nx: y' })).toContain('invoke.contentType')
  const body = { type: 'object' }
  expect(await fault({ encoding: 'text', request: { body } })).toContain(
    'invoke.request.body.type: A body of encoding text',
  )
})

test('replays a multipart call under its key without a second request', async () => {
  const id = await sell('/items/{id}', { encoding: 'multipart' })
  const payload = { path: { id: 'x' }, body: { file: { base64: 'YWJj' } } }
  const first = await call(id, payload, { idempotencyKey: 'same' })
  const again = await call(id, payload, { idempotencyKey: 'same' })
  expect(again.body).toEqual(first.body)
  expect(received().length).toBe(1)
  const other = await call(id, { ...payload, path: { id: 'y' } }, { idempotencyKey: 'same' })
  expect(other).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_CONFLICT' } })
})

test('validates query and path against their schemas before any hold', async () => {
  const request = {
    query: { type: 'object', properties: { limit: { type: 'integer', maximum: 10 } }, required: ['limit'] },
    path: { type: 'object', properties: { id: { type: 'string', pattern: '^[a-z]+$' } } },
  }
  const id = await sell('/items/{id}', { request })
  expect(await refused(id, { path: { id: 'a' } })).toContain(
    "payload.query must have required property 'limit'",
  )
  expect(await refused(id, { path: { id: 'a' }, query: { limit: 11 } })).toContain(
    'payload.query.limit must be <= 10',
  )
  expect(await refused(id, { path: { id: 'A' }, query: { limit: 1 } })).toContain(
    'payload.path.id must match',
  )
  expect(await call(id, { path: { id: 'a' }, query: { limit: '2' } })).toMatchObject({ status: 200 })
  expect(only().url).toBe('/items/a?limit=2')
  const get = await sell('/list', { method: 'GET', request: { query: request.query } })
  upstream.seen.length = 0
  expect(await refused(get, { body: { limit: 11 } })).toContain('payload.query.limit must be <= 10')
  expect(await refused(get, { body: { limit: 1, deep: { a: 1 } } })).toContain(
    'payload.body.deep cannot be sent in a query',
  )
})

test('rejects parameters that the URL of the target sets, before any hold', async () => {
  const path = '/data?plan=basic&page%20size=10'
  for (const method of ['POST', 'GET']) {
    const id = await sell(path, { method })
    upstream.seen.length = 0
    for (const name of ['plan', 'Plan', 'plan[]', 'page size'])
      expect(await refused(id, { query: { [name]: 'premium' } })).toBe(
        `payload.query.${name} is set by the provider: leave it out`,
      )
    expect(await call(id, { query: { planet: 'x' } })).toMatchObject({ status: 200 })
    expect(only().url).toBe(`${path}&planet=x`)
  }
  const get = await sell(path, { method: 'GET' })
  upstream.seen.length = 0
  expect(await refused(get, { body: { plan: 'premium' } })).toContain('payload.body.plan is set by')
})

test('accepts a parameter that both the URL of the target and a schema of the request have', async () => {
  const schema = { properties: { limit: { type: 'integer', maximum: 10 } } }
  const services = [
    await sell('/data?limit=5', { request: { query: schema } }),
    await sell('/data?limit=5', { method: 'GET', request: { body: schema } }),
  ]
  for (const id of services) {
    upstream.seen.length = 0
    expect(await call(id, { query: { limit: 7 } })).toMatchObject({ status: 200 })
    expect(only().url).toBe('/data?limit=5&limit=7')
  }
})

test('rejects parameters of a model that its query schema does not describe', async () => {
  const request = { query: { properties: { trace: { type: 'string' } } } }
  const targets = [{ url: `${upstream.url}/v1/chat/completions?api-version=1`, weight: 1 }]
  const invokes = { method: 'POST', targets, request }
  const id = await registerModel(on, provider, { url: '', manifest: { invoke: invokes } })
  const body = { messages: [{ role: 'user', content: 'x' }] }
  upstream.seen.length = 0
  for (const name of ['api-version', 'model'])
    expect(await refused(id, { body, query: { [name]: '2' } })).toBe(
      `payload.query.${name} is not a parameter of this service`,
    )
  await call(id, { body, query: { trace: 'a' } }, { costUsdc: undefined })
  expect(only().url).toBe('/v1/chat/completions?api-version=1&trace=a')
})

test('rejects unusable schemas and names at registration', async () => {
  const fault = (request: object, url = `${upstream.url}/{id}`) => faultOf({ targets: [{ url }], request })
  const named = (...names: string[]) => ({ properties: Object.fromEntries(names.map(name => [name, {}])) })
  expect(await fault({ query: { type: 7 } })).toContain('invoke.request.query: It is not a valid JSON Schema')
  expect(await fault({ path: { $ref: '#/no' } })).toContain(
    'invoke.request.path: The reference #/no does not resolve',
  )
  expect(await fault({ path: named('other') })).toContain(
    'invoke.request.path.properties.other: No target has {other}',
  )
  expect(await fault({ query: named('id') })).toContain(
    'invoke.request.query.properties.id: "id" stands in the path',
  )
  expect(await fault({ body: { required: ['id'] } })).toContain(
    'invoke.request.body.properties.id: "id" stands in the path',
  )
  expect(await fault({ query: named('a'), body: named('a') })).toContain(
    'invoke.request.body.properties.a: "a" stands in',
  )
  const deep = { properties: { filter: { type: 'object' } } }
  expect(await fault({ query: deep })).toContain(
    'invoke.request.query.properties.filter: An object cannot be sent',
  )
})

test('maps flat tool arguments to path, query and body', async () => {
  const request = {
    path: { properties: { id: { type: 'string', description: 'Of the item.' } } },
    query: {
      properties: { tags: { type: 'array', items: { $ref: '#/$defs/tag' } } },
      required: ['tags'],
      $defs: { tag: { type: 'string' } },
    },
    body: { type: 'object', properties: { note: { type: 'string' } }, required: ['note'] },
  }
  const manifest = { agentToolName: 'flat-items' }
  const id = await sell('/items/{id}', { request, encoding: 'form' }, manifest)
  const client = await connectMcp(on, await mint(on, await ownerWith(on, '1'), { allowedServices: [id] }))
  try {
    const { tools } = await client.listTools()
    expect(tools.find(({ name }) => name === 'flat-items')?.inputSchema).toEqual({
      type: 'object',
      properties: { ...request.path.properties, ...request.query.properties, ...request.body.properties },
      required: ['id', 'tags', 'note'],
      $defs: { tag: { type: 'string' } },
    })
    const args = { id: 'a b', tags: ['x', 'y'], note: 'n' }
    const meta = { 'farebox/idempotencyKey': 'tool-1' }
    const answer = await callTool(client, 'flat-items', args, meta)
    expect(answer.isError).toBeUndefined()
    expect(only()).toMatchObject({ url: '/items/a%20b?tags=x&tags=y', text: 'note=n' })
    const again = await callTool(client, 'flat-items', args, meta)
    expect(again._meta).toMatchObject({ 'farebox/replayed': true })
    expect(received().length).toBe(1)
    const { id: left, ...others } = args
    expect(textOf(await callTool(client, 'flat-items', others))).toContain('arguments.id is missing')
    expect(textOf(await callTool(client, 'flat-items', { ...args, tags: { a: 1 } }))).toContain(
      'arguments.tags: cannot be sent in a query',
    )
    expect([left, received().length]).toEqual(['a b', 1])
  } finally {
    await client.close()
  }
})

test('accepts text as the `body` argument of a tool', async () => {
  const id = await sell('/render', { encoding: 'text' }, { agentToolName: 'flat-text' })
  const client = await connectMcp(on, await mint(on, await ownerWith(on, '1'), { allowedServices: [id] }))
  try {
    const { tools } = await client.listTools()
    expect(tools.find(({ name }) => name === 'flat-text')?.inputSchema.required).toEqual(['body'])
    expect((await callTool(client, 'flat-text', { body: '# Hi' })).isError).toBeUndefined()
    expect(only().text).toBe('# Hi')
    expect(textOf(await callTool(client, 'flat-text', { body: 'x', other: 1 }))).toContain(
      'arguments.body must be a string',
    )
  } finally {
    await client.close()
  }
})
