import { loadGuide } from './guide.ts'
import { guideList } from './guide-list.ts'
import type { Guide } from './guide-parts.ts'

/** A heading of a guide with the text below it, up to the next heading. */
type Section = {
  /** Name of the guide. */
  readonly page: string
  /** Anchor of the heading; empty for the head of the page. */
  readonly anchor: string
  readonly heading: string
  readonly text: string
}

/** Sections of one guide that match, best first. */
export type PageMatches = {
  readonly page: string
  readonly label: string
  readonly sections: readonly Match[]
}

type Match = Section & { readonly score: number }

/** Most pages, and most sections of each, that are shown. */
const PAGES_MAX = 6
const SECTIONS_MAX = 4
/** Weights of a word where it was found; a match at the start of a word counts twice. */
const IN_HEADING = 10
const IN_LABEL = 4
/** The text begins with what the section is about, such as the summary of an operation. */
const IN_OPENING = 3
const IN_TEXT = 1
const OPENING_LENGTH = 120
const EXCERPT_LENGTH = 120
const EXCERPT_BEFORE = 30

/** Loads all published guides and splits them into sections. */
export async function readSections(): Promise<readonly Section[]> {
  const guides = await Promise.all(guideList.map(async ({ name }) => splitGuide(name, await loadGuide(name))))
  return guides.flat()
}

function splitGuide(page: string, { title, parts }: Guide): Section[] {
  const sections: { page: string; anchor: string; heading: string; text: string }[] = []
  let current = { page, anchor: '', heading: title, text: '' }
  const add = (text: string) => {
    current.text = `${current.text} ${text}`.trim()
  }
  for (const part of parts) {
    if ('code' in part) add(part.code)
    else
      for (const element of elementsOf(part.html)) {
        if (/^H[2-6]$/.test(element.tagName)) {
          sections.push(current)
          current = { page, anchor: element.id, heading: element.textContent, text: '' }
        } else add(element.textContent.replaceAll(/\s+/g, ' '))
      }
  }
  return [...sections, current]
}

/** Returns the top elements of HTML, with spaces between cells and lines. */
function elementsOf(html: string): Iterable<Element> {
  const template = document.createElement('template')
  template.innerHTML = html.replaceAll(/<\/(?:td|th|li|p)>/g, ' $&')
  return template.content.children
}

/** Splits what was typed into the words that a section must contain. */
const wordsOf = (typed: string): readonly string[] => typed.toLowerCase().match(/\S+/g) ?? []

/** Returns the sections that contain all words, in their heading, text, or the label of their page. */
export function searchSections(all: readonly Section[], typed: string): readonly PageMatches[] {
  const words = wordsOf(typed)
  if (words.length === 0) return []
  const pages = guideList.map(({ name, label }): PageMatches => {
    const matches = all.flatMap((section): Match[] => {
      const score = section.page === name ? scoreOf(section, label, words) : 0
      return score === 0 ? [] : [{ ...section, score }]
    })
    const sections = matches.toSorted((a, b) => b.score - a.score).slice(0, SECTIONS_MAX)
    return { page: name, label, sections }
  })
  const best = ({ sections }: PageMatches) => sections[0]?.score ?? 0
  return pages
    .filter(({ sections }) => sections.length > 0)
    .toSorted((a, b) => best(b) - best(a))
    .slice(0, PAGES_MAX)
}

function scoreOf({ anchor, heading, text }: Section, label: string, words: readonly string[]): number {
  const places = [
    [heading.toLowerCase(), IN_HEADING],
    // Only the head of a page: else its label would bring all its sections.
    [anchor === '' ? label.toLowerCase() : '', IN_LABEL],
    [text.slice(0, OPENING_LENGTH).toLowerCase(), IN_OPENING],
    [text.toLowerCase(), IN_TEXT],
  ] as const
  const scores = words.map(word =>
    places.reduce((sum, [place, weight]) => sum + weight * strengthOf(place, word), 0),
  )
  return scores.includes(0) ? 0 : scores.reduce((sum, score) => sum + score, 0)
}

/** 2 for a word that starts with what was typed, 1 for one that contains it, else 0. */
function strengthOf(place: string, word: string): 0 | 1 | 2 {
  let at = place.indexOf(word)
  if (at === -1) return 0
  for (; at !== -1; at = place.indexOf(word, at + 1))
    if (at === 0 || !/[\p{L}\p{N}]/u.test(place.charAt(at - 1))) return 2
  return 1
}

/** Returns the part of a text around its first match. */
export function excerptOf(text: string, typed: string): string {
  const lower = text.toLowerCase()
  const found = wordsOf(typed).map(word => lower.indexOf(word))
  const first = Math.min(...found.filter(at => at !== -1))
  const wanted = Number.isFinite(first) ? Math.max(0, first - EXCERPT_BEFORE) : 0
  const start = wanted === 0 ? 0 : text.indexOf(' ', wanted) + 1
  const end = start + EXCERPT_LENGTH
  return `${start > 0 ? '… ' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`
}

/** Splits a text into pieces, of which every second one was typed. */
export function markWords(text: string, typed: string): readonly string[] {
  const words = wordsOf(typed).toSorted((a, b) => b.length - a.length)
  if (words.length === 0) return [text]
  const escaped = words.map(word => word.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`))
  return text.split(new RegExp(`(${escaped.join('|')})`, 'i'))
}
