import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

// Run after all tests: `node coverage.ts <notes of the run>`. Compares what the tests provoked with the contract, and
// the committed table with both. With WRITE_CONTRACT set, it writes the table. Without notes, it only checks that the
// table has a row for each answer of the contract.

const CONTRACT = join(import.meta.dirname, '../../openapi.json')
const TABLE = join(import.meta.dirname, 'coverage.md')
/** Tests for codes that every operation may answer, used if no test of the operation provokes them. */
const EVERY_OPERATION = 'apps/gateway/test/contract/every-operation.test.ts'
const FAULTS_SHOWN_MAX = 50

type Operation = { readonly operationId: string; readonly 'x-error-codes': readonly string[] }
type Document = { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> }
type Cell = { readonly where: string; readonly operation: string; readonly code: string }

const [directory] = process.argv.slice(2)
process.exitCode = directory === undefined ? await checkRows() : await check(directory)

/** @returns the exit code */
async function checkRows(): Promise<number> {
  const [cells, rows] = [cellsOf(JSON.parse(await readFile(CONTRACT, 'utf8'))).map(keyOf), await readTable()]
  const missing = cells.filter(key => !rows.has(key))
  const others = [...rows.keys()].filter(key => !cells.includes(key))
  if (missing.length + others.length === 0 || process.env.WRITE_CONTRACT !== undefined) return 0
  reportOutOfDate([...missing.map(key => `${key}: no row`), ...others.map(key => `${key}: no such answer`)])
  return 1
}

function reportOutOfDate(lines: readonly string[]): void {
  const reported = lines.slice(0, FAULTS_SHOWN_MAX).map(line => `  ${line}\n`)
  process.stderr.write(`${TABLE} is out of date: run \`WRITE_CONTRACT=1 npm test\`.\n${reported.join('')}`)
}

/** @returns the exit code */
async function check(notes: string): Promise<number> {
  const cells = cellsOf(JSON.parse(await readFile(CONTRACT, 'utf8')))
  const provoked = await readNotes(notes)
  const empty = cells.filter(cell => !provoked.has(keyOf(cell)))
  if (empty.length > 0) {
    const reported = empty
      .slice(0, FAULTS_SHOWN_MAX)
      .map(({ where, operation, code }) => `  ${operation} ${code} (${where})`)
    process.stderr.write(`No test provokes these ${empty.length} answers:\n${reported.join('\n')}\n`)
    return 1
  }
  const committed = await readTable()
  const chosen = cells.map(cell => choose(cell, committed, provoked))
  const isKept =
    cells.length === committed.size &&
    cells.every((cell, index) => committed.get(keyOf(cell)) === chosen[index])
  process.stdout.write(
    `${cells.length} answers of ${new Set(cells.map(({ operation }) => operation)).size} operations, each provoked by a test.\n`,
  )
  if (isKept) return 0
  if (process.env.WRITE_CONTRACT !== undefined) {
    await writeFile(TABLE, tableOf(cells, chosen))
    return 0
  }
  const changed = cells.flatMap((cell, index) => {
    const before = committed.get(keyOf(cell)) ?? 'none'
    return before === chosen[index] ? [] : [`${keyOf(cell)}: ${before} -> ${chosen[index]}`]
  })
  reportOutOfDate(changed)
  return 1
}

function keyOf({ operation, code }: Cell): string {
  return `${operation} ${code}`
}

/** All answers that the contract names: 200 and each code. */
function cellsOf({ paths }: Document): Cell[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { operationId: operation, 'x-error-codes': codes }]) =>
      ['OK', ...codes].map(code => ({ where: `${method.toUpperCase()} ${path}`, operation, code })),
    ),
  )
}

/** Test files by provoked answer. */
async function readNotes(from: string): Promise<Map<string, Set<string>>> {
  const provoked = new Map<string, Set<string>>()
  for (const name of await readdir(from)) {
    const text = await readFile(join(from, name), 'utf8')
    for (const line of text.split('\n').filter(each => each !== '')) {
      const [operation, code, file = ''] = line.split(' ')
      const key = `${operation} ${code}`
      provoked.set(key, (provoked.get(key) ?? new Set()).add(file))
    }
  }
  return provoked
}

/** Parses the committed table: the test file of each answer. */
async function readTable(): Promise<Map<string, string>> {
  const text = await readFile(TABLE, 'utf8').catch(() => '')
  const rows = [...text.matchAll(/^\| `(\w+)` \| `(\w+)` \| `([^`]+)` \|$/gm)]
  return new Map(rows.map(([, operation, code, file = '']) => [`${operation} ${code}`, file]))
}

/** Prefers the file in the committed table while it is correct, so that the table is stable. */
function choose(
  cell: Cell,
  committed: ReadonlyMap<string, string>,
  provoked: ReadonlyMap<string, ReadonlySet<string>>,
): string {
  const files = provoked.get(keyOf(cell)) ?? new Set()
  const before = committed.get(keyOf(cell))
  if (before !== undefined && files.has(before)) return before
  const [first = EVERY_OPERATION] = [...files].filter(file => file !== EVERY_OPERATION).sort()
  return first
}

function tableOf(cells: readonly Cell[], chosen: readonly string[]): string {
  const rows = cells.map(
    ({ operation, code }, index) => `| \`${operation}\` | \`${code}\` | \`${chosen[index]}\` |`,
  )
  return `# Every operation, every answer

Each code that the published contract names for an operation, and \`OK\` for its 200, with a test that provokes it over HTTP. Written and checked by \`npm test\`; do not edit.

| Operation | Answer | Test |
|---|---|---|
${rows.join('\n')}
`
}
