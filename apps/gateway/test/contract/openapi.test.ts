import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { errorCodesOf } from '../../src/http/openapi/contract.ts'
import { describeApi, pathOf } from '../../src/http/openapi/openapi.ts'
import { startTestGateway, type TestGateway } from '../kit/gateway/test-gateway.ts'

const COMMITTED = join(import.meta.dirname, '../../openapi.json')
/** Routes that are no operations: files of the reference page, and the console. */
const NO_OPERATIONS = [
  'GET /docs/reference/interactive',
  'GET /docs/reference.js',
  'GET /console/config.json',
  'GET /assets/*',
  'GET /before-paint.js',
  'GET /icon.svg',
  'GET /',
  'GET /docs',
  'GET /docs/:guide',
]

type Document = {
  readonly openapi: string
  readonly info: object
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly components: { readonly schemas: Readonly<Record<string, object>> }
}
type Described = {
  readonly operationId: string
  readonly summary: string
  readonly parameters?: readonly { readonly name: string; readonly description?: string }[]
  readonly responses: Readonly<Record<string, object>>
}

let gateway: TestGateway
let version: string
let described: Document | undefined

beforeAll(async () => {
  gateway = await startTestGateway()
  const manifest = await readFile(join(import.meta.dirname, '../../package.json'), 'utf8')
  version = JSON.parse(manifest).version
})
afterAll(() => gateway.stop())

const document = (): Document => {
  described ??= describeApi(gateway.gateway.operations.all, { version }) as unknown as Document
  return described
}

test('the committed contract is the one that the gateway serves', async () => {
  const text = `${JSON.stringify(document(), null, 2)}\n`
  if (process.env.WRITE_CONTRACT !== undefined) await writeFile(COMMITTED, text)
  const committed = await readFile(COMMITTED, 'utf8')
  expect(committed === text, 'apps/gateway/openapi.json is out of date: run `npm run contract`').toBe(true)

  const served = await (await fetch(`${gateway.url}/openapi.json`)).json()
  expect(served).toEqual({ ...document(), info: { ...document().info, version: 'test' } })
})

test('every route is an operation with a contract', () => {
  expect(gateway.gateway.operations.unpublished).toEqual(NO_OPERATIONS)
})

test('operation ids are unique names', () => {
  const ids = gateway.gateway.operations.all.map(({ contract }) => contract.id)
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
  expect(ids.filter(id => !/^[a-z][A-Za-z0-9]+$/.test(id))).toEqual([])
})

test('every parameter has a description', () => {
  const silent = Object.entries(document().paths).flatMap(([path, methods]) =>
    Object.values(methods).flatMap(({ parameters = [] }) =>
      parameters.filter(({ description }) => description === undefined).map(({ name }) => `${path} ${name}`),
    ),
  )
  expect(silent).toEqual([])
})

test('every example matches its schema', () => {
  const { paths } = document() as unknown as { paths: Record<string, Record<string, Exemplified>> }
  const wrong = gateway.gateway.operations.all.flatMap(({ contract, method, schema, url }) => {
    const reported = paths[pathOf(url)]?.[method.toLowerCase()]
    if (reported === undefined) return []
    const { answerStatus = 200, answerType = 'application/json', bodyType = 'application/json' } = contract
    const answer = reported.responses[answerStatus]?.content?.[answerType]?.example
    const body = reported.requestBody?.content[bodyType]?.example
    const faults = [
      contract.answer === undefined ? null : contract.answer.safeParse(answer),
      schema.body === undefined ? null : schema.body.safeParse(body),
    ]
    return faults.flatMap((read, index) =>
      read?.success === false
        ? [`${contract.id}, ${index === 0 ? 'answer' : 'body'}: ${read.error.message}`]
        : [],
    )
  })
  expect(wrong).toEqual([])
})

test('every error code of an operation is listed at its status', () => {
  const { paths } = document()
  for (const operation of gateway.gateway.operations.all) {
    const reported = paths[pathOf(operation.url)]?.[operation.method.toLowerCase()]
    if (reported === undefined) continue
    const text = JSON.stringify(reported.responses)
    expect(Object.keys(reported.responses).length, operation.contract.id).toBeGreaterThan(1)
    expect(errorCodesOf(operation).length, operation.contract.id).toBeGreaterThan(0)
    expect(text, operation.contract.id).toContain('500')
  }
})

test('the document answers 304 to a matching ETag', async () => {
  const first = await fetch(`${gateway.url}/openapi.json`)
  const tag = first.headers.get('etag') ?? ''
  await first.arrayBuffer()
  const again = await fetch(`${gateway.url}/openapi.json`, { headers: { 'if-none-match': tag } })
  expect([first.status, again.status, await again.text()]).toEqual([200, 304, ''])
})

test('the reference page loads nothing from other origins', async () => {
  const page = await fetch(`${gateway.url}/docs/reference/interactive`)
  const html = await page.text()
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'")
  const loaded = [...html.matchAll(/(?:src|href|data-url)="([^"]*)"/g)].map(([, url]) => url ?? '')
  expect(loaded.length).toBeGreaterThan(2)
  expect(loaded.filter(url => !url.startsWith('/') || url.startsWith('//'))).toEqual([])
  const script = await fetch(`${gateway.url}${loaded.find(url => url.startsWith('/docs/reference.js'))}`)
  expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  expect((await script.text()).length).toBeGreaterThan(1_000_000)
  expect(script.headers.get('cache-control')).toContain('immutable')
})

test('the script of the reference page is not kept under the version of another gateway', async () => {
  for (const query of ['', '?v=other', '?v=a&v=b']) {
    const script = await fetch(`${gateway.url}/docs/reference.js${query}`, { method: 'HEAD' })
    expect([script.status, script.headers.get('cache-control')]).toEqual([200, 'no-cache'])
  }
})

test('the reference page links back to the console', async () => {
  const html = await (await fetch(`${gateway.url}/docs/reference/interactive`)).text()
  const links = /<nav[^>]*>(.*?)<\/nav>/.exec(html)?.[1] ?? ''
  expect([...links.matchAll(/href="([^"]*)"/g)].map(([, url]) => url)).toEqual([
    '/',
    '/docs',
    '/market',
    '/playground',
  ])
})

type Example = { readonly content: Readonly<Record<string, { readonly example?: unknown }>> }
type Exemplified = {
  readonly requestBody?: Example
  readonly responses: Readonly<Record<string, Example | undefined>>
}
