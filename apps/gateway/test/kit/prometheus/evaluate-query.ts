import type { Matcher, Query } from './parse-query.ts'

export type Labels = Readonly<Record<string, string>>
/** A series with its samples: times in ms, in order. */
export type TimeSeries = {
  readonly labels: Labels
  readonly samples: readonly { readonly at: number; readonly value: number }[]
}
/** An element of an instant vector. */
export type Element = { readonly labels: Labels; readonly value: number }
/** Result of a query: a scalar or an instant vector. */
type Value = number | readonly Element[]

/** Age beyond which a sample is stale, in ms (Prometheus, querying basics, "Staleness"). */
const LOOKBACK_MS = 300_000
const NAME = '__name__'

/**
 * Evaluates a query at a time, in ms, as Prometheus 2 and 3 do.
 *
 * @throws Error at what {@link parseQuery} takes and this does not know
 */
export function evaluate(query: Query, series: readonly TimeSeries[], at: number): Value {
  const of = (part: Query) => evaluate(part, series, at)
  switch (query.kind) {
    case 'number':
      return query.value
    case 'selector':
      return select(query, series).flatMap(one => {
        const sample = one.samples.findLast(found => found.at <= at && found.at > at - LOOKBACK_MS)
        return sample === undefined ? [] : [{ labels: one.labels, value: sample.value }]
      })
    case 'call':
      return call(query, series, at)
    case 'aggregate':
      return aggregate(query.name, query.by, vectorOf(of(query.of)))
    case 'binary':
      return combine(query.op, of(query.left), of(query.right), query.on)
  }
}

type Selector = Extract<Query, { kind: 'selector' }>

function select({ name, matchers }: Selector, series: readonly TimeSeries[]): TimeSeries[] {
  return series.filter(
    ({ labels }) => labels[NAME] === name && matchers.every(matcher => matches(matcher, labels)),
  )
}

function matches({ label, op, value }: Matcher, labels: Labels): boolean {
  const own = labels[label] ?? ''
  const isLike = () => new RegExp(`^(?:${value})$`).test(own)
  if (op === '=') return own === value
  if (op === '!=') return own !== value
  if (op === '=~') return isLike()
  if (op === '!~') return !isLike()
  throw new Error(`Unknown matcher ${op}`)
}

function call(query: Extract<Query, { kind: 'call' }>, series: readonly TimeSeries[], at: number): Value {
  const { name, args } = query
  const [first, second] = args
  if (name === 'time') return at / 1_000
  if (first === undefined) throw new Error(`${name} of nothing`)
  if (name === 'rate' || name === 'increase') {
    if (first.kind !== 'selector' || first.rangeMs === null) throw new Error(`${name} of no range`)
    const { rangeMs } = first
    return select(first, series).flatMap(one => {
      const grown = increase(one, at, rangeMs)
      if (grown === null) return []
      return [{ labels: nameless(one.labels), value: name === 'rate' ? grown / (rangeMs / 1_000) : grown }]
    })
  }
  if (name === 'histogram_quantile') {
    if (second === undefined) throw new Error('histogram_quantile of no buckets')
    return quantile(scalarOf(evaluate(first, series, at)), vectorOf(evaluate(second, series, at)))
  }
  if (name === 'topk') {
    if (second === undefined) throw new Error('topk of nothing')
    const sorted = vectorOf(evaluate(second, series, at)).toSorted((one, other) => other.value - one.value)
    return sorted.slice(0, scalarOf(evaluate(first, series, at)))
  }
  const vector = vectorOf(evaluate(first, series, at))
  if (name === 'abs')
    return vector.map(({ labels, value }) => ({ labels: nameless(labels), value: Math.abs(value) }))
  if (name === 'absent') return vector.length > 0 ? [] : [{ labels: labelsOfAbsent(first), value: 1 }]
  throw new Error(`Unknown function ${name}`)
}

/** Returns the labels of `absent()`: those that its selector demands. */
function labelsOfAbsent(query: Query): Labels {
  if (query.kind !== 'selector') return {}
  return Object.fromEntries(query.matchers.filter(({ op }) => op === '=').map(m => [m.label, m.value]))
}

/** Returns the growth of a counter, extrapolated to the ends of the range (promql/functions.go); null if unknown. */
function increase({ samples }: TimeSeries, at: number, rangeMs: number): number | null {
  const found = samples.filter(sample => sample.at <= at && sample.at > at - rangeMs)
  const [first, last] = [found.at(0), found.at(-1)]
  if (first === undefined || last === undefined || found.length < 2) return null
  const grown = found.slice(1).reduce((sum, { value }, index) => {
    const before = found[index]?.value ?? 0
    return sum + (value < before ? value : value - before)
  }, 0)
  const spanMs = last.at - first.at
  const stepMs = spanMs / (found.length - 1)
  const limited = (ms: number) => (ms < stepMs * 1.1 ? ms : stepMs / 2)
  // A counter cannot have been below zero.
  const zeroMs = grown > 0 && first.value >= 0 ? spanMs * (first.value / grown) : Number.POSITIVE_INFINITY
  const before = Math.min(limited(first.at - (at - rangeMs)), zeroMs)
  return grown * ((spanMs + before + limited(at - last.at)) / spanMs)
}

function aggregate(name: string, by: readonly string[], vector: readonly Element[]): Element[] {
  const groups = Map.groupBy(vector, ({ labels }) => keyOf(labels, by))
  return [...groups.values()].map(members => {
    const values = members.map(({ value }) => value)
    const labels = Object.fromEntries(
      by.flatMap(label => {
        const value = members[0]?.labels[label]
        return value === undefined ? [] : [[label, value]]
      }),
    )
    if (name === 'sum') return { labels, value: values.reduce((sum, value) => sum + value, 0) }
    if (name === 'count') return { labels, value: values.length }
    return { labels, value: name === 'min' ? Math.min(...values) : Math.max(...values) }
  })
}

/** Returns the quantile of each histogram, linear within its bucket. */
function quantile(share: number, buckets: readonly Element[]): Element[] {
  const bare = ({ le: _, ...labels }: Labels) => nameless(labels)
  const groups = Map.groupBy(buckets, ({ labels }) => keyOf(bare(labels), null))
  return [...groups.values()].flatMap(members => {
    const bounds = members
      .map(({ labels, value }) => ({
        upTo: labels.le === '+Inf' ? Number.POSITIVE_INFINITY : Number(labels.le),
        count: value,
      }))
      .toSorted((a, b) => a.upTo - b.upTo)
    const rank = share * (bounds.at(-1)?.count ?? 0)
    const index = bounds.findIndex(({ count }) => count >= rank)
    const [bound, below] = [bounds[index], bounds[index - 1]]
    const labels = bare(members[0]?.labels ?? {})
    if (bound === undefined || rank === 0) return []
    const [from, under] = [below?.upTo ?? 0, below?.count ?? 0]
    if (bound.upTo === Number.POSITIVE_INFINITY) return [{ labels, value: from }]
    return [{ labels, value: from + ((bound.upTo - from) * (rank - under)) / (bound.count - under) }]
  })
}

/** Applies a binary operator; a comparison keeps the elements of the left side for which it is true. */
function combine(op: string, left: Value, right: Value, on: readonly string[] | null): Value {
  if (typeof left === 'number' && typeof right === 'number') return calculate(op, left, right)
  const key = ({ labels }: Element) => keyOf(nameless(labels), on)
  if (op === 'and' || op === 'or' || op === 'unless') {
    const [lefts, rights] = [vectorOf(left), vectorOf(right)]
    const isIn = (vector: readonly Element[], one: Element) => vector.some(other => key(other) === key(one))
    if (op === 'or') return [...lefts, ...rights.filter(one => !isIn(lefts, one))]
    return lefts.filter(one => isIn(rights, one) === (op === 'and'))
  }
  const isFilter = /[<>=]/.test(op)
  const vector = typeof left === 'number' ? vectorOf(right) : left
  return vector.flatMap(one => {
    const a = typeof left === 'number' ? left : one.value
    const b = typeof right === 'number' ? right : matchOf(vectorOf(right), one, key)
    if (b === null) return []
    const value = calculate(op, a, b)
    const labels = on === null ? one.labels : aggregate('sum', on, [one])[0]?.labels
    if (isFilter) return value === 1 ? [one] : []
    return [{ labels: nameless(labels ?? {}), value }]
  })
}

function matchOf(others: readonly Element[], one: Element, key: (element: Element) => string): number | null {
  const found = others.filter(other => key(other) === key(one))
  if (found.length > 1) throw new Error('Many elements match one.')
  return found[0]?.value ?? null
}

function calculate(op: string, a: number, b: number): number {
  switch (op) {
    case '+':
      return a + b
    case '-':
      return a - b
    case '*':
      return a * b
    case '/':
      return a / b
    case '>':
      return a > b ? 1 : 0
    case '<':
      return a < b ? 1 : 0
    case '>=':
      return a >= b ? 1 : 0
    case '<=':
      return a <= b ? 1 : 0
    case '==':
      return a === b ? 1 : 0
    case '!=':
      return a === b ? 0 : 1
    default:
      throw new Error(`Unknown operator ${op}`)
  }
}

/** @param on labels that count; null: all */
function keyOf(labels: Labels, on: readonly string[] | null): string {
  const names = (on ?? Object.keys(labels)).toSorted()
  return JSON.stringify(names.flatMap(name => (labels[name] === undefined ? [] : [[name, labels[name]]])))
}

function nameless({ [NAME]: _, ...labels }: Labels): Labels {
  return labels
}

function vectorOf(value: Value): readonly Element[] {
  if (typeof value === 'number') throw new Error('A vector was expected.')
  return value
}

function scalarOf(value: Value): number {
  if (typeof value !== 'number') throw new Error('A scalar was expected.')
  return value
}
