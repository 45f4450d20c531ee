import { z } from 'zod'

/** Control, format (direction, zero width), lone surrogate and private characters, line and paragraph separators. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u
/** Emoji, the only sequences that may contain a zero-width joiner. */
const EMOJI = /\p{RGI_Emoji}/gv
/** Characters that render blank, including letters by category: the Hangul fillers and the empty Braille cell. */
const BLANKS = /[\s\p{M}\u115f\u1160\u2800\u3164\uffa0]/gu
/** Stacked combining marks that overlap adjacent lines. */
const PILED_MARKS = /\p{M}{5}/u

/**
 * Returns true if a text can be shown as a name: printable, without direction overrides, not blank, and without stacked
 * marks.
 */
function isPlainName(text: string): boolean {
  const shown = text.replaceAll(BLANKS, '')
  return (
    shown !== '' && !UNPRINTABLE.test(text.replaceAll(EMOJI, '')) && !PILED_MARKS.test(text.normalize('NFD'))
  )
}

/** Line breaks and other controls, and characters that turn the direction of the text around them. */
const DISTURBING = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u

/**
 * Returns true if a text disturbs nothing that is shown beside it: no line breaks, direction overrides or stacked marks.
 * Joiners, which some languages write with, are allowed.
 */
export function fitsInLine(text: string): boolean {
  return !DISTURBING.test(text) && !PILED_MARKS.test(text.normalize('NFD'))
}

/** Groups of scripts that one word may mix, by their Unicode names. Japanese, Korean and Chinese mix several. */
const WRITING_SYSTEMS = [
  ['Latin'],
  ['Cyrillic'],
  ['Greek'],
  ['Armenian'],
  ['Georgian'],
  ['Hebrew'],
  ['Arabic'],
  ['Devanagari'],
  ['Bengali'],
  ['Tamil'],
  ['Telugu'],
  ['Thai'],
  ['Cherokee'],
  ['Coptic'],
  ['Han', 'Hiragana', 'Katakana', 'Bopomofo'],
  ['Hangul', 'Han'],
].map(scripts => {
  const letters = scripts.map(script => `\\p{Script_Extensions=${script}}`).join('')
  return {
    some: new RegExp(`[${letters}]`, 'u'),
    all: new RegExp(`^[${letters}\\p{Script=Common}\\p{Script=Inherited}]+$`, 'u'),
  }
})
const WORDS = /\p{L}+/gu

/**
 * Returns true if each word of a name uses one writing system. A word that mixes them may imitate another: the Cyrillic
 * a in an otherwise Latin word looks like the Latin one (Unicode Technical Standard 39, 5).
 */
function isOfOneScript(text: string): boolean {
  return (text.match(WORDS) ?? []).every(word => {
    const used = WRITING_SYSTEMS.filter(({ some }) => some.test(word))
    return used.length === 0 || used.some(({ all }) => all.test(word))
  })
}

/**
 * Returns a schema of a display name: normalized to NFC, printable, no word of mixed scripts.
 *
 * @param lengthMax in UTF-16 code units
 */
export function shownName(lengthMax: number) {
  return z
    .string()
    .normalize('NFC')
    .min(1)
    .max(lengthMax)
    .refine(isPlainName, 'Must be printable text that is not blank.')
    .refine(isOfOneScript, 'Must not mix scripts, such as Latin and Cyrillic, in one word.')
    .meta({ pattern: '^[^\\u0000-\\u001F\\u007F]*$' })
}
