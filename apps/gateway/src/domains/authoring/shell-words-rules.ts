/** The words of a command, and what of it was not read as a shell would. */
export type ShellWords = {
  readonly words: readonly string[]
  /** Shell features that were met, each once: they were taken literally, or ended the command. */
  readonly notes: readonly ShellNote[]
}

/** A feature of shells that is not had here. */
export type ShellNote = 'variable' | 'substitution' | 'operator' | 'more_lines' | 'ampersand'

/** Why a text is no command: a quote that is never closed. */
export class ShellSyntaxError extends Error {
  override readonly name = 'ShellSyntaxError'
}

/** Escapes of `$'...'` that are one letter (bash, ANSI-C quoting). */
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
const OPERATORS = '|&;<>()'

/**
 * Splits a command as a POSIX shell does, and runs nothing: quotes ('...', "...", $'...'), escapes, continued lines
 * and comments are read; variables and substitutions stay as they are written; what comes after an operator or on
 * another line is left out. One pass over the text.
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

  /** The next word; null at the end of the command. */
  next(): string | null {
    this.#skipBlanks()
    if (this.#at >= this.#text.length || this.#isEndOfLine()) return null
    const start = this.#at
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

  /** Blanks, continued lines and comments. A line that goes on with an option is taken for a continued one. */
  #skipBlanks(): void {
    const blanks = /(?:[ \t]|[\\^][ \t]*\n|\n(?=[ \t]*-))*(?:#[^\n]*)?/y
    blanks.lastIndex = this.#at
    if (blanks.test(this.#text)) this.#at = blanks.lastIndex
  }

  /** Whether the command ends here, with its line. */
  #isEndOfLine(): boolean {
    if (this.#text.charAt(this.#at) !== '\n') return false
    if (this.#text.slice(this.#at).trim() !== '') this.notes.add('more_lines')
    return true
  }

  /** `a&b` without quotes is what people paste of URLs; a shell would part it, which nobody means. */
  #isInWord(start: number): boolean {
    const isAmpersand = this.#text.charAt(this.#at) === '&' && this.#at > start
    const isInside = isAmpersand && /[^\s&;|<>()]/.test(this.#text.charAt(this.#at + 1))
    if (isInside) this.notes.add('ampersand')
    return isInside
  }

  /** One piece of a word: a character, an escape or a quoted text. */
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
