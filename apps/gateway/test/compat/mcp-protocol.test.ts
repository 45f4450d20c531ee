import { randomBytes } from 'node:crypto'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../kit/gateway/test-gateway.ts'
import { collectGarbage } from '../kit/heap.ts'
import { post } from '../kit/network/http.ts'
import { callTool, connectMcp, listPages, namesOf, postMcp } from '../kit/network/mcp-client.ts'
import { startProvider, type TestProvider } from '../kit/provider/provider.ts'
import { mint, ownerWith, type Person, register } from '../kit/world/world.ts'

const TRUSTED = 'https://app.example'
/** Gateways on one database have one key. */
const ENV = { CORS_ORIGINS: TRUSTED, ENCRYPTION_KEY: randomBytes(32).toString('hex') }
const SERVICES = 105
/** Size of the allow-list: with built-in tools more than a page. */
const ALLOWED = 100
const BUILT_INS = ['farebox_search', 'farebox_call', 'farebox_balance']
const toolName = (index: number) => `tool-${String(index).padStart(3, '0')}`
/** Parallel requests of each kind. A client needs tens of milliseconds to read a page of tools with their schemas. */
const REQUESTS = 10
const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26']

let on: TestGateway
let provider: TestProvider
let seller: Person
let owner: Person
let credential: { token: string; id: string }
let bearer: Record<string, string>

beforeAll(async () => {
  ;[on, provider] = await Promise.all([startTestGateway({ env: ENV }), startProvider()])
  owner = await ownerWith(on, '10')
  seller = owner
  credential = await mint(on, owner)
  bearer = { authorization: `Bearer ${credential.token}` }
  await Promise.all(Array.from({ length: SERVICES }, (_, index) => offer(toolName(index))))
})
afterAll(async () => {
  await on.assertBooks()
  await Promise.all([on.stop(), provider.stop()])
})

function offer(agentToolName: string, invoke: Record<string, unknown> = {}): Promise<string> {
  const manifest = { agentToolName, summary: `Does ${agentToolName}.` }
  return register(on, seller, { targets: [provider.url], priceUsdc: '0.01', invoke, manifest })
}

const message = (method: string, params: Record<string, unknown> = {}, id: number | string = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
})
const initialize = (protocolVersion: string) =>
  message('initialize', { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } })

describe('protocol versions', () => {
  test.each(VERSIONS)('%s is supported', async protocolVersion => {
    expect(SUPPORTED_PROTOCOL_VERSIONS).toContain(protocolVersion)
    const begun = await postMcp(on, initialize(protocolVersion), bearer)
    expect(begun.status).toBe(200)
    expect(begun.body).toMatchObject({
      id: 1,
      result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'farebox' } },
    })

    const speaking = { ...bearer, 'mcp-protocol-version': protocolVersion }
    const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' }
    expect(await postMcp(on, initialized, speaking)).toMatchObject({ status: 202, body: null })
    const listed = await postMcp(on, message('tools/list'), speaking)
    expect(listed.body).toMatchObject({ result: { tools: expect.any(Array) } })
    const called = await postMcp(on, message('tools/call', { name: 'tool-000' }), speaking)
    expect(called.body).toMatchObject({ result: { _meta: { 'farebox/chargedUsdc': '0.010000' } } })
    expect(called.headers.get('ratelimit')).toMatch(/^"rpm";r=\d+;t=\d+$/)
  })

  test('the first is the newest that the SDK knows, and answers unknown versions', async () => {
    expect(SUPPORTED_PROTOCOL_VERSIONS[0]).toBe(VERSIONS[0])
    const begun = await postMcp(on, initialize('2031-01-01'), bearer)
    expect(begun.body).toMatchObject({ result: { protocolVersion: VERSIONS[0] } })
    const listed = await postMcp(on, message('tools/list'), {
      ...bearer,
      'mcp-protocol-version': '2031-01-01',
    })
    expect(listed.status).toBe(400)
  })
})

describe('tools/list', () => {
  test('lists a whole allow-list, in pages of at most 100', async () => {
    const allowedServices = [...Array(ALLOWED).keys()].map(toolName)
    const client = await connectMcp(on, await mint(on, owner, { allowedServices }))
    const pages = await listPages(client)
    const names = pages.flatMap(page => namesOf(page.tools))
    expect(pages.map(page => page.tools.length)).toEqual([100, ALLOWED + BUILT_INS.length - 100])
    expect(names).toEqual([...BUILT_INS, ...allowedServices])

    expect(pages[0]?.tools[BUILT_INS.length]).toMatchObject({
      title: 'Test service',
      description: `Provided by ${owner.account.address}. A call costs 0.010000 USDC.\n\nDoes tool-000.`,
      inputSchema: { type: 'object', additionalProperties: true },
      annotations: { readOnlyHint: false, openWorldHint: true },
      _meta: { 'farebox/pricing': { amount: '0.010000', currency: 'USDC' } },
    })
    await expect(client.listTools({ cursor: 'not-ours' })).rejects.toMatchObject({ code: -32_602 })
    await client.close()
  })

  test('without an allow-list, lists what its owner has paid before, then the best ranked, 50 in all', async () => {
    const payer = await ownerWith(on, '1')
    const [mine, other] = [
      await connectMcp(on, await mint(on, payer)),
      await connectMcp(on, await mint(on, payer)),
    ]
    const before = namesOf((await mine.listTools()).tools)
    expect(before).toHaveLength(50)
    expect(before.slice(0, BUILT_INS.length)).toEqual(BUILT_INS)
    const [first, second] = [...Array(SERVICES).keys()].map(toolName).filter(name => !before.includes(name))
    if (first === undefined || second === undefined) throw new Error('Every service is in the list.')

    const calls: { id: string; service: string }[] = []
    for (const service of [first, second]) {
      const paid = await callTool(mine, 'farebox_call', { service, arguments: {} })
      expect(paid._meta).toMatchObject({ 'farebox/chargedUsdc': '0.010000' })
      calls.push({ id: String(paid._meta?.['farebox/invocationId']), service })
    }
    // Newest by id: the clock of the machine may be set back between the two.
    const paid = calls.sort((a, b) => (a.id < b.id ? 1 : -1)).map(({ service }) => service)
    const after = await other.listTools()
    expect(after.nextCursor).toBeUndefined()
    expect(namesOf(after.tools)).toEqual([...BUILT_INS, ...paid, ...before.slice(3, 48)])
    await Promise.all([mine.close(), other.close()])
  })

  test('can be narrowed by _meta or by the URL', async () => {
    const narrowed = [...BUILT_INS, 'tool-042']
    const [plain, byUrl] = [
      await connectMcp(on, credential),
      await connectMcp(on, credential, '/mcp?query=tool-042'),
    ]
    expect(namesOf((await plain.listTools({ _meta: { 'farebox/query': 'TOOL-042' } })).tools)).toEqual(
      narrowed,
    )
    expect(namesOf((await byUrl.listTools()).tools)).toEqual(narrowed)
    await Promise.all([plain.close(), byUrl.close()])
  })

  test('is readable for any schema of a provider', async () => {
    const schemas = {
      'schema-booleans': { type: 'object', properties: { any: true, none: false } },
      'schema-untyped': { properties: { a: { type: 'string' } }, anyOf: [{ required: ['a'] }] },
      'schema-nullable': { type: ['object', 'null'], properties: {} },
      'schema-text': { type: 'string' },
      'schema-anything': true,
    }
    for (const [name, body] of Object.entries(schemas)) await offer(name, { request: { body } })
    await offer('schema-get', { method: 'GET' })

    const client = await connectMcp(on, credential, '/mcp?query=schema-')
    const { tools } = await client.listTools()
    const shown = Object.fromEntries(tools.map(tool => [tool.name, tool]))
    expect(shown['schema-booleans']?.inputSchema.properties).toEqual({ any: {}, none: { not: {} } })
    expect(shown['schema-untyped']?.inputSchema).toMatchObject({ type: 'object', anyOf: [{}] })
    expect(shown['schema-nullable']?.inputSchema.type).toBe('object')
    expect(shown['schema-text']?.inputSchema.additionalProperties).toBe(true)
    expect(shown['schema-anything']?.inputSchema.additionalProperties).toBe(true)
    expect(shown['schema-get']?.annotations?.readOnlyHint).toBe(true)
    await client.close()
  })

  test('keeps its pages small when the schemas are large', async () => {
    const large = { type: 'object', description: 'x'.repeat(60_000) }
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => offer(`large-${index}`, { request: { body: large } })),
    )
    const client = await connectMcp(on, credential)
    const [page, ...more] = await listPages(client, { 'farebox/query': 'large-' })
    expect(more).toHaveLength(0)
    expect(JSON.stringify(page).length).toBeLessThan(1_200_000)
    await client.close()

    const allowedServices = [...Array(20).keys()].map(index => `large-${index}`)
    const bounded = await connectMcp(on, await mint(on, owner, { allowedServices }))
    const pages = await listPages(bounded)
    const services = pages.flatMap(({ tools }) => namesOf(tools)).filter(name => name.startsWith('large-'))
    expect(new Set(services).size).toBe(20)
    expect(services).toHaveLength(20)
    expect(pages).toHaveLength(2)
    await bounded.close()
  })

  test('lists a service with the name of a built-in tool under its id', async () => {
    // Registered before such names were reserved.
    const serviceId = await offer('older-balance')
    await on.sql(`update tool_names set name = 'farebox_balance' where service_id = $1`, [serviceId])
    await on.sql(`update services set agent_tool_name = 'farebox_balance' where id = $1`, [serviceId])
    const client = await connectMcp(on, credential, '/mcp?query=farebox_balance')
    expect(namesOf((await client.listTools()).tools)).toEqual([...BUILT_INS, serviceId])
    await expect(callTool(client, 'farebox_call', { service: 'farebox_balance' })).rejects.toMatchObject({
      code: -32_602,
    })
    expect((await callTool(client, 'farebox_balance')).structuredContent).toHaveProperty('spendableUsdc')
    expect((await callTool(client, serviceId))._meta).toMatchObject({ 'farebox/chargedUsdc': '0.010000' })
    const found = await callTool(client, 'farebox_search', { query: 'farebox_balance' })
    expect(found.structuredContent).toMatchObject({ services: [{ tool: serviceId }] })
    await client.close()
  })
})

describe('access', () => {
  test('requires a credential, and says how to send one', async () => {
    const metadata = `resource_metadata="${on.url}/.well-known/oauth-protected-resource/mcp"`
    for (const [headers, challenge] of [
      [{}, `Bearer realm="farebox", ${metadata}`],
      [
        { authorization: 'Bearer agt_nonsense' },
        `Bearer realm="farebox", error="invalid_token", ${metadata}`,
      ],
      [
        { authorization: `Bearer ${owner.token}` },
        `Bearer realm="farebox", error="invalid_token", ${metadata}`,
      ],
    ] as const) {
      const refused = await postMcp(on, 'not even JSON', headers)
      expect(refused.status).toBe(401)
      expect(refused.headers.get('www-authenticate')).toBe(challenge)
      expect(refused.body).toMatchObject({
        code: 'CREDENTIAL_INVALID',
        detail: { code: 'CREDENTIAL_INVALID' },
      })
    }
    await expect(connectMcp(on, { token: 'agt_nonsense' })).rejects.toMatchObject({ code: 401 })
  })

  test('ends as soon as the credential is revoked', async () => {
    const short = await mint(on, owner)
    const client = await connectMcp(on, short)
    await client.listTools()
    const revoked = await post(on, `/credentials/agent/${short.id}/revoke`, { token: owner.token, body: {} })
    expect(revoked.status).toBe(200)
    await expect(client.listTools()).rejects.toMatchObject({ code: 401 })
    await client.close()
  })

  test('accepts the other headers of an agent, and clients that accept any type', async () => {
    const headers = { 'x-api-key': credential.token, accept: '*/*' }
    expect((await postMcp(on, message('tools/list'), headers)).status).toBe(200)
  })

  test('is limited to pages of known origins', async () => {
    for (const origin of ['http://evil.example', 'null', `${TRUSTED}:8443`]) {
      const refused = await postMcp(on, message('tools/list'), { ...bearer, origin })
      expect(refused).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } })
    }
    for (const origin of [TRUSTED, on.url]) {
      expect((await postMcp(on, message('tools/list'), { ...bearer, origin })).status).toBe(200)
    }
  })
})

const MANY = Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [`n${index}`, index]))
describe('an invalid request', () => {
  test.each([
    ['no JSON', '{"jsonrpc":', -32_700],
    ['nothing', '', -32_700],
    ['no JSON-RPC', '{"hello":"world"}', -32_700],
    ['an id of null', '{"jsonrpc":"2.0","id":null,"method":"ping"}', -32_700],
    ['a batch with a duplicate id', JSON.stringify([message('ping'), message('ping')]), -32_600],
    ['a batch that is too long', JSON.stringify(Array.from({ length: 21 }, () => message('ping'))), -32_600],
    ['arguments of too many members', message('tools/call', { name: 'tool-002', arguments: MANY }), -32_600],
  ])('%s is 400 with an error of JSON-RPC', async (_, body, code) => {
    const refused = await postMcp(on, body, bearer)
    expect(refused).toMatchObject({ status: 400, body: { jsonrpc: '2.0', id: null, error: { code } } })
  })

  test.each([
    ['tools/call', { name: 'tool-002', arguments: 'Lisbon' }, 'params.arguments: Must be of type object.'],
    [
      'tools/call',
      { name: 'tool-002', arguments: ['Lisbon'] },
      'params.arguments: Must be one value of type object, not a list.',
    ],
    ['tools/call', { name: 7 }, 'params.name: Must be of type string.'],
    ['tools/call', undefined, 'params.name: is required.'],
    ['tools/list', { cursor: 7 }, 'params.cursor: Must be of type string.'],
    ['initialize', undefined, 'params.protocolVersion: is required.'],
    ['initialize', { protocolVersion: '2025-06-18', capabilities: {} }, 'params.clientInfo: is required.'],
  ])('%s with %j names the wrong parameter', async (method, params, text) => {
    const { status, body } = await postMcp(on, message(method, params), bearer)
    expect(status).toBe(200)
    expect(body).toMatchObject({ id: 1, error: { code: -32_602, message: text } })
  })

  test('is refused for an unknown method, another type or a large body', async () => {
    for (const method of ['resources/list', 'constructor']) {
      const unknown = await postMcp(on, message(method), bearer)
      expect(unknown.body).toMatchObject({ error: { code: -32_601 } })
    }
    const typed = await postMcp(on, 'hello', { ...bearer, 'content-type': 'text/plain' })
    expect(typed).toMatchObject({ status: 415, body: { code: 'UNSUPPORTED_MEDIA_TYPE' } })
    const huge = await postMcp(on, message('ping', { pad: 'x'.repeat(1_100_000) }), bearer)
    expect(huge).toMatchObject({ status: 413, body: { code: 'PAYLOAD_TOO_LARGE' } })
    const picky = await postMcp(on, message('ping'), { ...bearer, accept: 'text/html' })
    expect(picky.status).toBe(406)
  })

  test.each(['GET', 'DELETE'])('%s is 405: there are no sessions', async method => {
    const answer = await fetch(`${on.url}/mcp`, { method, headers: bearer })
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')).toBe('POST')
  })
})

test('continues a conversation at another gateway', async () => {
  const other = await startTestGateway({ env: ENV, share: on })
  expect((await postMcp(on, initialize('2025-11-25'), bearer)).status).toBe(200)
  const called = await postMcp(other, message('tools/call', { name: 'tool-002' }), bearer)
  expect(called.body).toMatchObject({ result: { structuredContent: {} } })
  await other.stop()
})

test('answers a whole batch, and ignores a cancellation in it', async () => {
  const answered = await postMcp(
    on,
    [
      message('tools/call', { name: 'tool-001' }, 'a'),
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'a' } },
      message('ping', {}, 'b'),
    ],
    bearer,
  )
  expect(answered.status).toBe(200)
  expect(answered.body).toMatchObject([
    { id: 'a', result: { _meta: { 'farebox/chargedUsdc': '0.010000' } } },
    { id: 'b', result: {} },
  ])
})

test('keeps no server after its request', async () => {
  const client = await connectMcp(on, credential)
  const servers: WeakRef<Server>[] = []
  const { connect } = Server.prototype
  Server.prototype.connect = function (transport) {
    servers.push(new WeakRef(this))
    return connect.call(this, transport)
  }
  onTestFinished(() => void Reflect.deleteProperty(Server.prototype, 'connect'))
  await Promise.all(
    Array.from({ length: REQUESTS }, async () => {
      await client.listTools({ _meta: { 'farebox/query': 'tool-000' } })
      await callTool(client, 'tool-000')
      await postMcp(on, '{}', bearer)
      await postMcp(on, { jsonrpc: '2.0', method: 'notifications/initialized' }, bearer)
    }),
  )
  expect(servers.length).toBeGreaterThan(3 * REQUESTS)
  // A server ends after its answer.
  await expect
    .poll(() => {
      collectGarbage()
      return servers.filter(server => server.deref() !== undefined)
    })
    .toEqual([])
  await client.close()
})
