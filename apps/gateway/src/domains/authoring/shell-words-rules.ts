/** The words of a command, and what was not read as by a shell. */
export type ShellWords = {
  readonly words: readonly string[]
  /** Shell features that occurred, each once: they were taken literally, or ended the command. */
  readonly notes: readonly ShellNote[]
}

/** A shell feature that is not supported here. */
export type ShellNote = 'variable' | 'substitution' | 'operator' | 'more_lines' | 'ampersand'

/** Syntax error of a command: an unclosed or typographic quote. */
export class ShellSyntaxError extends Error {
  override readonly name = 'ShellSyntaxError'
}

/** Single-letter escapes of `$'...'` (bash, ANSI-C quoting). */
const LETTERS: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  e: '\x1b',
  E: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}
const CODE_POINT_MAX = 0x10_ffff
const BLANK = /[ \t]/
/** Quotes and dashes that text processors and chats write in place of plain ones. Shells and curl take none of them as such. */
const TYPOGRAPHIC = /[“”„‘’‚«»–—]/
const OPERATORS = '|&;<>()'

/**
 * Splits a command like a POSIX shell, without running anything: handles quotes ('...', "...", $'...'), escapes,
 * continued lines and comments; keeps variables and substitutions literally; ignores everything after an operator or on
 * another line. One pass over the text.
 *
 * @throws ShellSyntaxError
 */
export function splitWords(text: string): ShellWords {
  const reader = new Reader(text)
  const words: string[] = []
  for (let word = reader.next(); word !== null; word = reader.next()) words.push(word)
  return { words, notes: [...reader.notes] }
}

class Reader {
  readonly notes = new Set<ShellNote>()
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text.replaceAll('\r\n', '\n')
  }

  /** Returns the next word; null at the end of the command. */
  next(): string | null {
    this.#skipBlanks()
    if (this.#at >= this.#text.length || this.#isEndOfLine()) return null
    const start = this.#at
    const first = this.#text.charAt(start)
    if (TYPOGRAPHIC.test(first))
      throw new ShellSyntaxError(`A word begins with ${first}: write plain quotes (' or ") and dashes (-).`)
    const word: string[] = []
    while (this.#at < this.#text.length) {
      const char = this.#text.charAt(this.#at)
      if (BLANK.test(char) || char === '\n') break
      if (OPERATORS.includes(char) && !this.#isInWord(start)) {
        this.notes.add('operator')
        const isEmpty = this.#at === start
        this.#at = this.#text.length
        if (isEmpty) return null
        break
      }
      word.push(this.#piece(char))
    }
    return word.join('')
  }

  /** Skips blanks, continued lines and comments. A line that begins with an option counts as continued. */
  #skipBlanks(): void {
    const blanks = /(?:[ \t]|[\\^][ \t]*\n|\n(?=[ \t]*-))*(?:#[^\n]*)?/y
    blanks.lastIndex = this.#at
    if (blanks.test(this.#text)) this.#at = blanks.lastIndex
  }

  /** True if the command ends here, with its line. */
  #isEndOfLine(): boolean {
    if (this.#text.charAt(this.#at) !== '\n') return false
    if (this.#text.slice(this.#at).trim() !== '') this.notes.add('more_lines')
    return true
  }

  /** `a&b` without quotes is usually a pasted URL; a shell would split it, which nobody intends. */
  #isInWord(start: number): boolean {
    const isAmpersand = this.#text.charAt(this.#at) === '&' && this.#at > start
    const isInside = isAmpersand && /[^\s&;|<>()]/.test(this.#text.charAt(this.#at + 1))
    if (isInside) this.notes.add('ampersand')
    return isInside
  }

  /** Reads one piece of a word: a character, an escape or a quoted text. */
  #piece(char: string): string {
    this.#at += 1
    if (char === "'") return this.#until("'")
    if (char === '"') return this.#doubleQuoted()
    if (char === '\\') return this.#escaped()
    if (char === '`') this.notes.add('substitution')
    if (char !== '$') return char
    const next = this.#text.charAt(this.#at)
    if (next === "'") {
      this.#at += 1
      return this.#ansiQuoted()
    }
    this.#noteDollar(next)
    return char
  }

  #escaped(): string {
    const char = this.#text.charAt(this.#at)
    this.#at += char.length
    return char === '\n' ? '' : char
  }

  #until(quote: string): string {
    const end = this.#text.indexOf(quote, this.#at)
    if (end === -1) throw new ShellSyntaxError(`A ${quote} is never closed.`)
    const quoted = this.#text.slice(this.#at, end)
    this.#at = end + 1
    return quoted
  }

  #doubleQuoted(): string {
    const out: string[] = []
    while (this.#at < this.#text.length) {
      const char = this.#text.charAt(this.#at)
      this.#at += 1
      if (char === '"') return out.join('')
      const next = this.#text.charAt(this.#at)
      if (char === '\\' && next !== '' && '$`"\\\n'.includes(next)) {
        this.#at += 1
        if (next !== '\n') out.push(next)
        continue
      }
      if (char === '`') this.notes.add('substitution')
      if (char === '$') this.#noteDollar(next)
      out.push(char)
    }
    throw new ShellSyntaxError('A " is never closed.')
  }

  #noteDollar(next: string): void {
    if (next === '(') this.notes.add('substitution')
    else if (/[A-Za-z0-9_{@*#?$!-]/.test(next)) this.notes.add('variable')
  }

  #ansiQuoted(): string {
    const out: string[] = []
    while (this.#at < this.#text.length) {
      const char = this.#text.charAt(this.#at)
      this.#at += 1
      if (char === "'") return out.join('')
      out.push(char === '\\' ? this.#ansiEscape() : char)
    }
    throw new ShellSyntaxError("A $' is never closed.")
  }

  #ansiEscape(): string {
    const form = /x([\da-fA-F]{1,2})|u([\da-fA-F]{1,4})|U([\da-fA-F]{1,8})|([0-7]{1,3})|([\s\S])/y
    form.lastIndex = this.#at
    const match = form.exec(this.#text)
    if (match === null) throw new ShellSyntaxError("A $' is never closed.")
    this.#at = form.lastIndex
    const [, hex, short, long, octal, char = ''] = match
    const digits = hex ?? short ?? long
    if (digits !== undefined || octal !== undefined) {
      const code = digits === undefined ? Number.parseInt(octal ?? '', 8) : Number.parseInt(digits, 16)
      return String.fromCodePoint(Math.min(code, CODE_POINT_MAX))
    }
    return LETTERS[char] ?? (`\\'"?`.includes(char) ? char : `\\${char}`)
  }
}
