import { z } from 'zod'

/** Control, format (direction, zero width), lone surrogate and private characters, line and paragraph separators. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u
/** Whole emoji: the one place where a joiner of zero width belongs. */
const EMOJI = /\p{RGI_Emoji}/gv
/** Letters by category, blanks by look: the Hangul fillers and the empty Braille cell. */
const BLANKS = /[\s\p{M}\u115f\u1160\u2800\u3164\uffa0]/gu
/** Marks upon marks that reach into the lines above and below. */
const PILED_MARKS = /\p{M}{5}/u

/**
 * Whether a text may be shown as somebody's name: printable, in one direction, something to see, nothing that
 * spills over its neighbours.
 */
function isPlainName(text: string): boolean {
  const shown = text.replaceAll(BLANKS, '')
  return (
    shown !== '' && !UNPRINTABLE.test(text.replaceAll(EMOJI, '')) && !PILED_MARKS.test(text.normalize('NFD'))
  )
}

/** Writing systems that one word may mix, by their names in Unicode: Japanese, Korean and Chinese do. */
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
 * Returns whether each word of a name is written in one writing system. A word that mixes them imitates another: the
 * Cyrillic a in an otherwise Latin word looks like the Latin one (Unicode Technical Standard 39, 5).
 */
function isOfOneScript(text: string): boolean {
  return (text.match(WORDS) ?? []).every(word => {
    const used = WRITING_SYSTEMS.filter(({ some }) => some.test(word))
    return used.length === 0 || used.some(({ all }) => all.test(word))
  })
}

/**
 * A name that is shown to people: in Unicode's composed form (NFC), printable, no word of mixed scripts.
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
