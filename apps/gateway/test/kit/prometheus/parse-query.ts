/** A matcher of a selector, `{label="value"}`. */
export type Matcher = { readonly label: string; readonly op: string; readonly value: string }

/** The syntax tree of a query. */
export type Query =
  | { readonly kind: 'number'; readonly value: number }
  | {
      readonly kind: 'selector'
      readonly name: string
      readonly matchers: readonly Matcher[]
      /** Length of a range in ms; null for an instant vector. */
      readonly rangeMs: number | null
    }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Query[] }
  | {
      readonly kind: 'aggregate'
      readonly name: string
      /** Null: over everything. */
      readonly by: readonly string[]
      readonly of: Query
    }
  | {
      readonly kind: 'binary'
      readonly op: string
      readonly left: Query
      readonly right: Query
      /** Labels that both sides are matched on; null: all. */
      readonly on: readonly string[] | null
    }

const TOKENS =
  /\s*([a-zA-Z_:][\w:]*|"(?:[^"\\]|\\.)*"|\d+(?:\.\d+)?(?:e[+-]?\d+)?(?:[smhd])?|[<>=!]=|=~|!~|[-+*/%<>=(){}[\],])/y
const AGGREGATES = ['sum', 'min', 'max', 'count']
const UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }
/** From the weakest. */
const PRECEDENCE = [
  ['or'],
  ['and', 'unless'],
  ['==', '!=', '<=', '>=', '<', '>'],
  ['+', '-'],
  ['*', '/', '%'],
] as const

/**
 * Parses a query in the part of PromQL that our alerts and our board use: selectors, ranges, functions, `sum`, `min`, `max` and `count`
 * with `by`, and binary operators with `on`.
 *
 * @throws Error at anything else
 */
export function parseQuery(text: string): Query {
  const parser = new Parser(tokensOf(text))
  const query = parser.binary(0)
  parser.end()
  return query
}

/** Returns a duration such as `5m` in ms. */
export function durationMs(text: string): number {
  const [, count, unit = ''] = /^(\d+)([smhd])$/.exec(text) ?? []
  const unitMs = UNITS_MS[unit]
  if (count === undefined || unitMs === undefined) throw new Error(`This is no duration: ${text}`)
  return Number(count) * unitMs
}

function tokensOf(text: string): string[] {
  const tokens: string[] = []
  TOKENS.lastIndex = 0
  while (TOKENS.lastIndex < text.trimEnd().length) {
    const at = TOKENS.lastIndex
    const [, token] = TOKENS.exec(text) ?? []
    if (token === undefined) throw new Error(`This is no PromQL: ${text.slice(at)}`)
    tokens.push(token)
  }
  return tokens
}

class Parser {
  readonly #tokens: readonly string[]
  #at = 0

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens
  }

  /** Parses operators of this precedence and of stronger ones. */
  binary(level: number): Query {
    const ops: readonly string[] | undefined = PRECEDENCE[level]
    if (ops === undefined) return this.#operand()
    let left = this.binary(level + 1)
    while (ops.includes(this.#next)) {
      const op = this.#take()
      const on = this.#takeIf('on') ? this.#labels() : null
      left = { kind: 'binary', op, left, right: this.binary(level + 1), on }
    }
    return left
  }

  end(): void {
    if (this.#at < this.#tokens.length) throw new Error(`Unexpected: ${this.#next}`)
  }

  get #next(): string {
    return this.#tokens[this.#at] ?? ''
  }

  #take(expected?: string): string {
    const token = this.#next
    if (token === '' || (expected !== undefined && token !== expected))
      throw new Error(`Expected ${expected ?? 'more'}, found ${token === '' ? 'the end' : token}`)
    this.#at += 1
    return token
  }

  #takeIf(token: string): boolean {
    const isNext = this.#next === token
    if (isNext) this.#at += 1
    return isNext
  }

  #operand(): Query {
    if (this.#takeIf('(')) {
      const inner = this.binary(0)
      this.#take(')')
      return inner
    }
    const token = this.#take()
    if (/^\d/.test(token)) return { kind: 'number', value: Number(token) }
    if (AGGREGATES.includes(token)) {
      const by = this.#takeIf('by') ? this.#labels() : []
      const [of] = this.#args()
      if (of === undefined) throw new Error(`${token} of nothing`)
      return { kind: 'aggregate', name: token, by, of }
    }
    if (this.#next === '(') return { kind: 'call', name: token, args: this.#args() }
    if (!/^[a-zA-Z_:]/.test(token)) throw new Error(`Unexpected: ${token}`)
    return this.#selector(token)
  }

  #args(): Query[] {
    const args: Query[] = []
    this.#take('(')
    while (this.#next !== ')') {
      if (args.length > 0) this.#take(',')
      args.push(this.binary(0))
    }
    this.#take(')')
    return args
  }

  #labels(): string[] {
    const labels: string[] = []
    this.#take('(')
    while (this.#next !== ')') {
      if (labels.length > 0) this.#take(',')
      labels.push(this.#take())
    }
    this.#take(')')
    return labels
  }

  #selector(name: string): Query {
    const matchers: Matcher[] = []
    if (this.#takeIf('{')) {
      while (this.#next !== '}') {
        if (matchers.length > 0) this.#take(',')
        const [label, op, quoted] = [this.#take(), this.#take(), this.#take()]
        matchers.push({ label, op, value: JSON.parse(quoted) as string })
      }
      this.#take('}')
    }
    if (!this.#takeIf('[')) return { kind: 'selector', name, matchers, rangeMs: null }
    const rangeMs = durationMs(this.#take())
    this.#take(']')
    return { kind: 'selector', name, matchers, rangeMs }
  }
}
