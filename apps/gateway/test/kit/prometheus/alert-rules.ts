import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import type { Scrape } from '../gateway/prometheus.ts'
import { type Element, evaluate, type TimeSeries } from './evaluate-query.ts'
import { parseQuery } from './parse-query.ts'
import type { Rule } from './run-rules.ts'

const FILE = join(import.meta.dirname, '../../../../../deploy/prometheus/alerts.yaml')

/** Returns all alerts of deploy/prometheus. */
export function readAlerts(): Rule[] {
  const { groups } = parse(readFileSync(FILE, 'utf8')) as { groups: { rules: Rule[] }[] }
  return groups.flatMap(({ rules }) => rules)
}

/** A scrape and its time, in ms. */
export type TimedScrape = { readonly at: number; readonly scrape: Scrape }

/** Returns the series that Prometheus would have made of scrapes of one gateway, in their order. */
export function seriesOf(scrapes: readonly TimedScrape[]): TimeSeries[] {
  const found = new Map<
    string,
    { labels: Record<string, string>; samples: { at: number; value: number }[] }
  >()
  for (const { at, scrape } of scrapes) {
    for (const { name, labels, value } of scrape.series) {
      const key = `${name} ${JSON.stringify(labels)}`
      const one = found.get(key) ?? {
        labels: { ...labels, __name__: name, instance: 'gateway', job: 'farebox' },
        samples: [],
      }
      one.samples.push({ at, value })
      found.set(key, one)
    }
  }
  return [...found.values()]
}

/** Returns the elements for which the condition of an alert is true at the last of some scrapes. */
export function conditionOf(alert: string, scrapes: readonly TimedScrape[]): readonly Element[] {
  const rule = readAlerts().find(one => one.alert === alert)
  if (rule === undefined) throw new Error(`There is no alert ${alert}.`)
  const value = evaluate(parseQuery(rule.expr), seriesOf(scrapes), scrapes.at(-1)?.at ?? 0)
  if (typeof value === 'number') throw new Error(`${alert} is a scalar.`)
  return value
}
