import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { figuresOf, report } from './house.ts'
import {
  countLiteralSpreads,
  countWords,
  FILE_LINES_MAX,
  FOLDER_FILES_MAX,
  FUNCTION_LINES_MAX,
  longFunctions,
  measure,
} from './house-measures.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'house-'))
})
afterEach(() => rmSync(root, { recursive: true }))

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

/** A body that makes a function of so many lines, its head and closing brace included. */
const body = (lines: number) => `{\n${'  work()\n'.repeat(lines - 2)}}`
const TOO_LONG = FUNCTION_LINES_MAX + 1

test('finds a function that is one line too long, with its first line', () => {
  write('packages/a/src/long.ts', `\nexport function long() ${body(TOO_LONG)}\n`)
  write('packages/a/src/short.ts', `export function short() ${body(FUNCTION_LINES_MAX)}\n`)
  expect(measure(root).longFunctions).toEqual([{ at: 'packages/a/src/long.ts:2', count: TOO_LONG }])
})

test.each([
  ['an arrow function', `const f = () => ${body(TOO_LONG)}`],
  ['a method', `class A { m() ${body(TOO_LONG)} }`],
  ['a constructor', `class A { constructor() ${body(TOO_LONG)} }`],
  ['an accessor', `const a = { get b() ${body(TOO_LONG)} }`],
  ['a function inside another expression', `call(async function () ${body(TOO_LONG)})`],
])('finds %s that is too long', (_, text) => {
  expect(longFunctions('a.ts', text)).toHaveLength(1)
})

test('does not count the comment of a function', () => {
  const comment = `/**\n${' * text\n'.repeat(30)} */\n`
  expect(longFunctions('a.ts', `${comment}function f() ${body(FUNCTION_LINES_MAX)}`)).toEqual([])
})

test('accepts a long function with a reason in the line before it', () => {
  const text = `export function long() ${body(TOO_LONG)}\n`
  write('apps/a/src/a.ts', `// long: one case for each message of the protocol\n${text}`)
  write('apps/a/src/b.ts', `// long:\n${text}`)
  const { longFunctions: found, excusedFunctions } = measure(root)
  expect(found).toEqual([{ at: 'apps/a/src/b.ts:2', count: TOO_LONG }])
  expect(excusedFunctions).toEqual([{ at: 'apps/a/src/a.ts:2', count: TOO_LONG }])
})

test('finds a file that is one line too long, but no test or generated file', () => {
  const long = '//\n'.repeat(FILE_LINES_MAX + 1)
  write('apps/a/src/long.ts', long)
  write('apps/a/src/page.tsx', long.slice(0, -1))
  write('apps/a/src/short.ts', '//\n'.repeat(FILE_LINES_MAX))
  for (const name of ['src/a.test.ts', 'test/helper.ts', 'src/a.gen.ts', 'node_modules/a.ts', 'dist/a.ts'])
    write(`apps/a/${name}`, long)
  expect(measure(root).longFiles.map(({ at }) => at)).toEqual(['apps/a/src/long.ts', 'apps/a/src/page.tsx'])
})

test('accepts a long file with a reason in its first line', () => {
  const long = '//\n'.repeat(FILE_LINES_MAX)
  write('apps/a/src/a.ts', `// long: a table that is read by row\n${long}`)
  write('apps/a/src/b.ts', `//\n// long: not in the first line\n${long}`)
  const { longFiles, excusedFiles } = measure(root)
  expect(longFiles.map(({ at }) => at)).toEqual(['apps/a/src/b.ts'])
  expect(excusedFiles).toEqual([{ at: 'apps/a/src/a.ts', count: FILE_LINES_MAX + 1 }])
})

test('finds a folder with one source file too many, not counting tests and subfolders', () => {
  for (let index = 0; index <= FOLDER_FILES_MAX; index += 1) {
    write(`apps/a/src/full/${index}.ts`, '')
    if (index === 0) continue
    write(`apps/a/src/well/${index}.ts`, '')
    write(`apps/a/src/well/${index}.test.ts`, '')
    write(`apps/a/src/well/below/${index}.ts`, '')
  }
  expect(measure(root).fullFolders).toEqual([{ at: 'apps/a/src/full', count: FOLDER_FILES_MAX + 1 }])
})

test.each([
  ['const a = { ...{ b, c } }', 1],
  ['const a = [...{ b }]; f(...({ c }))', 2],
  ['const a = <P {...{ b }} />', 1],
  ['const a = { ...b, ...(c ? { d } : {}) }', 0],
  ['const a = [...[b, c], ...([d])]; f(...[e])', 3],
  ['const a = [...b, ...(c ? [d] : []), ...[e].map(f)]; const g = (...[h]) => h', 0],
  ["const a = '...{ b }' // ...{ c }", 0],
])('counts the spreads of literals in %s', (text, count) => {
  expect(countLiteralSpreads('a.tsx', text)).toBe(count)
})

test('counts words without reference tables and generated tables', () => {
  const table = '\n\n| a | b |\n| --- | --- |\n| c | d |\n'
  expect(countWords('docs/errors.md', `Two words.${table}`)).toBe(2)
  expect(countWords('docs/a.md', `Generated from \`a.ts\`.${table}`)).toBe(3)
  expect(countWords('docs/a.md', `Generated from \`a.ts\`.\n\nA table by hand:${table}`)).toBe(7 + 15)
})

test('adds up lines of sources, tests and the lab', () => {
  write('lab/bench/a.ts', '1\n2\n')
  write('lab/chaos/a.test.ts', '1\n2\n3')
  write('apps/a/src/a.ts', '1\n')
  expect(measure(root)).toMatchObject({ sourceLines: 3, testLines: 3, labLines: 5 })
})

test('fails and lists the places when a figure exceeds its bound', () => {
  write('apps/a/src/a.ts', '//\n'.repeat(FILE_LINES_MAX + 1))
  const { exitCode, lines } = report(figuresOf(measure(root)), false)
  expect(exitCode).toBe(1)
  expect(lines.join('\n')).toMatch(
    /^files over 350 lines +1 of 0 {2}TOO MANY\n +351 {2}apps\/a\/src\/a\.ts$/m,
  )
})

test('passes if every figure is within its bound, and lists the places on request', () => {
  write('docs/a.md', 'Two words.\n')
  const figures = figuresOf(measure(root))
  expect(report(figures, false)).toMatchObject({ exitCode: 0 })
  expect(report(figures, false).lines.join()).not.toContain('docs/a.md')
  expect(report(figures, true).lines.join()).toContain('docs/a.md')
})
