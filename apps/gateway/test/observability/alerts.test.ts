import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { readAlerts } from '../kit/prometheus/alert-rules.ts'
import { evaluate } from '../kit/prometheus/evaluate-query.ts'
import { durationMs, parseQuery } from '../kit/prometheus/parse-query.ts'
import { readSeries, runRule } from '../kit/prometheus/run-rules.ts'

// Evaluates the tests of the alerts as promtool does (`sh deploy/check` runs it), so that they also run without Prometheus.

const FILE = join(import.meta.dirname, '../../../../deploy/prometheus/alerts.test.yaml')

type Check = {
  readonly alertname: string
  readonly eval_time: string
  readonly exp_alerts?: readonly {
    readonly exp_labels: Record<string, string>
    readonly exp_annotations: Record<string, string>
  }[]
}
type Scenario = {
  readonly interval: string
  readonly input_series: readonly { readonly series: string; readonly values: string }[]
  readonly alert_rule_test: readonly Check[]
}
const rules = readAlerts()
const file = parse(readFileSync(FILE, 'utf8')) as { evaluation_interval: string; tests: Scenario[] }
const intervalMs = durationMs(file.evaluation_interval)
const checks = file.tests.flatMap(scenario => {
  const stepMs = durationMs(scenario.interval)
  const series = scenario.input_series.map(({ series: name, values }) => readSeries(name, values, stepMs))
  return scenario.alert_rule_test.map(check => ({ check, series }))
})

describe.each(rules.map(rule => [rule.alert, rule] as const))('the alert %s', (alert, rule) => {
  const own = checks.filter(({ check }) => check.alertname === alert)

  test('is tested firing and not firing', () => {
    const expected = own.map(({ check }) => (check.exp_alerts ?? []).length > 0)
    expect(new Set(expected)).toEqual(new Set([true, false]))
  })

  test('fires exactly when its tests expect it, with their labels and annotations', () => {
    for (const { check, series } of own) {
      const fired = runRule(rule, series, { atMs: durationMs(check.eval_time), intervalMs })
      const expected = (check.exp_alerts ?? []).map(each => ({
        labels: each.exp_labels,
        annotations: each.exp_annotations,
      }))
      expect([check.eval_time, fired]).toEqual([check.eval_time, expected])
    }
  })
})

/** Evaluates a query five minutes after the start, with a sample each minute. */
const resultOf = (query: string, ...series: readonly (readonly [name: string, values: string])[]) =>
  evaluate(
    parseQuery(query),
    series.map(([name, values]) => readSeries(name, values, 60_000)),
    300_000,
  )

describe('the evaluation of PromQL', () => {
  test.each<[string, (readonly [string, string])[], unknown]>([
    ['1 + 2 * 3 - 4', [], 3],
    ['time()', [], 300],
    ['a > 1', [['a', '1x9']], []],
    ['-3 + 0 * 2', [], 'refused'],
    [
      'sum by (x) (a)',
      [
        ['a{x="1",y="1"}', '2x9'],
        ['a{x="1",y="2"}', '3x9'],
      ],
      [{ labels: { x: '1' }, value: 5 }],
    ],
    [
      'a / b',
      [
        ['a{x="1"}', '6x9'],
        ['b{x="1"}', '3x9'],
        ['b{x="2"}', '1x9'],
      ],
      [{ labels: { x: '1' }, value: 2 }],
    ],
    [
      'topk(1, a)',
      [
        ['a{x="1"}', '2x9'],
        ['a{x="2"}', '3x9'],
      ],
      [{ labels: { __name__: 'a', x: '2' }, value: 3 }],
    ],
    ['increase(a[5m])', [['a', '0+60x9']], [{ labels: {}, value: 300 }]],
    ['rate(a[5m])', [['a', '0 60 120 0 60 120']], [{ labels: {}, value: 0.75 }]],
    ['absent(a{x="1"})', [['a{x="2"}', '1x9']], [{ labels: { x: '1' }, value: 1 }]],
    [
      'a unless b',
      [
        ['a{x="1"}', '1x9'],
        ['a{x="2"}', '1x9'],
        ['b{x="1"}', '1x9'],
      ],
      [{ labels: { __name__: 'a', x: '2' }, value: 1 }],
    ],
    [
      'histogram_quantile(0.5, a)',
      [
        ['a{le="1"}', '0x9'],
        ['a{le="3"}', '4x9'],
        ['a{le="+Inf"}', '4x9'],
      ],
      [{ labels: {}, value: 2 }],
    ],
  ])('%s', (query, series, expected) => {
    if (expected === 'refused') expect(() => resultOf(query)).toThrow('Unexpected')
    else expect(resultOf(query, ...series)).toEqual(expected)
  })

  test('a series that ended is no longer in the result after five minutes', () => {
    expect(resultOf('a', ['a', '1'])).toEqual([])
    expect(resultOf('a', ['a', '1 1'])).toHaveLength(1)
  })
})
