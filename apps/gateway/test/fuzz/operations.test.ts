import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Access } from '../../src/http/openapi/contract.ts'
import type { JsonSchema } from '../../src/http/openapi/openapi-schemas.ts'
import { heapInUse } from '../kit/heap.ts'
import { type Asked, exchange } from './exchange.ts'
import { type FuzzFixture, startFuzzFixture } from './fixture.ts'
import { valuesOf } from './from-schema.ts'
import { nodeOf, textOf } from './json-text.ts'
import { oddText, spoiled } from './odd-json.ts'
import { runs } from './runs.ts'

// Every operation of the published contract, with arbitrary requests. Invariants: it answers in time and within its
// contract, and reports a fault of ours or of a provider only if there is one.

/** Times that each operation is asked within `npm test`. */
const RUNS = 16
/** An operation is a second or less; a long run, or a machine with much else to do, may need its time. */
const TIMEOUT_MS = 1_800_000
/** Memory that may stay in use after all requests, in bytes: limits per client, caches. */
const HEAP_GROWTH_MAX = 96 * 1_048_576

type Parameter = {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly schema: JsonSchema
}
type Described = {
  readonly operationId: string
  readonly parameters?: readonly Parameter[]
  readonly security: readonly Readonly<Record<string, unknown>>[]
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: JsonSchema; readonly example?: unknown }>>
  }
}
type Operation = Described & { readonly method: string; readonly path: string }
type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> }
}

vi.setConfig({ testTimeout: TIMEOUT_MS })

const document = JSON.parse(readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8')) as Document
/** Deletions come last, so that the others have records. */
const ENDS = /^(?:delete|remove|revoke|suspend|logout|set|lock)/
const operations: readonly Operation[] = Object.entries(document.paths)
  .flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, of]) => ({ ...of, path, method: method.toUpperCase() })),
  )
  .sort((a, b) => Number(ENDS.test(a.operationId)) - Number(ENDS.test(b.operationId)))

/** Operations that may ask for a retry: a newly paid wallet is in no tree yet. */
const ASK_TO_WAIT = /^readInclusion$/
/** Operations that call a provider's targets, which may not exist: then 502 and 504 are correct. */
const CALL_PROVIDERS =
  /^(?:invokeService|createChatCompletion|createCompletion|createEmbeddings|createResponse|createMessage|countMessageTokens|getPaidResource|callPaidResource)$/

let fixture: FuzzFixture
let heapBefore: number
beforeAll(async () => {
  fixture = await startFuzzFixture()
  heapBefore = heapInUse()
})
afterAll(() => fixture.stop())

const resolve = (schema: JsonSchema): JsonSchema =>
  typeof schema.$ref === 'string'
    ? (document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {})
    : schema

function accessOf({ security }: Operation): Access {
  const names = security.flatMap(Object.keys)
  if (names.includes('adminToken')) return 'admin'
  if (names.includes('providerSecret')) return 'providerSecret'
  if (names.includes('agentCredential')) return names.includes('walletToken') ? 'agentOrWallet' : 'agent'
  return names.includes('walletToken') ? 'wallet' : 'public'
}

/** Input of an operation, valid or spoiled. */
function requestsOf(operation: Operation) {
  const media = operation.requestBody?.content['application/json']
  const admitted = media && valuesOf(media.schema, resolve)
  const works = fixture.bodies[operation.operationId] ?? media?.example
  const example = works === undefined ? [] : [fc.constant(works)]
  const bodies = admitted && spoiled(fc.oneof(...example, admitted).map(nodeOf)).map(textOf)
  const parameters = operation.parameters ?? []
  const given = (place: Parameter['in']) =>
    fc.record(
      Object.fromEntries(
        parameters
          .filter(parameter => parameter.in === place)
          .map(({ name, schema }) => [name, fc.oneof(valuesOf(schema, resolve).map(String), oddText)]),
      ),
      { requiredKeys: [] },
    )
  return fc.record({
    caller: fc.nat({ max: 1_000 }),
    client: fc.ipV4(),
    /** Which of the things that are there, or another text. */
    id: fc.oneof({ weight: 3, arbitrary: fc.nat({ max: 100 }) }, { weight: 1, arbitrary: oddText }),
    query: given('query'),
    extraQuery: fc.oneof({ weight: 4, arbitrary: fc.constant('') }, fc.constantFrom(...ODD_QUERIES)),
    headers: given('header'),
    extraHeaders: fc.oneof({ weight: 4, arbitrary: fc.constant({}) }, oddHeaders),
    body: bodies ?? fc.constant(undefined),
  })
}

const ODD_QUERIES = [
  'limit[]=1',
  'limit[a]=1',
  'limit=1&limit=2',
  '__proto__=1',
  'constructor[prototype][a]=1',
  '%',
  '%ff=%fe',
  '=',
  '&&&',
  `q=${'a'.repeat(4_000)}`,
  'cursor=AAAA',
  `cursor=${btoa('{"at":null}')}`,
  'limit=1e9',
  '%00=%00',
]
const ODD_HEADERS = {
  'content-type': fc.constantFrom(
    'application/json;charset=utf-16',
    'application/json; a="\\""',
    'text/json',
    '*/*',
  ),
  accept: fc.constantFrom('text/csv', 'text/event-stream', '*/*;q=0', 'a/b', ',,;q='),
  'content-encoding': fc.constantFrom('identity', 'gzip', 'IDENTITY', ''),
  traceparent: fc.constantFrom('00-0-0-0', `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, 'ff'),
  'x-idempotency-key': fc.constantFrom('', 'k', 'k'.repeat(300), 'é', '\t'),
  'x-request-id': fc.constantFrom('', 'r', 'r'.repeat(200), 'ü'),
  origin: fc.constantFrom('null', 'https://elsewhere.example', 'x'),
  'if-none-match': fc.constantFrom('*', 'W/""', ',,,', '"'),
  'last-event-id': fc.constantFrom('1', 'x'),
  'mcp-protocol-version': fc.constantFrom('1', '2025-06-18', 'é'),
  'anthropic-version': fc.constantFrom('1', '2023-06-01'),
  range: fc.constantFrom('bytes=0-', 'bytes=9-1'),
  expect: fc.constantFrom('100-continue'),
}

const oddHeaders = fc
  .array(
    fc.oneof(...Object.entries(ODD_HEADERS).map(([name, values]) => values.map(value => [name, value]))),
    {
      maxLength: 3,
    },
  )
  .map((entries): Record<string, string> => Object.fromEntries(entries))

type Request = ReturnType<typeof requestsOf> extends fc.Arbitrary<infer Value> ? Value : never

async function askedOf(operation: Operation, request: Request): Promise<Asked> {
  const { method, operationId, path } = operation
  const callers = fixture.callers[accessOf(operation)]
  const presented =
    operationId === 'logout' ? await fixture.bystander() : (callers[request.caller % callers.length] ?? {})
  const target = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const ids = fixture.idsFor(path, name)
    const id = typeof request.id === 'string' ? request.id : (ids[request.id % ids.length] ?? 'none')
    // A text of no characters, or of dots, would name another path.
    return encodeURIComponent(id.toWellFormed()).replace(/^\.*$/, 'none')
  })
  const query = Object.entries(request.query).map(
    ([name, value]) => `${name}=${encodeURIComponent((value ?? '').toWellFormed())}`,
  )
  const search = [...query, request.extraQuery].filter(part => part !== '').join('&')
  return {
    method,
    path: search === '' ? target : `${target}?${search}`,
    headers: {
      ...(request.body !== undefined && { 'content-type': 'application/json' }),
      ...Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, asHeader(value)])),
      ...Object.fromEntries(
        Object.entries(request.extraHeaders).map(([name, value]) => [name, asHeader(value)]),
      ),
      'x-forwarded-for': request.client,
      ...presented,
    },
    ...(request.body !== undefined && { body: request.body }),
  }
}

/** As sent by Node's client: Latin-1 without control characters. Other bytes are for raw sockets. */
const asHeader = (value = '') => value.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '').slice(0, 2_000)

async function expectSound(operation: Operation, request: Request): Promise<void> {
  const asked = await askedOf(operation, request)
  const reported = await exchange(fixture.on.url, asked)
  if (reported === 'HANGS') throw new Error(`No answer: ${show(asked)}`)
  const mayFail =
    (CALL_PROVIDERS.test(operation.operationId) && [502, 504].includes(reported.status)) ||
    (ASK_TO_WAIT.test(operation.operationId) && reported.status === 503)
  if (reported.status >= 500 && !mayFail)
    throw new Error(`${reported.status} ${reported.text}: ${show(asked)}`)
  const [fault] = fixture.on.observer.takeFaults()
  if (fault !== undefined) throw new Error(`${fault}\n${show(asked)}`)
}

const show = (asked: Asked) => JSON.stringify(asked).slice(0, 3_000)

describe('answers any request in time and within its contract', () => {
  test.for(operations.map(operation => [operation.operationId, operation] as const))(
    '%s',
    async ([, operation]) => {
      await fc.assert(
        fc.asyncProperty(requestsOf(operation), request => expectSound(operation, request)),
        runs(RUNS),
      )
    },
  )
})

test('reaches most operations with success', () => {
  const done = operations.filter(({ operationId }) => fixture.on.observer.seen.has(`${operationId} OK`))
  expect(done.length).toBeGreaterThan(operations.length / 2)
})

test('leaks no memory, pollutes no object, and the books reconcile', async () => {
  expect(heapInUse() - heapBefore).toBeLessThan(HEAP_GROWTH_MAX)
  expect(Object.keys(Object.prototype)).toEqual([])
  expect(({} as Record<string, unknown>).a).toBeUndefined()
  await fixture.on.assertBooks()
})
