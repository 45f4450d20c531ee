import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { placeholderOf } from '@farebox/wire/page-texts'
import { build, type Manifest } from 'vite'
import { escapeHtml } from '../../gateway/src/http/escape-html.ts'
import { guideList } from '../src/features/docs/guide-list.ts'
import { REFERENCE, readGuide, shorten } from './guides.ts'

const HERE = join(import.meta.dirname, '..')
/** The prerenderer is built into node_modules, where it finds its dependencies. */
const PRERENDERER = join(HERE, 'node_modules/.prerender')
const ROOT_ELEMENT = '<div id="root"></div>'
const FETCHES_CODE = /<script type="module"|<link rel="modulepreload"/g
const TITLE = /<title>.*?<\/title>/
const DESCRIPTION = /(<meta\s+name="description"\s+content=")[^"]*(")/
const MAIN = /(<main[^>]*>).*(<\/main>)/s
const HEAD_END = '</head>'
/** Entry module of every page. */
const CONSOLE = 'src/begin.tsx'
/** Paths of the areas of signed-in users, by the parents of their routes. */
const AREAS: Readonly<Record<string, string>> = {
  ownerArea: 'app',
  providerArea: 'provider',
  admins: 'admin',
}
/** Loaded by every page of theirs. */
const MENU = 'src/shell/signed-in-menu.tsx'
/** The page of a new service, and the ways to write it that its query names. Without a query it shows the form. */
const NEW_SERVICE = 'src/features/provider/manifest/new-page.tsx'
const WAYS = ['curl', 'openapi', 'json']
/** The parent of a route, if it is not that of all routes of the feature; its path and the module of its page. */
const ROUTE = /getParentRoute(?:: \(\) => (\w+))?,\s+path: '([^']+)',[^}]*?import\('\.\/([^']+)'\)/g

/** See src/prerendered.tsx. */
type Prerenderer = {
  readonly prerenderPage: (path: string, reader: 'visitor' | 'wallet') => Promise<string>
}

/** A page to prerender: its address, the modules of its code, and its description for search engines. */
type Page = { readonly path: string; readonly code: readonly string[]; readonly description?: string }

/** Returns the page that compares so many models, as each has a column. */
const comparing = (...ids: readonly string[]): Page => ({
  path: `/models/compare?ids=${encodeURIComponent(JSON.stringify(ids))}`,
  code: ['src/features/market/compare-page.tsx'],
})

/** The pages to prerender, an address of each kind. The gateway finds them by name. */
const pages: Readonly<Record<string, Page>> = {
  front: { path: '/', code: ['src/features/front/front-page.tsx'] },
  market: { path: '/market', code: ['src/features/market/market-page.tsx'] },
  service: {
    path: '/services/any',
    code: ['src/features/market/service-page.tsx'],
    description: placeholderOf('about'),
  },
  forum: { path: '/forum', code: ['src/features/forum/forum-page.tsx'] },
  topic: { path: '/forum/any', code: ['src/features/forum/topic-page.tsx'] },
  docs: { path: '/docs', code: ['src/features/docs/docs-page.tsx'] },
  proof: { path: '/proof', code: ['src/features/proof/proof-page.tsx'] },
  playground: { path: '/playground', code: ['src/features/playground/playground-page.tsx'] },
  trial: { path: '/playground?service=any', code: ['src/features/playground/playground-page.tsx'] },
  'compare-1': comparing('a'),
  'compare-2': comparing('a', 'b'),
  'compare-3': comparing('a', 'b', 'c'),
  'compare-4': comparing('a', 'b', 'c', 'd'),
}

/**
 * Prerenders pages as they are before anything has been fetched, those of wallets as they look signed in, so that they
 * can be read and their links followed while the code loads. Each page is index.html with its HTML. All of them, and
 * index.html with only the frame, preload the modules they need, so that they load in parallel.
 *
 * @param directory the built console with its manifest, which is removed
 */
export async function prerenderPages(directory: string): Promise<void> {
  const manifestFile = join(directory, '.vite/manifest.json')
  const manifest = JSON.parse(await readFile(manifestFile, 'utf8')) as Manifest
  const frame = withLinks(
    await readFile(join(directory, 'index.html'), 'utf8'),
    await linksToFonts(directory),
  )
  await build({
    root: HERE,
    mode: 'production',
    logLevel: 'warn',
    build: { ssr: 'src/prerendered.tsx', outDir: PRERENDERER, emptyOutDir: true },
  })
  const { prerenderPage }: Prerenderer = await import(pathToFileURL(join(PRERENDERER, 'prerendered.js')).href)
  const write = (name: string, html: string, code: readonly string[], description?: string) => {
    const page = withLinks(withHead(frame, html, description), linksTo(manifest, [CONSOLE, ...code]))
    return writeFile(join(directory, `${name}.html`), withHtml(page, html))
  }
  for (const area of ['', ...Object.values(AREAS)]) await mkdir(join(directory, 'pages', area))
  for (const [name, { path, code, description }] of [...Object.entries(pages), ...(await guidePages())])
    await write(`pages/${name}`, await prerenderPage(path, 'visitor'), code, description)
  for (const [name, module] of await signedInPages()) {
    const path = `/${name.replace(/\bid$/, 'svc_any')}`
    await write(`pages/${name}`, await prerenderPage(path, 'wallet'), [MENU, module])
  }
  for (const way of WAYS) {
    const html = await prerenderPage(`/provider/new?by=${way}`, 'wallet')
    await write(`pages/provider/new-${way}`, html, [MENU, NEW_SERVICE])
  }
  // Of other pages, only the frame is known.
  await write('index', (await prerenderPage('/app', 'visitor')).replace(MAIN, '$1$2'), [])
  await Promise.all([join(directory, '.vite'), PRERENDERER].map(path => rm(path, { recursive: true })))
}

/** Puts HTML into a page. It is readable without its code, so styles come first. */
function withHtml(page: string, html: string): string {
  // A function, because the HTML may contain replacement patterns such as `$&`.
  return page
    .replaceAll(FETCHES_CODE, '$& fetchpriority="low"')
    .replace(ROOT_ELEMENT, () => `<div id="root">${html}</div>`)
}

/** Returns the pages of signed-in users: `app/calls` and the module of its code, for example. */
async function signedInPages(): Promise<[name: string, module: string][]> {
  const found: [string, string][] = []
  for (const feature of await readdir(join(HERE, 'src/features'))) {
    const routes = await readFile(join(HERE, `src/features/${feature}/routes.ts`), 'utf8')
    const parentOfAll = /const getParentRoute = \(\) => (\w+)/.exec(routes)?.[1]
    for (const [, parent = parentOfAll, path = '', module = ''] of routes.matchAll(ROUTE)) {
      const area = parent === undefined ? undefined : AREAS[parent]
      if (area === undefined) continue
      // Of `/`, `calls/{-$id}` and `$id`: nothing, `calls` and `$id`.
      const parts = path.split('/').filter(part => /^\$?\w/.test(part))
      found.push([[area, ...parts].join('/').replace('$', ''), `src/features/${feature}/${module}`])
    }
  }
  return found
}

/** Returns the pages of the guides. */
async function guidePages(): Promise<[name: string, page: Page][]> {
  const found: [string, Page][] = []
  for (const { name, about } of guideList) {
    const description = shorten(`${about} ${(await readGuide(name)).description}`)
    const text = name === REFERENCE ? 'src/features/docs/reference.md' : `../../docs/${name}.md`
    const code = ['src/features/docs/guide-page.tsx', text]
    found.push([`guide-${name}`, { path: `/docs/${name}`, code, description }])
  }
  return found
}

/** Sets the title of a page from its heading, as PageHead does in the browser, and its description. */
function withHead(frame: string, html: string, description: string | undefined): string {
  const heading = /<h1[^>]*>([^<]+)<\/h1>/.exec(html)?.[1]
  const titled = frame.replace(TITLE, whole =>
    heading === undefined ? whole : `<title>${heading} · Farebox</title>`,
  )
  if (description === undefined) return titled
  return titled.replace(
    DESCRIPTION,
    (_, before: string, after: string) => before + escapeHtml(description) + after,
  )
}

const withLinks = (page: string, links: string) => page.replace(HEAD_END, links + HEAD_END)

/** Returns the preload links of the fonts, which the styles name too late for the first paint. */
async function linksToFonts(directory: string): Promise<string> {
  const fonts = (await readdir(join(directory, 'assets'))).filter(name => name.endsWith('.woff2'))
  return fonts
    .map(name => `<link rel="preload" as="font" type="font/woff2" crossorigin href="/assets/${name}">`)
    .join('')
}

/** Returns the preload links of modules and all their static imports. */
function linksTo(manifest: Manifest, modules: readonly string[]): string {
  const files = new Set<string>()
  const add = (key: string) => {
    const chunk = manifest[key]
    if (chunk === undefined) throw new Error(`The build has nothing of ${key}.`)
    if (chunk.isEntry === true || files.has(chunk.file)) return
    files.add(chunk.file)
    for (const imported of chunk.imports ?? []) add(imported)
  }
  for (const module of modules) add(module)
  return [...files].map(file => `<link rel="modulepreload" crossorigin href="/${file}">`).join('')
}
