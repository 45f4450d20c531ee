import { readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { errorTable } from '@farebox/wire/errors'
import { beforeAll, expect, test } from 'vitest'

// Holds docs/interface.md against the tests that it names and against the committed contract.

const DOCUMENT = resolve(import.meta.dirname, '../../../../docs/interface.md')
const CONTRACT = resolve(import.meta.dirname, '../../openapi.json')
const REFERENCES_MAX = 20

type Operation = { readonly 'x-error-codes': readonly string[] }
type Contract = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> }
}
/** A row of a table: its cells, and the number of the section that it stands in. */
type Row = { readonly section: string; readonly cells: readonly string[] }
/** A test as a row names it: titles from the outermost `describe` in. */
type Named = { readonly titles: readonly string[]; readonly file: string }

let text: string
let rows: Row[]
let contract: Contract
beforeAll(async () => {
  text = await readFile(DOCUMENT, 'utf8')
  rows = rowsOf(text)
  contract = JSON.parse(await readFile(CONTRACT, 'utf8'))
})

function rowsOf(document: string): Row[] {
  let section = ''
  const found: Row[] = []
  for (const line of document.split('\n')) {
    section = /^## (\d+)\./.exec(line)?.[1] ?? section
    if (!line.startsWith('| ')) continue
    const cells = line.slice(2, -2).split(' | ')
    if (cells.at(-1) !== 'Test') found.push({ section, cells })
  }
  return found
}

/** Files by the labels that the document ends with. */
const files = () =>
  new Map([...text.matchAll(/^\[([^\]]+)\]: (\S+)$/gm)].map(([, label, file]) => [label, file]))

function namedIn({ cells }: Row): Named[] {
  const known = files()
  return [...(cells.at(-1) ?? '').matchAll(/\[([^\]]+)\]\[([^\]]+)\]/g)].map(([, titles = '', label]) => ({
    titles: titles.split(' › '),
    file: known.get(label) ?? `${label}, which has no file`,
  }))
}

/** Operations that a text names, such as `GET /auth/me`, with their paths as the contract has them. */
const operationsIn = (cell: string) =>
  [...cell.matchAll(/`(GET|POST|PUT|PATCH|DELETE) (\/[^\s`]+)`/g)].map(([, method = '', path = '']) => {
    const below = path.startsWith('/marketplace/') ? '' : '/api/v1'
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

const quoted = (title: string) => title.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
/** A title as the first argument of a call, whichever quotes it stands in. */
const isTitleIn = (source: string, title: string) =>
  new RegExp(String.raw`\(\s*(['"\x60])${quoted(title)}\1,`).test(source)

test('every row names a test, and every test that is named is there', async () => {
  expect(rows.length).toBeGreaterThan(200)
  const sources = new Map<string, string>()
  const faults: string[] = []
  for (const row of rows) {
    const named = namedIn(row)
    if (named.length === 0) faults.push(`no test: ${row.cells[0]}`)
    for (const { file, titles } of named) {
      const source =
        sources.get(file) ?? (await readFile(join(dirname(DOCUMENT), file), 'utf8').catch(() => ''))
      sources.set(file, source)
      for (const title of titles) if (!isTitleIn(source, title)) faults.push(`${file}: no "${title}"`)
    }
  }
  expect(faults).toEqual([])
})

test('every operation that is named is in the contract', () => {
  const unknown = operationsIn(text).filter(named => operationOf(named) === undefined)
  expect(unknown.map(({ name }) => name)).toEqual([])
})

test('every field is in what its operations take or answer', () => {
  const fields = rows.filter(({ section }) => section === '2')
  const faults = fields.flatMap(({ cells: [field = '', , where = ''] }) =>
    operationsIn(where)
      .filter(named => !wholeOf(operationOf(named)).includes(`"${field.replaceAll('`', '')}":`))
      .map(({ name }) => `${field} at ${name}`),
  )
  expect(faults).toEqual([])
  expect(fields.filter(({ cells }) => operationsIn(cells[2] ?? '').length === 0)).toEqual([])
})

test('every error code is one that its operations answer', () => {
  const coded = rows.filter(({ section, cells }) => section === '7' && cells[0]?.startsWith('`'))
  const faults = coded.flatMap(({ cells: [cell = '', , where = ''] }) => {
    const code = cell.replaceAll('`', '')
    if (!(code in errorTable)) return [`${code} is no code`]
    return operationsIn(where)
      .filter(named => !operationOf(named)?.['x-error-codes'].includes(code))
      .map(({ name }) => `${code} at ${name}`)
  })
  expect(faults).toEqual([])
})

test('every operation that is named has a table of its own', () => {
  const headings = [...text.matchAll(/^### `([A-Z]+ \/\S+)`$/gm)].map(([, name]) => name)
  expect(new Set(headings).size).toBe(headings.length)
  const elsewhere = operationsIn(text).map(({ name }) => name)
  expect([...new Set(elsewhere)].filter(name => !headings.includes(name))).toEqual([])
})
