/**
 * A text as it looks to a reader, for comparing: without what is invisible, and with one form for the many in which
 * Unicode has a letter, a digit, a dash or a blank. It remembers where in the text each of its characters stands.
 */
export type Folded = {
  readonly text: string
  /** Where, in the text that was folded, the characters `start` to `end` of the folded one stand. */
  sourceOf(range: { start: number; end: number }): { start: number; end: number }
}

const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u
/** The minus sign, U+2212, looks like one and is none to Unicode. */
const DASH = /[\p{Pd}\u2212]/u
const BLANK = /\p{Zs}/u
const DIGIT = /\p{Nd}/u
const DIGITS = /\p{Nd}/gu
/** Digits of one writing stand side by side, from zero to nine; some writings have two such tens in a row. */
const TEN = 10

/** Folds a text, in one pass. */
export function fold(source: string): Folded {
  const parts: string[] = []
  const starts: number[] = []
  const ends: number[] = []
  let at = 0
  for (const character of source) {
    const end = at + character.length
    const folded = character < '\u0080' ? character : foldCharacter(character)
    for (let unit = 0; unit < folded.length; unit += 1) {
      starts.push(at)
      ends.push(end)
    }
    parts.push(folded)
    at = end
  }
  return {
    text: parts.join(''),
    sourceOf: ({ start, end }) => ({ start: starts[start] ?? source.length, end: ends[end - 1] ?? 0 }),
  }
}

function foldCharacter(character: string): string {
  if (INVISIBLE.test(character)) return ''
  if (DASH.test(character)) return '-'
  if (BLANK.test(character)) return ' '
  if (character === '\u3002') return '.' // the full stop of ideographs, which domains may be written with
  return character.normalize('NFKC').replaceAll(DIGITS, digitOf)
}

/** A decimal digit of any writing as one of ours: counts down over the tens of digits that stand side by side. */
function digitOf(digit: string): string {
  const code = digit.codePointAt(0) ?? 0
  let before = 0
  while (DIGIT.test(String.fromCodePoint(code - before - 1))) before += 1
  return String(before % TEN)
}
