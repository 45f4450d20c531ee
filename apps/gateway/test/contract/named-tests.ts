import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

// Documents that name a test for each of their promises, parsed and compared with the tests.

/** A row of a table: its cells, and the number of its section (`## 2. ...`). */
export type Row = { readonly section: string; readonly cells: readonly string[] }

/** A document of tables whose last column, headed "Test", names tests. */
export type Promises = { readonly path: string; readonly text: string; readonly rows: readonly Row[] }

/** A test named by a row: titles from the outermost `describe` inwards, and its file. */
type Named = { readonly titles: readonly string[]; readonly file: string }

/** @param path of the document, absolute */
export async function readPromises(path: string): Promise<Promises> {
  const text = await readFile(path, 'utf8')
  return { path, text, rows: rowsOf(text) }
}

function rowsOf(document: string): Row[] {
  let section = ''
  let isPromising = false
  const found: Row[] = []
  for (const line of document.split('\n')) {
    section = /^## (\d+)\./.exec(line)?.[1] ?? section
    if (!line.startsWith('| ')) {
      isPromising &&= line.startsWith('|')
      continue
    }
    const cells = line.slice(2, -2).split(' | ')
    if (cells.at(-1) === 'Test') isPromising = true
    else if (isPromising) found.push({ section, cells })
  }
  return found
}

/**
 * Returns the tests that a row names as `[outer › inner][label]`, the label being a link at the end of the document.
 */
function namedIn({ cells }: Row, files: ReadonlyMap<string, string>): Named[] {
  return [...(cells.at(-1) ?? '').matchAll(/\[([^\]]+)\]\[([^\]]+)\]/g)].map(
    ([, titles = '', label = '']) => ({
      titles: titles.split(' › '),
      file: files.get(label) ?? `${label}, which has no file`,
    }),
  )
}

const quoted = (title: string) => title.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

/** Returns true if a source has a call whose first argument is the title, in any quotes. `failure 7:…` matches the only one that begins so. */
function isTitleIn(source: string, title: string): boolean {
  if (!title.endsWith('…')) return new RegExp(String.raw`\(\s*(['"\x60])${quoted(title)}\1,`).test(source)
  const beginning = new RegExp(String.raw`\(\s*['"\x60]${quoted(title.slice(0, -1))}`, 'g')
  return [...source.matchAll(beginning)].length === 1
}

/** Returns the rows without a test, and the named tests that do not exist. */
export async function faultsOf({ path, text, rows }: Promises): Promise<string[]> {
  const files = new Map(
    [...text.matchAll(/^\[([^\]]+)\]: (\S+)$/gm)].map(([, label = '', file = '']) => [label, file]),
  )
  const sources = new Map<string, string>()
  const faults: string[] = []
  for (const row of rows) {
    const named = namedIn(row, files)
    if (named.length === 0) faults.push(`no test: ${row.cells[0]}`)
    for (const { file, titles } of named) {
      const source = sources.get(file) ?? (await readFile(join(dirname(path), file), 'utf8').catch(() => ''))
      sources.set(file, source)
      for (const title of titles) if (!isTitleIn(source, title)) faults.push(`${file}: no "${title}"`)
    }
  }
  return faults
}
