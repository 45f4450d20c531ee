/** Maximum words of a search; the rest of a longer text is ignored. */
const WORDS_MAX = 16
/** Maximum words of a search with misspelt ones: every majority of them is tried. */
const LENIENT_WORDS_MAX = 6
/** Minimum length of a prefix: shorter ones match too much. */
const PREFIX_LENGTH_MIN = 3
/** Length of words that may be misspelt: shorter ones resemble too many others, longer ones are not words. */
const CORRECTABLE = /^[^\d]{4,32}$/
/** Maximum corrections of a misspelt word. */
const CORRECTIONS_MAX = 4
/** Minimum length of a word that may differ in two places. */
const TWO_EDITS_LENGTH_MIN = 6

/** Stop words of English. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  `a an and are as at be by can do for from get has have how i in into is it its me my need of on or our please some
   something that the their them they this to us want we what which will with you your`.split(/\s+/),
)

/** A search word, folded except for case; `isPrefix` if longer words that begin with it match. */
export type SoughtWord = { readonly word: string; readonly isPrefix: boolean }

/**
 * Folds a text for searching: removes accents and replaces punctuation by spaces. Equals the database's `fold_text`,
 * which also lower-cases both sides: only one of us may do that, as each version of Unicode adds capitals.
 */
export function foldText(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .replaceAll(FOLDED_TO_SPACE, ' ')
}

const FOLDED_TO_SPACE = /[\t\n\r -/:-@[-`{-\u00bf\u2000-\u206f\u3000-\u303f]+/g

/** Returns the distinct words of a text without stop words; with them if there are no others. */
export function wordsOf(text: string): SoughtWord[] {
  const written = foldText(text).split(/\s+/)
  const words = [...new Map(written.map(word => [word.toLowerCase(), word])).values()].filter(
    word => word !== '',
  )
  const observing = words.filter(word => !STOP_WORDS.has(word.toLowerCase()))
  return (observing.length > 0 ? observing : words)
    .slice(0, WORDS_MAX)
    .map(word => ({ word, isPrefix: word.length >= PREFIX_LENGTH_MIN }))
}

/** Returns the words for a second search if no service has all of them. */
export function lenientWords(words: readonly SoughtWord[]): readonly SoughtWord[] {
  return words.slice(0, LENIENT_WORDS_MAX)
}

/** Returns true if a word may be misspelt: names with digits are exact. */
export function isCorrectable({ word }: SoughtWord): boolean {
  return CORRECTABLE.test(word)
}

/** Returns corrections of a typed word: known words that differ by one or two edits, nearest first. */
export function correctionsOf(word: string, known: readonly string[]): string[] {
  const edits = word.length >= TWO_EDITS_LENGTH_MIN ? 2 : 1
  return known
    .map(candidate => ({ candidate, distance: distanceBetween(word, candidate, edits) }))
    .filter(({ candidate, distance }) => distance <= edits && candidate !== word)
    .sort((a, b) => a.distance - b.distance || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, CORRECTIONS_MAX)
    .map(({ candidate }) => candidate)
}

/**
 * Optimal string alignment distance: deletions, insertions, substitutions and swaps of neighbours.
 *
 * @param max larger distances need not be exact
 */
function distanceBetween(a: string, b: string, max: number): number {
  if (Math.abs(a.length - b.length) > max) return max + 1
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a[i - 1] === b[j - 1]
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const replaced = at(row, j - 1) + (isSame ? 0 : 1)
      const swapped = isSwapped ? at(before, j - 2) + 1 : Number.POSITIVE_INFINITY
      next.push(Math.min(at(row, j) + 1, at(next, j - 1) + 1, replaced, swapped))
    }
    before = row
    row = next
  }
  return at(row, b.length)
}

const at = (row: readonly number[], index: number): number => row[index] ?? Number.POSITIVE_INFINITY

/**
 * Returns every majority of `count` things: `[[0, 1], [0, 2], [1, 2]]` for three.
 *
 * @param count at most {@link LENIENT_WORDS_MAX}
 */
export function majoritiesOf(count: number): number[][] {
  const size = Math.floor(count / 2) + 1
  const choices: number[][] = []
  for (let mask = 0; mask < 2 ** count; mask += 1) {
    const chosen = Array.from({ length: count }, (_, index) => index).filter(
      index => Math.floor(mask / 2 ** index) % 2 === 1,
    )
    if (chosen.length === size) choices.push(chosen)
  }
  return choices
}
