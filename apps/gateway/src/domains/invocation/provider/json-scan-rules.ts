import { JSON_DEPTH_MAX } from '@farebox/wire/common'

/** Limits of JSON text that is read and passed on. */
export type JsonBounds = {
  /** Maximum nesting of arrays and objects. */
  readonly depthMax: number
  /** Maximum number of values, containers included. */
  readonly nodesMax: number
}

/** Limits of providers' answers. */
export const PROVIDER_JSON: JsonBounds = { depthMax: 64, nodesMax: 100_000 }

/**
 * Maximum members, of all objects, of a value that is built: many names take a hundred times longer to build than to
 * read.
 */
export const BUILT_MEMBERS_MAX = 10_000
/** Limits of one event of a stream: many repeat parts of the caller's request. */
const EVENT_JSON: JsonBounds = { depthMax: 2 * JSON_DEPTH_MAX, nodesMax: 500_000 }
/** Text up to this length is parsed without a scan, in characters: it cannot block. */
const UNREAD_LENGTH_MAX = 16_384

/** Returns true if text may be given to JSON.parse. */
export function mayBeBuilt(text: string): boolean {
  if (text.length <= UNREAD_LENGTH_MAX) return true
  const scan = scanJson(text, PROVIDER_JSON)
  return typeof scan !== 'string' && scan.members <= BUILT_MEMBERS_MAX
}

/** A value that was too expensive to build. */
export const UNREAD = Symbol('unread')

/**
 * Returns the value of an event's JSON text. If that is too expensive to build: an object of the members at `paths`,
 * each of which may be {@link UNREAD}.
 *
 * @param paths as for {@link scanJson}
 */
export function readEventJson(text: string, paths: readonly string[]): unknown {
  if (mayBeBuilt(text)) return JSON.parse(text)
  const scan = scanJson(text, EVENT_JSON, paths)
  if (scan === 'too_large') return UNREAD
  if (scan === 'invalid_json') throw new SyntaxError('The event is not JSON.')
  const members: Record<string, unknown> = {}
  for (const [path, part] of scan.texts) {
    const [name = '', inner] = path.split('.')
    const value: unknown = mayBeBuilt(part) ? JSON.parse(part) : UNREAD
    members[name] = inner === undefined ? value : Object.assign(members[name] ?? {}, { [inner]: value })
  }
  return members
}

/**
 * Returns true if JSON text is certainly within {@link PROVIDER_JSON}: too short for more values, and with few enough
 * opening brackets.
 */
export function isWithinBounds(text: string): boolean {
  if (text.length > UNREAD_LENGTH_MAX) return false
  let opened = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === OPEN_OBJECT || code === OPEN_ARRAY) opened += 1
  }
  return opened <= PROVIDER_JSON.depthMax
}

/** Result of a scan of JSON text, without building its value. */
export type JsonScan = {
  readonly kind: 'object' | 'array' | 'scalar'
  /** Members of all objects, which determine the cost of building. */
  readonly members: number
  /** Text of the requested members, by path; the last one of a path. */
  readonly texts: ReadonlyMap<string, string>
  /** Start positions of these texts. */
  readonly starts: ReadonlyMap<string, number>
}

const QUOTE = 0x22
const COMMA = 0x2c
const MINUS = 0x2d
const POINT = 0x2e
const ZERO = 0x30
const NINE = 0x39
const COLON = 0x3a
const OPEN_ARRAY = 0x5b
const BACKSLASH = 0x5c
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const SPACE = 0x20
const SPACES: ReadonlySet<number> = new Set([SPACE, 0x09, 0x0a, 0x0d])
const LITERALS = ['true', 'false', 'null'] as const
const ESCAPED = '"\\/bfnrt'
const UNICODE = /^[0-9a-fA-F]{4}$/

/**
 * Scans JSON text (RFC 8259) in one pass without building it, up to the first excess: many names or shapes of objects
 * make a value a hundred times more expensive to build than to pass on.
 *
 * @param paths members whose text is wanted: names of the outermost object, or two names with a point between them
 */
export function scanJson(
  text: string,
  bounds: JsonBounds,
  paths: readonly string[] = [],
): JsonScan | 'invalid_json' | 'too_large' {
  const scanner = new Scanner(text, bounds, paths)
  return scanner.scan()
}

class Scanner {
  readonly #text: string
  readonly #bounds: JsonBounds
  readonly #paths: ReadonlySet<string>
  /** Names of the outermost object that contain requested members. */
  readonly #around: ReadonlySet<string>
  readonly #texts = new Map<string, string>()
  readonly #starts = new Map<string, number>()
  /** The one that is scanned, or ''. */
  #outer = ''
  #at = 0
  #depth = 0
  #nodes = 0
  #members = 0
  #isTooLarge = false

  constructor(text: string, bounds: JsonBounds, paths: readonly string[]) {
    this.#text = text
    this.#bounds = bounds
    this.#paths = new Set(paths)
    this.#around = new Set(paths.flatMap(path => path.split('.').slice(0, -1)))
  }

  scan(): JsonScan | 'invalid_json' | 'too_large' {
    this.#skipSpace()
    const first = this.#code()
    const isRead = this.#value()
    if (this.#isTooLarge) return 'too_large'
    this.#skipSpace()
    if (!isRead || this.#at < this.#text.length) return 'invalid_json'
    const kind = first === OPEN_OBJECT ? 'object' : first === OPEN_ARRAY ? 'array' : 'scalar'
    return { kind, members: this.#members, texts: this.#texts, starts: this.#starts }
  }

  #code(): number {
    return this.#text.charCodeAt(this.#at)
  }

  #skipSpace(): void {
    while (SPACES.has(this.#code())) this.#at += 1
  }

  /** Skips a character if it is next after whitespace. */
  #skip(code: number): boolean {
    this.#skipSpace()
    if (this.#code() !== code) return false
    this.#at += 1
    return true
  }

  /** Scans the value that begins here; returns false if there is none, or one too many. */
  #value(): boolean {
    this.#nodes += 1
    if (this.#nodes > this.#bounds.nodesMax) return this.#exceed()
    const code = this.#code()
    if (code === OPEN_OBJECT) return this.#container(CLOSE_OBJECT)
    if (code === OPEN_ARRAY) return this.#container(CLOSE_ARRAY)
    if (code === QUOTE) return this.#string()
    if (code === MINUS || isDigit(code)) return this.#number()
    const literal = LITERALS.find(each => this.#text.startsWith(each, this.#at))
    if (literal === undefined) return false
    this.#at += literal.length
    return true
  }

  #exceed(): false {
    this.#isTooLarge = true
    return false
  }

  #container(close: number): boolean {
    this.#at += 1
    this.#depth += 1
    if (this.#depth > this.#bounds.depthMax) return this.#exceed()
    if (!this.#skip(close)) {
      do {
        this.#skipSpace()
        if (close === CLOSE_OBJECT ? !this.#member() : !this.#value()) return false
      } while (this.#skip(COMMA))
      if (!this.#skip(close)) return false
    }
    this.#depth -= 1
    return true
  }

  #member(): boolean {
    const nameAt = this.#at
    if (this.#code() !== QUOTE || !this.#string()) return false
    const nameEnd = this.#at
    if (!this.#skip(COLON)) return false
    this.#skipSpace()
    this.#members += 1
    const from = this.#at
    const isInside = this.#depth === 2 && this.#outer !== ''
    const name = this.#depth === 1 || isInside ? this.#text.slice(nameAt + 1, nameEnd - 1) : ''
    if (this.#depth === 1) this.#outer = this.#around.has(name) ? name : ''
    if (!this.#value()) return false
    const path = isInside ? `${this.#outer}.${name}` : name
    if (!this.#paths.has(path) || (!isInside && name.includes('.'))) return true
    this.#texts.set(path, this.#text.slice(from, this.#at))
    this.#starts.set(path, from)
    return true
  }

  #string(): boolean {
    for (this.#at += 1; this.#at < this.#text.length; this.#at += 1) {
      const code = this.#code()
      if (code === QUOTE) {
        this.#at += 1
        return true
      }
      if (code < SPACE) return false
      if (code === BACKSLASH && !this.#escape()) return false
    }
    return false
  }

  #escape(): boolean {
    this.#at += 1
    const escaped = this.#text.charAt(this.#at)
    if (escaped !== 'u') return escaped !== '' && ESCAPED.includes(escaped)
    const isUnicode = UNICODE.test(this.#text.slice(this.#at + 1, this.#at + 5))
    this.#at += 4
    return isUnicode
  }

  #number(): boolean {
    if (this.#code() === MINUS) this.#at += 1
    if (this.#code() === ZERO) this.#at += 1
    else if (!this.#digits()) return false
    if (this.#code() === POINT) {
      this.#at += 1
      if (!this.#digits()) return false
    }
    if (!'eE'.includes(this.#text.charAt(this.#at) || ' ')) return true
    this.#at += 1
    if ('+-'.includes(this.#text.charAt(this.#at) || ' ')) this.#at += 1
    return this.#digits()
  }

  #digits(): boolean {
    const from = this.#at
    while (isDigit(this.#code())) this.#at += 1
    return this.#at > from
  }
}

const isDigit = (code: number): boolean => code >= ZERO && code <= NINE
