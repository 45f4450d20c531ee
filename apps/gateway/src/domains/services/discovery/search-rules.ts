/** Words of one text that are looked for; the rest of a longer text does not narrow it further. */
const WORDS_MAX = 16
/** Words that a text with misspelt ones is looked for by: every majority of them is tried. */
const LENIENT_WORDS_MAX = 6
/** Shorter words stand for themselves only: too many begin like them. */
const PREFIX_LENGTH_MIN = 3
/** Words that may be misspelt: shorter ones are like too many others, longer ones are no words. */
const CORRECTABLE = /^[^\d]{4,32}$/
/** Words that a misspelt one may stand for. */
const CORRECTIONS_MAX = 4
/** From this length on a word may differ in two places. */
const TWO_EDITS_LENGTH_MIN = 6

/** Words that nearly every English text has; they find nothing in particular. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  `a an and are as at be by can do for from get has have how i in into is it its me my need of on or our please some
   something that the their them they this to us want we what which will with you your`.split(/\s+/),
)

/**
 * A word to look for, folded but for its capitals; `isPrefix` when words that begin with it count as well.
 */
export type SoughtWord = { readonly word: string; readonly isPrefix: boolean }

/**
 * A text as it is searched for and found: without accents, punctuation taken for spaces. The function `fold_text` of
 * the database does the same to what is found, and takes small letters for capitals in both: only one of us may say
 * what a capital is, for every version of Unicode has more of them.
 */
export function foldText(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .replaceAll(FOLDED_TO_SPACE, ' ')
}

const FOLDED_TO_SPACE = /[\t\n\r -/:-@[-`{-\u00bf\u2000-\u206f\u3000-\u303f]+/g

/**
 * The words of a text, each once, without those that mean nothing; all of them when there are no others.
 */
export function wordsOf(text: string): SoughtWord[] {
  const written = foldText(text).split(/\s+/)
  const words = [...new Map(written.map(word => [word.toLowerCase(), word])).values()].filter(
    word => word !== '',
  )
  const telling = words.filter(word => !STOP_WORDS.has(word.toLowerCase()))
  return (telling.length > 0 ? telling : words)
    .slice(0, WORDS_MAX)
    .map(word => ({ word, isPrefix: word.length >= PREFIX_LENGTH_MIN }))
}

/** The words that a text is looked for by when not all of them were found together. */
export function lenientWords(words: readonly SoughtWord[]): readonly SoughtWord[] {
  return words.slice(0, LENIENT_WORDS_MAX)
}

/** Whether a word may be a misspelt one: names with digits in them are one way or they are another. */
export function isCorrectable({ word }: SoughtWord): boolean {
  return CORRECTABLE.test(word)
}

/**
 * What a word that was typed may have meant: known words that differ from it by no more than a slip or two, the
 * nearest first.
 */
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
 * Optimal string alignment distance: letters left out, put in, taken for another, or swapped with the next.
 *
 * @param max what lies above it need not be told exactly
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
 * Every way to choose more than half of some things: `[[0, 1], [0, 2], [1, 2]]` of three.
 *
 * @param count how many there are, at most {@link LENIENT_WORDS_MAX}
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
