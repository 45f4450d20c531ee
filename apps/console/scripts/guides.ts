import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import MarkdownIt, { type Token } from 'markdown-it'
import type { Plugin } from 'vite'
import { guideList, guideNames } from '../src/features/docs/guide-list.ts'
import type { Guide, GuidePart } from '../src/features/docs/guide-parts.ts'
import { referenceText } from './reference.ts'

const DOCS = join(import.meta.dirname, '../../../docs')
/** Name of the reference among the guides. */
export const REFERENCE = 'reference'
/** Title and first paragraph of the reference. */
const REFERENCE_HEAD = join(import.meta.dirname, '../src/features/docs/reference.md')
const DOCUMENT = /\/docs\/[\w-]+\.md$/
/** Longest description of a page in its head, in characters: search engines show about as many. */
const DESCRIPTION_MAX = 160
/** Headings of this level are listed as the contents of a guide. */
const LISTED = 'h2'

const markdown = new MarkdownIt({ html: false })

/** Vite plugin: a document of docs/ imported as a module exports its `guide`. */
export function guides(): Plugin {
  return {
    name: 'guides',
    async load(id) {
      if (!DOCUMENT.test(id)) return null
      this.addWatchFile(id)
      const guide = await readGuide(basename(id, '.md'))
      return { code: `export const guide = ${JSON.stringify(guide)}`, moduleType: 'js', map: null }
    },
  }
}

/** Reads a document of docs/ by its name without `.md`; the reference is made from the contract. */
export async function readGuide(name: string): Promise<Guide> {
  if (name !== REFERENCE) return makeGuide(await readFile(join(DOCS, `${name}.md`), 'utf8'))
  return makeGuide(`${await readFile(REFERENCE_HEAD, 'utf8')}\n${await referenceText()}`)
}

/**
 * Makes a guide from Markdown. Links to published documents become links to their pages, and links to other files of
 * the repository become their text. Code blocks are parts of their own; everything else is HTML.
 *
 * @throws Error if the text does not start with a title
 */
export function makeGuide(text: string): Guide {
  const tokens = markdown.parse(text, {})
  const [open, title] = tokens
  if (open?.tag !== 'h1' || title === undefined) throw new Error('A document starts with its title.')
  const body = tokens.slice(3)
  const ids = new Map<string, number>()
  const headings: { id: string; text: string }[] = []
  const parts: GuidePart[] = []
  let html: Token[] = []
  const close = () => {
    if (html.length > 0) parts.push({ html: renderHtml(html) })
    html = []
  }
  for (const [index, token] of body.entries()) {
    if (token.type === 'heading_open') {
      const heading = textOf(body[index + 1])
      const id = freeId(idOf(heading), ids)
      token.attrSet('id', id)
      if (token.tag === LISTED) headings.push({ id, text: heading })
    }
    if (token.type === 'inline') token.children = withPageLinks(token.children ?? [])
    if (token.type === 'fence' && token.level === 0) {
      close()
      parts.push({ language: token.info.trim() || 'text', code: token.content.trimEnd() })
    } else html.push(token)
  }
  close()
  const first = body.find(({ type }) => type === 'inline')
  return { title: textOf(title), description: textOf(first), headings, parts }
}

/** Renders tokens; a heading links to itself, a table scrolls in a frame, an empty header is no header. */
function renderHtml(tokens: Token[]): string {
  const rendered = markdown.renderer.render(tokens, markdown.options, {})
  return rendered
    .replaceAll(/<(h[2-6]) id="([^"]*)">(.*?)<\/\1>/g, '<$1 id="$2"><a href="#$2">$3</a></$1>')
    .replaceAll('<table>', '<div class="wide-table" role="group" aria-label="Table" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')
    .replaceAll(/<th([^>]*)><\/th>/g, '<td$1></td>')
    .replaceAll('&lt;br&gt;', '<br>')
    .replaceAll('<pre>', '<pre tabindex="0">')
}

/** Returns the tokens of a line with the links of the console. */
function withPageLinks(tokens: readonly Token[]): Token[] {
  const kept: Token[] = []
  let isDropped = false
  for (const token of tokens) {
    if (token.type === 'link_open') {
      const href = pageOf(String(token.attrGet('href')))
      isDropped = href === null
      if (href !== null) token.attrSet('href', href)
      if (href?.startsWith('https:')) token.attrSet('rel', 'noreferrer')
    }
    if (token.type === 'text') token.content = labelOf(token.content)
    if (!(isDropped && (token.type === 'link_open' || token.type === 'link_close'))) kept.push(token)
  }
  return kept
}

/** Returns the label of a guide for the name of its file, and other texts as they are. */
function labelOf(text: string): string {
  return guideList.find(({ name }) => `${name}.md` === text)?.label ?? text
}

/** Returns the address of what a document links to; null for a file that the console does not publish. */
function pageOf(href: string): string | null {
  if (/^(?:https?:|#|\/)/.test(href)) return href
  const [, name = '', hash = ''] = /^([\w-]+)\.md(#.*)?$/.exec(href) ?? []
  return guideNames.includes(name) ? `/docs/${name}${hash}` : null
}

/** Returns the text of a line without its marks. */
function textOf(line: Token | undefined): string {
  return (line?.children ?? []).map(({ type, content }) => (type === 'softbreak' ? ' ' : content)).join('')
}

/** Returns the id that GitHub gives a heading, so that links between documents work there and here. */
function idOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')
}

function freeId(id: string, ids: Map<string, number>): string {
  const count = ids.get(id) ?? 0
  ids.set(id, count + 1)
  return count === 0 ? id : `${id}-${count}`
}

/** Cuts a description of a page at a word. */
export function shorten(text: string): string {
  if (text.length <= DESCRIPTION_MAX) return text
  return `${text.slice(0, text.lastIndexOf(' ', DESCRIPTION_MAX - 1))}…`
}
