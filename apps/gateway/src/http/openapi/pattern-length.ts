/** One repeatable piece of a pattern: an escape, a class, or a character. */
const ATOM = /\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[pP]\{[^}]*\}|.)|\[(?:\\.|[^\]\\])*\]|[^()|]/suy
const GROUP_START = /\((\?[:=!]|\?<[=!])?/uy
const QUANTIFIER = /(?:([*+])|(\?)|\{(\d+)(,?)(\d*)\})\??/uy
const ASSERTIONS: ReadonlySet<string> = new Set(['^', '$', '\\b', '\\B'])

/**
 * Returns the maximum length of text that an anchored pattern allows, in characters; null if unlimited. For the
 * patterns of our own schemas, to publish the length as `maxLength`.
 */
export function longestMatch(pattern: string): number | null {
  if (!pattern.startsWith('^') || !pattern.endsWith('$')) return null
  const length = new Reader(pattern).choice()
  return Number.isFinite(length) ? length : null
}

class Reader {
  readonly #pattern: string
  #at = 0

  constructor(pattern: string) {
    this.#pattern = pattern
  }

  /** Maximum length of several branches. */
  choice(): number {
    let longest = this.#sequence()
    while (this.#pattern[this.#at] === '|') {
      this.#at += 1
      longest = Math.max(longest, this.#sequence())
    }
    return longest
  }

  #sequence(): number {
    let length = 0
    while (this.#at < this.#pattern.length && !'|)'.includes(this.#pattern[this.#at] ?? '')) {
      const one = this.#piece()
      const times = this.#times()
      length += one === 0 || times === 0 ? 0 : one * times
    }
    return length
  }

  #piece(): number {
    const group = this.#take(GROUP_START)
    if (group !== null) {
      const isLook = group[1] !== undefined && group[1] !== '?:'
      const inner = this.choice()
      this.#at += 1
      return isLook ? 0 : inner
    }
    const [atom = ''] = this.#take(ATOM) ?? []
    if (atom === '') this.#at += 1
    return ASSERTIONS.has(atom) ? 0 : 1
  }

  #times(): number {
    const found = this.#take(QUANTIFIER)
    if (found === null) return 1
    const [, endless, maybe, exactly, comma, most] = found
    if (endless !== undefined) return Number.POSITIVE_INFINITY
    if (maybe !== undefined) return 1
    if (comma === '') return Number(exactly)
    return most === '' ? Number.POSITIVE_INFINITY : Number(most)
  }

  #take(what: RegExp): RegExpExecArray | null {
    what.lastIndex = this.#at
    const found = what.exec(this.#pattern)
    if (found !== null) this.#at = what.lastIndex
    return found
  }
}
