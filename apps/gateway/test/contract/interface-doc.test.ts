import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { errorTable } from '@farebox/wire/errors'
import { beforeAll, expect, test } from 'vitest'
import { faultsOf, type Promises, readPromises } from './named-tests.ts'

// Holds docs/interface.md against the tests that it names and against the committed contract.

const DOCUMENT = resolve(import.meta.dirname, '../../../../docs/interface.md')
const CONTRACT = resolve(import.meta.dirname, '../../openapi.json')
const REFERENCES_MAX = 20

type Operation = { readonly 'x-error-codes': readonly string[] }
type Contract = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> }
}
let document: Promises
let contract: Contract
beforeAll(async () => {
  document = await readPromises(DOCUMENT)
  contract = JSON.parse(await readFile(CONTRACT, 'utf8'))
})

/** Operations that a text names, such as `GET /auth/me`, with their paths as the contract has them. */
const operationsIn = (cell: string) =>
  [...cell.matchAll(/`(GET|POST|PUT|PATCH|DELETE) (\/[^\s`]+)`/g)].map(([, method = '', path = '']) => {
    const below = /^\/(marketplace|x402)\//.test(path) ? '' : '/api/v1'
    return { name: `${method} ${path}`, method, path: below + path.replaceAll(/:(\w+)/g, '{$1}') }
  })

const operationOf = ({ method, path }: { method: string; path: string }) =>
  contract.paths[path]?.[method.toLowerCase()]

/** Everything that the contract says of a value, with what it refers to. */
function wholeOf(value: unknown, depth = 0): string {
  const own = JSON.stringify(value)
  if (depth === REFERENCES_MAX) return own
  const names = new Set([...own.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name = '']) => name))
  return own + [...names].map(name => wholeOf(contract.components.schemas[name], depth + 1)).join('')
}

test('every row names an existing test', async () => {
  expect(document.rows.length).toBeGreaterThan(200)
  expect(await faultsOf(document)).toEqual([])
})

test('every operation that is named is in the contract', () => {
  const unknown = operationsIn(document.text).filter(named => operationOf(named) === undefined)
  expect(unknown.map(({ name }) => name)).toEqual([])
})

test('every field belongs to its operations', () => {
  const fields = document.rows.filter(({ section }) => section === '2')
  const faults = fields.flatMap(({ cells: [field = '', , where = ''] }) =>
    operationsIn(where)
      .filter(named => !wholeOf(operationOf(named)).includes(`"${field.replaceAll('`', '')}":`))
      .map(({ name }) => `${field} at ${name}`),
  )
  expect(faults).toEqual([])
  expect(fields.filter(({ cells }) => operationsIn(cells[2] ?? '').length === 0)).toEqual([])
})

test('every error code is one that its operations return', () => {
  const coded = document.rows.filter(({ section, cells }) => section === '7' && cells[0]?.startsWith('`'))
  const faults = coded.flatMap(({ cells: [cell = '', , where = ''] }) => {
    const code = cell.replaceAll('`', '')
    if (!(code in errorTable)) return [`${code} is no code`]
    return operationsIn(where)
      .filter(named => !operationOf(named)?.['x-error-codes'].includes(code))
      .map(({ name }) => `${code} at ${name}`)
  })
  expect(faults).toEqual([])
})

test('every operation that is named has its own table', () => {
  const headings = [...document.text.matchAll(/^### `([A-Z]+ \/\S+)`$/gm)].map(([, name]) => name)
  expect(new Set(headings).size).toBe(headings.length)
  const elsewhere = operationsIn(document.text).map(({ name }) => name)
  expect([...new Set(elsewhere)].filter(name => !headings.includes(name))).toEqual([])
})
