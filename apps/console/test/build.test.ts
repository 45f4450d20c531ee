import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import { buildConsole } from './launch.ts'

const DIST = join(import.meta.dirname, '../dist')
/** Most script, as it goes over the wire, that a visitor loads before a page stands. */
const FIRST_LOAD_BYTES_MAX = 250 * 1_024
const pagesOfVisitors = ['front-page', 'market-page', 'service-page', 'forum-page', 'topic-page'] as const

beforeAll(() => buildConsole(), 180_000)

/** A script and all that it imports at once, by name. */
async function withImports(name: string, found = new Set<string>()): Promise<Set<string>> {
  if (found.has(name)) return found
  found.add(name)
  const text = await readFile(join(DIST, 'assets', name), 'utf8')
  const imports = [...text.matchAll(/(?:from|import)\s*["']\.\/([\w.-]+\.js)["']/g)]
  for (const [, imported = ''] of imports) await withImports(imported, found)
  return found
}

async function entry(): Promise<string> {
  const page = await readFile(join(DIST, 'index.html'), 'utf8')
  return /src="\/assets\/([\w.-]+\.js)"/.exec(page)?.[1] ?? 'none'
}

test.each(pagesOfVisitors)('a visitor loads little before %s stands', async page => {
  const files = await readdir(join(DIST, 'assets'))
  const own = files.find(file => file.startsWith(`${page}-`) && file.endsWith('.js')) ?? 'none'
  const loaded = await withImports(own, await withImports(await entry()))
  const sizes = await Promise.all(
    [...loaded].map(async name => gzipSync(await readFile(join(DIST, 'assets', name))).length),
  )
  const bytes = sizes.reduce((sum, size) => sum + size, 0)
  expect(bytes).toBeGreaterThan(50_000)
  expect(bytes, `${loaded.size} files`).toBeLessThan(FIRST_LOAD_BYTES_MAX)
  // Wallets and charts come when they are needed.
  expect([...loaded].filter(name => /^(?:engine|chart-canvas|sign-in-dialog)-/.test(name))).toEqual([])
})

test('the page has no script of its own, and nothing from elsewhere', async () => {
  const page = await readFile(join(DIST, 'index.html'), 'utf8')
  expect(page).not.toMatch(/<script(?![^>]*\bsrc=)/)
  const loaded = [...page.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, url]) => url)
  expect(loaded.filter(url => url?.startsWith('/') !== true || url.startsWith('//'))).toEqual([])
})

test('what is large lies there compressed', async () => {
  const files = await readdir(join(DIST, 'assets'))
  const name = await entry()
  expect(files).toEqual(expect.arrayContaining([name, `${name}.br`, `${name}.gz`]))
})
