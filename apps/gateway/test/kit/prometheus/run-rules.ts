import { evaluate, type Labels, type TimeSeries } from './evaluate-query.ts'
import { durationMs, parseQuery, type Query } from './parse-query.ts'

/** An alert of a rule file. */
export type Rule = {
  readonly alert: string
  readonly expr: string
  readonly for?: string
  readonly labels: Labels
  readonly annotations: Labels
}

/** An alert that fires. */
export type Firing = { readonly labels: Labels; readonly annotations: Labels }

const NAME = '__name__'
const SERIES = /^([\w:]+)(?:\{(.*)\})?$/

/**
 * Returns the series of a test in promtool's notation.
 *
 * @param series such as `up{job="farebox"}`
 * @param values such as `1x4 0x15` or `0+60x20`: each `AxN` is N + 1 samples
 */
export function readSeries(series: string, values: string, stepMs: number): TimeSeries {
  const [, name, inner = ''] = SERIES.exec(series) ?? []
  if (name === undefined) throw new Error(`This is no series: ${series}`)
  const labels = [...inner.matchAll(/(\w+)="([^"]*)"/g)].map(([, label = '', value = '']) => [label, value])
  const samples = values.split(' ').flatMap(readValues)
  return {
    labels: { ...Object.fromEntries(labels), [NAME]: name },
    samples: samples.map((value, index) => ({ at: index * stepMs, value })),
  }
}

function readValues(part: string): number[] {
  const [, from, step, times] = /^(-?[\d.]+(?:e\d+)?)(?:([+-][\d.]+))?(?:x(\d+))?$/.exec(part) ?? []
  if (from === undefined) throw new Error(`These are no values: ${part}`)
  return Array.from(
    { length: Number(times ?? 0) + 1 },
    (_, index) => Number(from) + index * Number(step ?? 0),
  )
}

/**
 * Evaluates a rule from the start to a time, as Prometheus does at each interval.
 *
 * @returns the alerts that fire then, in no order
 */
export function runRule(
  rule: Rule,
  series: readonly TimeSeries[],
  until: { readonly atMs: number; readonly intervalMs: number },
): Firing[] {
  const query: Query = parseQuery(rule.expr)
  const waitMs = rule.for === undefined ? 0 : durationMs(rule.for)
  let pending = new Map<string, { readonly since: number; readonly labels: Labels }>()
  for (let at = 0; at <= until.atMs; at += until.intervalMs) {
    const value = evaluate(query, series, at)
    if (typeof value === 'number') throw new Error(`${rule.alert} is a scalar.`)
    pending = new Map(
      value.map(({ labels }) => {
        const { [NAME]: _, ...own } = labels
        const key = JSON.stringify(Object.entries(own).toSorted())
        return [key, pending.get(key) ?? { since: at, labels: own }]
      }),
    )
  }
  return [...pending.values()].flatMap(({ since, labels }) => {
    if (until.atMs - since < waitMs) return []
    const fill = (text: string) =>
      text.replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, (_, name) => labels[name] ?? '')
    const annotations = Object.fromEntries(
      Object.entries(rule.annotations).map(([name, text]) => [name, fill(text)]),
    )
    return [{ labels: { ...labels, ...rule.labels }, annotations }]
  })
}
