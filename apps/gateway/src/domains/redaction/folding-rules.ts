/**
 * A text folded for comparison: without invisible characters and percent-encoding, and with one form for the variants
 * of letters, digits, dashes and blanks in Unicode. Maps positions back to the original text.
 */
export type Folded = {
  readonly text: string
  /** Returns the range of the original text for a range of the folded one. */
  sourceOf(range: { start: number; end: number }): { start: number; end: number }
}

const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u
/** Includes the minus sign, U+2212, which Unicode does not classify as a dash. */
const DASH = /[\p{Pd}\u2212]/u
const BLANK = /\p{Zs}/u
const DIGIT = /\p{Nd}/u
const DIGITS = /\p{Nd}/gu
/** Digits of a script have consecutive code points from zero to nine; some scripts have two such runs in a row. */
const TEN = 10

/** A percent-encoded octet (RFC 3986), also one that was encoded several times. */
const ENCODED = /%(?:25)*([0-9a-f]{2})/iy

/** Folds a text, in one pass. */
export function fold(source: string): Folded {
  const parts: string[] = []
  const starts: number[] = []
  const ends: number[] = []
  let at = 0
  while (at < source.length) {
    const { folded, end } = foldNext(source, at)
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

/** Folds the character, or the percent-encoded octet, at an index. Returns the index after it. */
function foldNext(source: string, at: number): { folded: string; end: number } {
  const character = String.fromCodePoint(source.codePointAt(at) ?? 0)
  if (character === '%') {
    ENCODED.lastIndex = at
    const [whole, octet] = ENCODED.exec(source) ?? []
    if (whole !== undefined) return { folded: foldOctet(Number(`0x${octet}`)), end: at + whole.length }
  }
  const folded = character < '\u0080' ? character : foldCharacter(character)
  return { folded, end: at + character.length }
}

/** Control characters separate words. An octet above ASCII is part of a character, and no part of a secret. */
function foldOctet(octet: number): string {
  if (octet < 0x20 || octet === 0x7f) return ' '
  return octet < 0x80 ? String.fromCharCode(octet) : '\ufffd'
}

function foldCharacter(character: string): string {
  if (INVISIBLE.test(character)) return ''
  if (DASH.test(character)) return '-'
  if (BLANK.test(character)) return ' '
  if (character === '\u3002') return '.' // the ideographic full stop, which is allowed in domains
  return character.normalize('NFKC').replaceAll(DIGITS, digitOf)
}

/** Returns the ASCII digit for a decimal digit of any script. Searches down for the start of its run. */
function digitOf(digit: string): string {
  const code = digit.codePointAt(0) ?? 0
  let before = 0
  while (DIGIT.test(String.fromCodePoint(code - before - 1))) before += 1
  return String(before % TEN)
}
