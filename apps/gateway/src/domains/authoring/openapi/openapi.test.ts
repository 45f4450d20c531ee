import { registerServiceBody } from '@farebox/wire/manifest'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { startTestGateway, type TestGateway } from '../../../../test/kit/gateway/test-gateway.ts'
import { post } from '../../../../test/kit/network/http.ts'
import { type SignedProvider, startSignedProvider } from '../../../../test/kit/provider/signed-provider.ts'
import { arrive, invoke, mint, ownerWith, type Person } from '../../../../test/kit/world/world.ts'
import { readOpenApi } from './read-openapi.ts'

type Draft = {
  operation: string
  manifest: Record<string, unknown> & { invoke: Record<string, unknown> }
  warnings: { path: string; message: string }[]
  unsupported: { option: string }[]
}
type Reading = {
  operations: { operation: string; problem: string | null }[]
  drafts: Draft[]
  message: string
  code: string
  detail: { issues: { path: string; message: string }[] }
}

let on: TestGateway
let provider: Person
let upstream: SignedProvider

beforeAll(async () => {
  on = await startTestGateway()
  provider = await arrive(on)
  upstream = await startSignedProvider(on.url, { wallet: provider.account.address })
})
afterAll(async () => {
  await upstream.stop()
  await on.assertBooks()
  await on.stop()
})

const pets = (server: string) => ({
  openapi: '3.0.3',
  info: { title: 'Pet Store', version: '1' },
  servers: [{ url: '{base}/v2', variables: { base: { default: server } } }],
  security: [{ key: [] }],
  paths: {
    '/pets/{petId}/photos': {
      parameters: [{ $ref: '#/components/parameters/Pet' }],
      post: {
        operationId: 'addPhoto',
        summary: 'Adds a photo',
        tags: ['pets'],
        parameters: [
          { name: 'labels', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
          { name: 'filter', in: 'query', style: 'deepObject', schema: { type: 'object' } },
          { name: 'X-Version', in: 'header', required: true, schema: { type: 'string', default: '7' } },
        ],
        requestBody: {
          required: true,
          content: {
            'multipart/form-data': {
              schema: {
                type: 'object',
                required: ['photo'],
                properties: {
                  photo: { type: 'string', format: 'binary' },
                  note: { type: 'string', nullable: true },
                },
              },
            },
          },
        },
        responses: {
          200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } } },
        },
      },
    },
    '/pets': {
      get: {
        parameters: [
          {
            name: 'limit',
            in: 'query',
            required: true,
            schema: { type: 'integer', minimum: 1, exclusiveMinimum: true },
          },
        ],
        responses: {},
      },
    },
    '/login': {
      post: {
        deprecated: true,
        requestBody: {
          content: {
            'application/x-www-form-urlencoded': {
              schema: { type: 'object', properties: { user: { type: 'string' } } },
            },
          },
        },
      },
    },
    '/note': { put: { requestBody: { content: { 'text/markdown': { schema: { type: 'string' } } } } } },
    '/raw': { post: { requestBody: { required: true, content: { 'application/octet-stream': {} } } } },
  },
  components: {
    parameters: { Pet: { name: 'petId', in: 'path', required: true, schema: { type: 'integer' } } },
    securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Api-Key' } },
    schemas: {
      Pet: {
        type: 'object',
        properties: { id: { type: 'integer', readOnly: true }, mother: { $ref: '#/components/schemas/Pet' } },
      },
    },
  },
})

const parse = async (body: Record<string, unknown>) =>
  (await post<Reading>(on, '/services/parse-openapi', { token: provider.token, body })).body

/** Reads a document in this thread. */
const read = (document: unknown, operations: string[] = [], serverUrl?: string) =>
  readOpenApi({ document: JSON.stringify(document), operations, serverUrl }, text =>
    text.includes('s3cret'),
  ) as unknown as Reading

const faultOf = (document: unknown, operations: string[] = [], text = JSON.stringify(document)): string => {
  try {
    readOpenApi({ document: text, operations, serverUrl: undefined }, () => false)
    return 'taken'
  } catch (error) {
    const { path, message } = error as { path: string; message: string }
    return `${path}: ${message}`
  }
}

/** A document with one operation, `POST /x`. */
const one = (operation: object, more: object = {}) => ({
  openapi: '3.1.0',
  servers: [{ url: 'https://a.example' }],
  paths: { '/x': { post: operation } },
  ...more,
})
const drafted = (operation: object, more: object = {}) =>
  read(one(operation, more), ['POST /x']).drafts[0] as Draft

describe('POST /services/parse-openapi', () => {
  test('lists the operations of a JSON or YAML document and registers nothing', async () => {
    const document = pets(upstream.url)
    for (const text of [JSON.stringify(document), stringify(document)]) {
      const { operations, drafts } = await parse({ document: text })
      expect(operations.map(({ operation, problem }) => [operation, problem === null])).toEqual([
        ['POST /pets/{petId}/photos', true],
        ['GET /pets', true],
        ['POST /login', true],
        ['PUT /note', true],
        ['POST /raw', false],
      ])
      expect(drafts).toEqual([])
    }
    expect(await on.sql('select count(*)::int as n from services')).toEqual([{ n: 0 }])
  })

  test('drafts services that can be registered and called as the document describes', async () => {
    const operations = ['POST /pets/{petId}/photos', 'GET /pets', 'POST /login', 'PUT /note']
    const { drafts } = await parse({ document: stringify(pets(upstream.url)), operations })
    const credential = await mint(on, await ownerWith(on, '1'))
    const payloads = [
      { path: { petId: 7 }, query: { labels: ['a', 'b'] }, body: { photo: { base64: 'YWJj' }, note: 'n' } },
      { query: { limit: 2 } },
      { body: { user: 'ada' } },
      { body: '# Hi' },
    ]
    for (const [index, { manifest }] of drafts.entries()) {
      const body = { ...manifest, pricing: { amount: '0.01' } }
      const made = await post<{ serviceId: string }>(on, '/services', { token: provider.token, body })
      expect(made).toMatchObject({ status: 200 })
      upstream.seen.length = 0
      const call = { serviceId: made.body.serviceId, costUsdc: '0.01', payload: payloads[index] }
      expect(await invoke(on, credential, call)).toMatchObject({ status: 200 })
      const seen = upstream.seen.find(({ headers }) => headers['farebox-purpose'] === 'invocation')
      expect(seen).toMatchObject({ refused: null, headers: { 'x-api-key': '<key>' } })
      const [path, start] = [
        ['/v2/pets/7/photos?labels=a&labels=b', '--farebox-'],
        ['/v2/pets?limit=2', ''],
        ['/v2/login', 'user=ada'],
        ['/v2/note', '# Hi'],
      ][index] as [string, string]
      expect([seen?.url, seen?.body.toString().startsWith(start)]).toEqual([path, true])
    }
    expect(drafts[0]).toMatchObject({
      manifest: {
        serviceName: 'Pet Store: Adds a photo',
        agentToolName: 'pet-store-add-photo',
        tags: ['pets'],
        upstreamHeaders: { 'x-version': '7', 'x-api-key': '<key>' },
      },
      unsupported: [{ option: 'filter' }],
    })
  })

  test('INVALID_PAYLOAD for invalid input, with the path of the invalid member', async () => {
    const document = JSON.stringify(pets('/relative'))
    const issueOf = async (body: Record<string, unknown>) => {
      const { code, detail } = await parse(body)
      return [code, detail.issues[0]?.path]
    }
    expect(await issueOf({ document: '{' })).toEqual(['INVALID_PAYLOAD', 'document'])
    expect(await issueOf({ document: 'a: [', operations: [] })).toEqual(['INVALID_PAYLOAD', 'document'])
    expect(await issueOf({ document, operations: ['GET /none'] })).toEqual([
      'INVALID_PAYLOAD',
      'operations.0',
    ])
    expect(await issueOf({ document, operations: ['GET /pets'] })).toEqual(['INVALID_PAYLOAD', 'serverUrl'])
    const serverUrl = 'https://pets.example/base/'
    const named = await parse({ document, serverUrl, operations: ['GET /pets'] })
    expect(named.drafts[0]?.manifest.invoke.targets).toEqual([
      { url: 'https://pets.example/base/pets', weight: 1 },
    ])
    expect(await issueOf({ document, serverUrl, operations: ['POST /raw'] })).toEqual([
      'INVALID_PAYLOAD',
      'operations.0',
    ])
  })

  test('INVALID_PAYLOAD for a YAML alias bomb', async () => {
    const bomb = ['a0: &a0 [x,x,x,x,x,x,x,x,x,x]']
    for (let level = 1; level < 9; level += 1)
      bomb.push(
        `a${level}: &a${level} [${Array(10)
          .fill(`*a${level - 1}`)
          .join()}]`,
      )
    expect(await parse({ document: bomb.join('\n') })).toMatchObject({ code: 'INVALID_PAYLOAD' })
  })

  test('RATE_LIMITED after too many documents in a minute', async () => {
    // A body that is refused unread counts too.
    const ask = () => post<Reading>(on, '/services/parse-openapi', { token: provider.token, body: {} })
    const codes = new Set<string>()
    for (let count = 0; count < 21; count += 1) codes.add((await ask()).body.code)
    expect([...codes]).toEqual(['INVALID_PAYLOAD', 'RATE_LIMITED'])
  })
})

describe('a document', () => {
  test('is rejected with the reason when it is malformed, unsupported or too large', () => {
    expect(faultOf([])).toBe('document: Must be an OpenAPI document (an object).')
    expect(faultOf({ swagger: '2.0', paths: {} })).toContain('Swagger 2.0')
    expect(faultOf({ openapi: '4.0.0', paths: {} })).toContain('3.0 or 3.1')
    expect(faultOf({ openapi: '3.1.0' })).toContain('no paths')
    const deep = `{"openapi":"3.1.0","paths":${'{"a":'.repeat(200)}1${'}'.repeat(200)}}`
    expect(faultOf(null, [], deep)).toContain('nested at most 100 deep')
    expect(faultOf(null, [], `${'{"a":'.repeat(100_000)}1`)).toContain('not valid JSON')
    expect(faultOf(null, [], `a: ${'['.repeat(100_000)}`)).toContain('not valid YAML')
    const large = { openapi: '3.1.0', paths: {}, x: Array(300_001).fill(0) }
    expect(faultOf(large)).toContain('Must contain at most 300000 values')
    const paths = Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`/p${index}`, { get: {} }]))
    expect(faultOf({ openapi: '3.1.0', paths })).toContain('Must contain at most 1000 operations.')
  })

  test('is rejected for an external, unresolved or circular reference', () => {
    const withSchema = ($ref: string, schemas: object = {}) =>
      faultOf(
        one(
          { requestBody: { content: { 'application/json': { schema: { $ref } } } } },
          { components: { schemas } },
        ),
        ['POST /x'],
      )
    for (const ref of ['https://evil.invalid/a.json', 'other.yaml#/a', 'file:///etc/passwd', '//x', '#a']) {
      expect(withSchema(ref)).toMatch(
        /^operations\.0: POST \/x: The reference .* points outside the document/,
      )
    }
    expect(withSchema('#/components/schemas/None')).toContain('does not resolve')
    expect(withSchema('#/__proto__/x')).toContain('does not resolve')
    expect(
      withSchema('#/components/schemas/A', {
        A: { $ref: '#/components/schemas/B' },
        B: { $ref: '#/components/schemas/A' },
      }),
    ).toContain('is circular')
  })
})

describe('a draft', () => {
  const json = (schema: object) => ({ requestBody: { content: { 'application/json': { schema } } } })

  test('truncates schemas that are recursive, too deep or too large, with a warning', () => {
    const node = { type: 'object', properties: { next: { $ref: '#/components/schemas/Node' } } }
    const recursive = drafted(json({ $ref: '#/components/schemas/Node' }), {
      components: { schemas: { Node: node } },
    })
    expect(recursive.manifest.invoke.request).toEqual({ body: { type: 'object', properties: { next: {} } } })
    expect(recursive.warnings.map(({ path }) => path)).toContain('invoke.request')
    let deep: object = { type: 'string' }
    for (let level = 0; level < 40; level += 1) deep = { type: 'object', properties: { a: deep } }
    expect(
      drafted(json(deep))
        .warnings.map(({ message }) => message)
        .join(),
    ).toContain('too large or too deep')
    const wide = {
      type: 'object',
      properties: Object.fromEntries(
        Array.from({ length: 5_000 }, (_, index) => [`p${index}`, { type: 'string' }]),
      ),
    }
    expect(registerServiceBody.safeParse(drafted(json(wide)).manifest).error).toBeUndefined()
  })

  test('converts OpenAPI 3.0 keywords to JSON Schema', () => {
    const schema = {
      type: 'object',
      properties: {
        a: { type: 'number', minimum: 1, exclusiveMinimum: true, nullable: true, example: 2 },
        b: { readOnly: true },
        c: { type: 'string', enum: ['x'], nullable: true },
      },
      required: ['a', 'b'],
      discriminator: {},
      xml: {},
    }
    expect(drafted(json(schema), { openapi: '3.0.1' }).manifest.invoke.request).toEqual({
      body: {
        type: 'object',
        properties: {
          a: { type: ['number', 'null'], minimum: 1, exclusiveMinimum: 1, examples: [2] },
          c: { type: ['string', 'null'], enum: ['x', null] },
        },
        required: ['a'],
      },
    })
  })

  test('simplifies schemas that services do not support, with a warning', () => {
    const draft = drafted(json({ type: 'object', properties: { a: { type: 'string', pattern: '(?<=x)y' } } }))
    expect(draft.manifest.invoke.request).toEqual({
      body: { type: 'object', properties: { a: { type: 'string' } } },
    })
    expect(draft.warnings.at(-1)?.message).toContain('were simplified')
  })

  test('renames path placeholders that are invalid or share their name with a body member', () => {
    const document = {
      openapi: '3.1.0',
      servers: [{ url: 'https://a.example' }],
      paths: { '/u/{user.id}/{id}': { post: json({ type: 'object', properties: { id: {} } }) } },
    }
    const { manifest } = read(document, ['POST /u/{user.id}/{id}']).drafts[0] as Draft
    expect(manifest.invoke.targets).toEqual([{ url: 'https://a.example/u/{user_id}/{path_id}', weight: 1 }])
  })

  test('redacts secrets in examples', () => {
    const content = {
      'application/json': {
        schema: { type: 'object' },
        example: { note: 's3cret', password: 'x', city: 'Bern' },
      },
    }
    const { manifest } = drafted({ requestBody: { content } })
    expect(manifest.invoke.request).toMatchObject({ example: { note: '...', password: '...', city: 'Bern' } })
  })

  test.each<[string, object, string]>([
    [
      'a required object in the query',
      { parameters: [{ name: 'f', in: 'query', required: true, schema: { type: 'object' } }] },
      '"f" is required',
    ],
    ['a required cookie', { parameters: [{ name: 'c', in: 'cookie', required: true }] }, '"c" is required'],
    ['a path style', { parameters: [{ name: 'p', in: 'path', style: 'matrix' }] }, 'has the style matrix'],
    [
      'a binary body',
      { requestBody: { required: true, content: { 'image/png': {} } } },
      'image/png cannot be sent',
    ],
    ['mutual TLS', { security: [{ tls: [] }] }, 'client certificate'],
  ])('is refused for an operation with %s, and the error names it', (_, operation, said) => {
    const document = one(operation, { components: { securitySchemes: { tls: { type: 'mutualTLS' } } } })
    expect(faultOf(document, ['POST /x'])).toContain('operations.0: POST /x: ')
    expect(faultOf(document, ['POST /x'])).toContain(said)
    expect(read(document).operations[0]?.problem).toContain(said)
  })
})
