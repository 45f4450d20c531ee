import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import { guideNames } from '../src/features/docs/guide-list.ts'
import { buildConsole } from './kit/launch.ts'

const DIST = join(import.meta.dirname, '../dist')
/** Most JavaScript, compressed, that a visitor's page loads at first. */
const FIRST_LOAD_BYTES_MAX = 200_000
const pagesOfVisitors = [
  'front',
  'market',
  'service',
  'compare-2',
  'forum',
  'topic',
  'proof',
  'playground',
  'docs',
  'guide-interface',
]

beforeAll(() => buildConsole(), 180_000)

/** Returns the names of a chunk and of all its static imports. */
async function withImports(name: string, found = new Set<string>()): Promise<Set<string>> {
  if (found.has(name)) return found
  found.add(name)
  const text = await readFile(join(DIST, 'assets', name), 'utf8')
  const imports = [...text.matchAll(/(?:from|import)\s*["']\.\/([\w.-]+\.js)["']/g)]
  for (const [, imported = ''] of imports) await withImports(imported, found)
  return found
}

test.each(pagesOfVisitors)('loads little JavaScript for the page %s', async name => {
  const page = await readFile(join(DIST, 'pages', `${name}.html`), 'utf8')
  // Its entry, and what it preloads: the console and the code of the page.
  const named = [...page.matchAll(/(?:src|href)="\/assets\/([\w.-]+\.js)"/g)]
  const loaded = new Set<string>()
  for (const [, script = ''] of named) await withImports(script, loaded)
  expect([...loaded].join()).toMatch(new RegExp(`\\b${name.replace(/-.*/, '')}-page-.*`))
  const sizes = await Promise.all(
    [...loaded].map(async name => gzipSync(await readFile(join(DIST, 'assets', name))).length),
  )
  const bytes = sizes.reduce((sum, size) => sum + size, 0)
  expect(bytes).toBeGreaterThan(50_000)
  expect(bytes, `${loaded.size} files`).toBeLessThan(FIRST_LOAD_BYTES_MAX)
  // Wallets and charts are loaded on demand.
  expect([...loaded].filter(name => /^(?:engine|phone|chart-canvas|sign-in-dialog)-/.test(name))).toEqual([])
})

/** Returns index.html and the prerendered pages. */
async function pageFiles(): Promise<string[]> {
  const pages = await readdir(join(DIST, 'pages'), { recursive: true })
  return ['index.html', ...pages.map(name => join('pages', name))].filter(name => name.endsWith('.html'))
}

test('has no inline scripts and nothing from other origins in any page', async () => {
  for (const name of await pageFiles()) await expectOwnFilesOnly(name)
})

async function expectOwnFilesOnly(name: string) {
  const page = await readFile(join(DIST, name), 'utf8')
  expect(page).not.toMatch(/<script(?![^>]*\bsrc=)/)
  const loaded = [...page.matchAll(/<(?!a )[^>]*?(?:src|href)="([^"]*)"/g)].map(([, url]) => url)
  expect(
    loaded.filter(url => !/^[/#](?!\/)/.test(url ?? '')),
    name,
  ).toEqual([])
  const assets = await readdir(join(DIST, 'assets'))
  const named = loaded.flatMap(url => (url?.startsWith('/assets/') ? [url.slice('/assets/'.length)] : []))
  expect(assets, name).toEqual(expect.arrayContaining(named))
}

test.each([
  ['front', 'One credential for every API'],
  ['market', 'Market'],
  ['docs', 'API reference'],
  ['service', 'The most that a call can cost is held before the call'],
  ['forum', 'Forum'],
  ['topic', 'API reference'],
  ['proof', 'Proof of reserves'],
  ['app/calls', 'Every call of your credentials'],
  ['provider/traffic', 'Outcomes, latency and earnings'],
])('prerenders the page %s with its text', async (name, text) => {
  const page = await readFile(join(DIST, 'pages', `${name}.html`), 'utf8')
  expect(page.slice(page.indexOf('<body>'))).toContain(text)
  // Its chunk is preloaded with that of the console.
  expect(page).toMatch(new RegExp(`rel="modulepreload"[^>]*${basename(name)}-page-`))
  // Prerendered pages contain no names and no addresses.
  expect(page).not.toMatch(/undefined|localhost|127\.0\.0\.1|0x0/)
})

test('prerenders the page of a new service by each way to write it', async () => {
  const shown = {
    '': 'placeholder="weather"',
    '-curl': 'Parse command',
    '-openapi': 'openapi: 3.1.0',
    '-json': '&quot;targets&quot;',
  }
  for (const [way, text] of Object.entries(shown)) {
    const page = await readFile(join(DIST, `pages/provider/new${way}.html`), 'utf8')
    expect(page.slice(page.indexOf('<fieldset')), way).toContain(text)
  }
})

test.each([
  ['app', 'overview-page'],
  ['app/calls', 'calls-page'],
  ['provider', 'services-page'],
  ['provider/id', 'service-page'],
  ['provider/new-json', 'new-page'],
  ['admin/audit', 'audit-page'],
  ['app/proof', 'own-proof-page'],
])('preloads the code of %s with that of the menu of signed-in users', async (name, module) => {
  const page = await readFile(join(DIST, 'pages', `${name}.html`), 'utf8')
  for (const chunk of [module, 'signed-in-menu', 'console'])
    expect(page).toMatch(new RegExp(`rel="modulepreload"[^>]*/${chunk}-`))
})

test('publishes and lists a page for every guide, with its title and description', async () => {
  const index = await readFile(join(DIST, 'pages/docs.html'), 'utf8')
  const listed = [...index.matchAll(/href="\/docs\/([\w-]+)"/g)].map(([, name]) => name)
  expect(new Set(listed)).toEqual(new Set(guideNames))
  const heads = await Promise.all(guideNames.map(headOf))
  expect(new Set(heads).size).toBe(heads.length)
})

async function headOf(name: string): Promise<string> {
  const page = await readFile(join(DIST, 'pages', `guide-${name}.html`), 'utf8')
  const head = page.slice(0, page.indexOf('</head>'))
  expect(/<title>(.*?) · Farebox<\/title>/.exec(head)?.[1], name).toMatch(/\S/)
  const description = /name="description"\s+content="([^"]{40,200})"/.exec(head)?.[1] ?? ''
  expect(description, name).not.toContain('open gateway between')
  return description
}

test('resolves every link between guides, with its anchor', async () => {
  const names = guideNames
  const pages = new Map<string, string>()
  for (const name of names) pages.set(name, await readFile(join(DIST, 'pages', `guide-${name}.html`), 'utf8'))
  const broken: string[] = []
  let links = 0
  for (const [name, page] of pages) {
    const article = page.slice(page.indexOf('<article'), page.indexOf('</article>'))
    for (const [, href = ''] of article.matchAll(/href="([^"]*)"/g)) {
      links += 1
      if (!isResolved(pages, name, href)) broken.push(`${name}: ${href}`)
    }
  }
  expect(broken).toEqual([])
  expect(links).toBeGreaterThan(100)
})

function isResolved(pages: ReadonlyMap<string, string>, from: string, href: string): boolean {
  if (href.startsWith('https://') || href === '/openapi.json' || href === '/docs/reference/interactive')
    return true
  const [path = '', anchor] = href.split('#')
  const page = pages.get(path === '' ? from : path.replace('/docs/', ''))
  return page !== undefined && (anchor === undefined || page.includes(`id="${decodeURIComponent(anchor)}"`))
}

test('compresses large files', async () => {
  const files = await readdir(join(DIST, 'assets'))
  const name = files.find(file => /^console-.*\.js$/.test(file))
  expect(files).toEqual(expect.arrayContaining([name, `${name}.br`, `${name}.gz`]))
})
