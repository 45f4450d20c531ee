/** Maximum length of a pattern, in characters. */
const PATTERN_LENGTH_MAX = 1_000
/** Maximum nesting of groups. */
const GROUP_DEPTH_MAX = 50
/** Maximum different character classes and escapes of all patterns of a schema: each takes up to 0.3 ms. */
const CLASSES_MAX = 200
/** Maximum Unicode properties, such as `\p{L}`, in them: each takes up to a ms. */
const PROPERTIES_MAX = 50
const ASCII = 128

/** An unsupported pattern; the message says why. */
export class PatternError extends Error {
  override readonly name = 'PatternError'
}

/** Stands for "no code point": before the first and after the last of a text. */
export const NOTHING = -1

/** Matches a code point. */
export type Matches = (codePoint: number) => boolean
/** Tests the position between two code points; {@link NOTHING} at the ends of the text. */
export type Holds = (before: number, after: number) => boolean

/** A parsed pattern. */
export type PatternNode =
  | { readonly kind: 'one'; readonly matches: Matches }
  | { readonly kind: 'assert'; readonly holds: Holds }
  | { readonly kind: 'sequence'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly branches: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly part: PatternNode; readonly min: number; readonly max: number }

const isWord: Matches = codePoint => codePoint !== NOTHING && /^\w$/.test(String.fromCodePoint(codePoint))
const assertions: ReadonlyMap<string, Holds> = new Map<string, Holds>([
  ['^', before => before === NOTHING],
  ['$', (_before, after) => after === NOTHING],
  ['\\b', (before, after) => isWord(before) !== isWord(after)],
  ['\\B', (before, after) => isWord(before) === isWord(after)],
])

const ESCAPE =
  /\\(?:[pP]\{[^}]*\}|u\{[0-9a-fA-F]+\}|u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|.)/suy
const CLASS = /\[(?:\\.|[^\]\\])*\]/suy
const CHARACTER = /./suy
const QUANTIFIER = /([*+?]|\{(\d+)(,?)(\d*)\})\??/uy
const GROUP_START = /\((?:\?:|\?<[A-Za-z_$][\w$]*>)?/uy

/** Returns the matcher of an atom of a pattern; throws PatternError beyond the limits of a schema. */
export type Matchers = (source: string) => Matches

/**
 * Parses a regular expression (ECMAScript syntax, `u` mode).
 *
 * @param matchers of the schema: see {@link createMatchers}
 * @throws PatternError if it is malformed, too long, or uses look-around or back-references
 */
export function parsePattern(pattern: string, matchers: Matchers): PatternNode {
  if (pattern.length > PATTERN_LENGTH_MAX) throw new PatternError('The pattern is too long.')
  try {
    new RegExp(pattern, 'u')
  } catch (error) {
    throw new PatternError('The pattern is not a regular expression.', { cause: error })
  }
  return new PatternReader(pattern, matchers).choice(0)
}

/** Parses a pattern of valid syntax. */
class PatternReader {
  readonly #pattern: string
  readonly #matchers: Matchers
  #at = 0

  constructor(pattern: string, matchers: Matchers) {
    this.#pattern = pattern
    this.#matchers = matchers
  }

  choice(depth: number): PatternNode {
    if (depth > GROUP_DEPTH_MAX) throw new PatternError('The groups of the pattern are nested too deep.')
    const branches = [this.#sequence(depth)]
    while (this.#next === '|') {
      this.#at += 1
      branches.push(this.#sequence(depth))
    }
    return { kind: 'choice', branches }
  }

  get #next(): string {
    return this.#pattern.charAt(this.#at)
  }

  #take(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.#at
    const match = expression.exec(this.#pattern)
    if (match !== null) this.#at = expression.lastIndex
    return match
  }

  #sequence(depth: number): PatternNode {
    const parts: PatternNode[] = []
    while (!['', '|', ')'].includes(this.#next)) parts.push(this.#repeated(depth))
    return { kind: 'sequence', parts }
  }

  #repeated(depth: number): PatternNode {
    const part = this.#next === '(' ? this.#group(depth) : this.#atom()
    const match = this.#take(QUANTIFIER)
    if (match === null) return part
    const [, sign = '', min = '', comma, max = ''] = match
    if (sign === '?') return { kind: 'repeat', part, min: 0, max: 1 }
    if (sign === '*' || sign === '+') {
      return { kind: 'repeat', part, min: sign === '+' ? 1 : 0, max: Number.POSITIVE_INFINITY }
    }
    const most = max === '' ? Number.POSITIVE_INFINITY : Number(max)
    return { kind: 'repeat', part, min: Number(min), max: comma === '' ? Number(min) : most }
  }

  #group(depth: number): PatternNode {
    this.#take(GROUP_START)
    if (this.#next === '?') throw new PatternError('Look-around and flags are not supported in patterns.')
    const inner = this.choice(depth + 1)
    this.#at += 1 // the closing parenthesis
    return inner
  }

  #atom(): PatternNode {
    const [source] = this.#take(ESCAPE) ?? this.#take(CLASS) ?? this.#take(CHARACTER) ?? ['']
    const holds = assertions.get(source)
    if (holds !== undefined) return { kind: 'assert', holds }
    if (/^\\[1-9k]/.test(source)) throw new PatternError('Back-references are not supported in patterns.')
    return { kind: 'one', matches: this.#matchers(source) }
  }
}

/** Creates the matchers of a schema. Equal atoms of its patterns have one; all together are bounded. */
export function createMatchers(): Matchers {
  const known = new Map<string, Matches>()
  let properties = 0
  return source => {
    const code = source.codePointAt(0)
    if (code !== undefined && source !== '.' && source === String.fromCodePoint(code))
      return other => other === code
    const before = known.get(source)
    if (before !== undefined) return before
    properties += source.match(/\\p\{/gi)?.length ?? 0
    if (known.size === CLASSES_MAX || properties > PROPERTIES_MAX)
      throw new PatternError('The patterns have too many character classes.')
    const made = matcherOf(source)
    known.set(source, made)
    return made
  }
}

/** Returns a matcher of one code point for a class or an escape: a table for ASCII, JavaScript's engine for the rest. */
function matcherOf(source: string): Matches {
  const expression = new RegExp(`^${source}$`, 'u')
  const table = Array.from({ length: ASCII }, (_, code) => expression.test(String.fromCodePoint(code)))
  return code => (code < ASCII ? table[code] === true : expression.test(String.fromCodePoint(code)))
}
