import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import ts from 'typescript'

/** A file with more lines has more than one subject. A `// long: <reason>` in its first line allows one. */
export const FILE_LINES_MAX = 350
/** A longer function does not fit on a screen. A `// long: <reason>` in the line before it allows one. */
export const FUNCTION_LINES_MAX = 70
/** A folder with more source files hides its structure. */
export const FOLDER_FILES_MAX = 25

const SOURCES = '{*,{packages,apps,lab,scripts,examples}/**/*}.{ts,tsx}'
const LAB = 'lab/'
const SKIPPED: ReadonlySet<string> = new Set(['node_modules', 'dist', '.farebox'])
/** Documents whose table rows are reference data, compared with the code or made from it. */
const REFERENCE: ReadonlySet<string> = new Set(['docs/interface.md', 'docs/errors.md', 'docs/licences.md'])

/** A comment that allows what follows it to be long. */
const REASON = /^\s*\/\/ long: \S/

/** A place and the number that was measured there. */
export type Place = { readonly at: string; readonly count: number }
export type Measures = {
  readonly longFiles: readonly Place[]
  readonly excusedFiles: readonly Place[]
  readonly longFunctions: readonly Place[]
  readonly excusedFunctions: readonly Place[]
  readonly fullFolders: readonly Place[]
  /** One place for each file, with its number of spreads. */
  readonly spreads: readonly Place[]
  readonly readmeWords: number
  readonly documents: readonly Place[]
  readonly labLines: number
  readonly sourceLines: number
  readonly testLines: number
}
type LongFunction = { readonly line: number; readonly lines: number; readonly isExcused: boolean }

/** Measures the sources and documents below a directory. */
export function measure(root: string): Measures {
  const files = list(root, SOURCES).filter(path => !path.endsWith('.gen.ts'))
  const texts = files.map(path => ({ path, text: readFileSync(join(root, path), 'utf8') }))
  const sized = texts.map(({ path, text }) => ({
    at: path,
    count: linesOf(text),
    isExcused: REASON.test(text),
  }))
  const sources = sized.filter(({ at }) => !isTest(at))
  const longFiles = (excused: boolean) =>
    sources
      .filter(({ count, isExcused }) => count > FILE_LINES_MAX && isExcused === excused)
      .map(({ at, count }) => ({ at, count }))
  const functions = texts.flatMap(({ path, text }) => {
    if (isTest(path) || linesOf(text) <= FUNCTION_LINES_MAX) return []
    return longFunctions(path, text).map(found => ({ ...found, at: `${path}:${found.line}` }))
  })
  const longOnes = (excused: boolean) =>
    functions.filter(({ isExcused }) => isExcused === excused).map(({ at, lines }) => ({ at, count: lines }))
  const documents = list(root, 'docs/**/*.md')
  return {
    longFiles: longFiles(false),
    excusedFiles: longFiles(true),
    longFunctions: longOnes(false),
    excusedFunctions: longOnes(true),
    fullFolders: countByFolder(sources.map(({ at }) => at)).filter(({ count }) => count > FOLDER_FILES_MAX),
    spreads: texts
      .map(({ path, text }) => ({ at: path, count: countLiteralSpreads(path, text) }))
      .filter(({ count }) => count > 0),
    readmeWords: sum(list(root, 'README.md').map(path => wordsIn(root, path))),
    documents: documents.map(path => ({ at: path, count: wordsIn(root, path).count })),
    labLines: sum(sized.filter(({ at }) => at.startsWith(LAB))),
    sourceLines: sum(sources),
    testLines: sum(sized) - sum(sources),
  }
}

/** Returns the functions, methods and accessors of more than {@link FUNCTION_LINES_MAX} lines, without their comments. */
export function longFunctions(path: string, text: string): LongFunction[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest)
  const lines = text.split('\n')
  const found: LongFunction[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) {
      const first = source.getLineAndCharacterOfPosition(node.getStart(source)).line
      const last = source.getLineAndCharacterOfPosition(node.end).line
      const length = last - first + 1
      const isExcused = REASON.test(lines[first - 1] ?? '')
      if (length > FUNCTION_LINES_MAX) found.push({ line: first + 1, lines: length, isExcused })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

/** Returns how many literals are spread where they are written (`...{ a, b }`, `...[a, b]`). */
export function countLiteralSpreads(path: string, text: string): number {
  if (!/\.\.\.\s*\(*\s*[{[]/.test(text)) return 0
  let count = 0
  const visit = (node: ts.Node): void => {
    if (ts.isSpreadAssignment(node) || ts.isSpreadElement(node) || ts.isJsxSpreadAttribute(node)) {
      let { expression } = node
      while (ts.isParenthesizedExpression(expression)) expression = expression.expression
      if (ts.isObjectLiteralExpression(expression) || ts.isArrayLiteralExpression(expression)) count += 1
    }
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest))
  return count
}

/** Returns the words of a document without table rows that are reference data, or follow a line that says "generated from". */
export function countWords(path: string, text: string): number {
  let isGenerated = false
  const counted = text.split('\n').filter(line => {
    if (line.startsWith('|')) return !isGenerated && !REFERENCE.has(path)
    if (line.trim() !== '') isGenerated = /\bgenerated from\b/i.test(line)
    return true
  })
  return counted.join(' ').split(/\s+/).filter(Boolean).length
}

/** Returns true if a source only serves tests: a test file, or a file in a folder of tests. */
export function isTest(path: string): boolean {
  return /\.test\.tsx?$/.test(path) || path.split('/').slice(0, -1).includes('test')
}

export function sum(places: readonly Pick<Place, 'count'>[]): number {
  return places.reduce((total, { count }) => total + count, 0)
}

function wordsIn(root: string, path: string): Place {
  return { at: path, count: countWords(path, readFileSync(join(root, path), 'utf8')) }
}

function countByFolder(paths: readonly string[]): Place[] {
  const counts = new Map<string, number>()
  for (const path of paths) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1)
  return [...counts].map(([at, count]) => ({ at, count }))
}

function linesOf(text: string): number {
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
}

function list(root: string, pattern: string): string[] {
  const found = globSync(pattern, { cwd: root, exclude: path => SKIPPED.has(basename(path)) })
  return found.map(path => path.replaceAll(sep, '/')).toSorted()
}
