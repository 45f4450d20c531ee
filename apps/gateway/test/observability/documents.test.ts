import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createMetrics } from '../../src/adapters/metrics.ts'
import { type Instrument, instruments } from '../../src/telemetry/instruments.ts'
import { readScrape } from '../kit/gateway/prometheus.ts'
import { silent } from '../kit/silent-log.ts'

const ROOT = join(import.meta.dirname, '../../../..')
const documentText = readFileSync(join(ROOT, 'docs/observability.md'), 'utf8')

/** Every name that a query may use, with the labels of its series. */
const known = new Map<string, ReadonlySet<string>>()
for (const [name, { type, labels }] of Object.entries<Instrument>(instruments)) {
  const own = Object.keys(labels)
  if (type !== 'histogram') known.set(name, new Set(own))
  else {
    known.set(`${name}_bucket`, new Set([...own, 'le']))
    for (const part of ['sum', 'count']) known.set(`${name}_${part}`, new Set(own))
  }
}
for (const { name, labels } of readScrape(await createMetrics(silent).scrape()).series) {
  if (!name.startsWith('farebox_')) known.set(name, new Set(Object.keys(labels)))
}

/** Labels that Prometheus adds to everything it scrapes. */
const ADDED = ['instance', 'job']
/** Reference of a panel to the selected data source. */
const DATASOURCE = ['$', '{datasource}'].join('')
const WORDS =
  /^(?:sum|max|min|count|abs|absent|rate|increase|by|time|topk|histogram_quantile|le|for|minutes|while|grows|does|not|__rate_interval)$/

/** Returns unknown names of metrics or labels in a PromQL query. */
function faultsOf(text: string): string[] {
  const query = text.replaceAll(/"[^"]*"/g, '""')
  const faults: string[] = []
  const used = [...query.matchAll(/\b([a-z]\w*_\w+)\b/g)].flatMap(([, name = '']) => name)
  const metrics = used.filter(name => !WORDS.test(name))
  const labels = new Set<string>(ADDED)
  for (const name of metrics) {
    const own = known.get(name)
    if (own === undefined) faults.push(`no metric ${name}`)
    for (const label of own ?? []) labels.add(label)
  }
  const grouped = [...query.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/, */))
  const matched = [...query.matchAll(/[{,]\s*(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, name = '']) => name)
  for (const label of [...grouped, ...matched]) if (!labels.has(label)) faults.push(`no label ${label}`)
  const opened = (bracket: string) => query.split(bracket).length
  for (const [open, close] of [
    ['(', ')'],
    ['{', '}'],
    ['[', ']'],
  ] as const)
    if (opened(open) !== opened(close)) faults.push(`unbalanced ${open}${close}`)
  if (metrics.length === 0 && !query.includes('time()')) faults.push('no metric at all')
  return faults
}

test('the table of docs/observability.md matches the code', () => {
  const rows = [...documentText.matchAll(/^\| `(farebox_\w+)` \| (\w+) \| (.*?) \| (.+) \|$/gm)]
  const valuesOf = (values: readonly string[] | string) =>
    typeof values === 'string' ? values : values.join(', ')
  expect(rows.map(([, name, type, labels, help]) => ({ name, type, labels, help }))).toEqual(
    Object.entries<Instrument>(instruments).map(([name, { type, labels, help }]) => ({
      name,
      type,
      help,
      labels: Object.entries(labels)
        .map(([label, values]) => `\`${label}\`: ${valuesOf(values)}`)
        .join('; '),
    })),
  )
})

test('no label is one that Prometheus adds itself and would rename', () => {
  const labels = Object.values<Instrument>(instruments).flatMap(instrument => Object.keys(instrument.labels))
  expect(labels.filter(label => ADDED.includes(label))).toEqual([])
})

test('names have units: counters end with _total, times are seconds, money is micro-USDC', () => {
  for (const [name, { type, help }] of Object.entries<Instrument>(instruments)) {
    expect(name.endsWith('_total')).toBe(type === 'counter')
    expect(name).not.toMatch(/_ms\b|milliseconds|_usdc(?<!micro_usdc)(?:_total)?$/)
    expect(help).toMatch(/\.$/)
    if (help.includes('millionths')) expect(name).toMatch(/_micro_usdc(?:_total)?$/)
  }
})

test('the queries of docs/observability.md use existing metrics and labels', () => {
  const queries = [...documentText.matchAll(/^\| (`.+?`.*?) \| .+ \|$/gm)]
    .flatMap(([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, query = '']) => query))
    .filter(query => /[({]/.test(query))
    .map(query => query.replaceAll('\\|', '|'))
  expect(queries.length).toBeGreaterThan(8)
  expect(queries.flatMap(query => faultsOf(query).map(fault => `${fault}: ${query}`))).toEqual([])
})

test('the alerts of deploy/prometheus use existing metrics and jobs, and runbooks that name them', () => {
  const alerts = readFileSync(join(ROOT, 'deploy/prometheus/alerts.yaml'), 'utf8')
  const queries = [...alerts.matchAll(/^\s+expr: (.+)$/gm)].map(([, query = '']) => query)
  expect(queries.length).toBe([...alerts.matchAll(/- alert: /g)].length)
  // Prometheus itself reports whether a gateway answers, and others how full disks are.
  const asked = queries.filter(query => !/up\{job="farebox"\}|node_filesystem|kubelet_volume/.test(query))
  expect(asked.flatMap(query => faultsOf(query).map(fault => `${fault}: ${query}`))).toEqual([])
  const jobs = [...alerts.matchAll(/done_timestamp_seconds\{name="([^"]+)"/g)].map(([, name]) => name)
  const ledgerJobs = readFileSync(join(ROOT, 'apps/gateway/src/domains/ledger/jobs.ts'), 'utf8')
  expect(jobs.filter(name => !ledgerJobs.includes(`name: '${name}'`))).toEqual([])
  const headings = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8')
  const runbooks = [
    ...alerts.matchAll(/- alert: (\w+)\n(?:(?!- alert)[\s\S])*?runbook: docs\/operations\.md, "([^"]+)"/g),
  ]
  expect(runbooks).toHaveLength(queries.length)
  const missing = runbooks.filter(([, alert = '', name = '']) => {
    const at = headings.indexOf(`**${name}`)
    return at < 0 || !headings.slice(at, headings.indexOf('\n\n', at)).includes(`\`${alert}\``)
  })
  expect(missing.map(([, alert, name]) => `${alert}: ${name}`)).toEqual([])
})

test('every runbook of docs/operations.md names its alert, or says that it has none', () => {
  const text = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8')
  const incidents = text.slice(text.indexOf('\n## Incidents'), text.indexOf('\n## Growth'))
  const planned = ['Another chain or vault', 'Restore drill']
  const found = [
    ...incidents.matchAll(/^\*\*[\s\S]*?\n\n/gm),
    ...planned.flatMap(name => [...text.matchAll(new RegExp(`^\\*\\*${name}[\\s\\S]*?\\n\\n`, 'gm'))]),
  ].map(([paragraph]) => paragraph)
  expect(found.length).toBeGreaterThan(22)
  // What an operator does by choice is no incident.
  const acts = /^\*\*Stop (?:one wallet or service|withdrawals)\./
  expect(
    found.filter(paragraph => !/`Farebox\w+`|no alert/i.test(paragraph) && !acts.test(paragraph)),
  ).toEqual([])
})

test('docs/scaling.md states for every table how its rows would be partitioned', () => {
  const scaling = readFileSync(join(ROOT, 'docs/scaling.md'), 'utf8')
  const migrations = join(ROOT, 'apps/gateway/migrations')
  const tables = readdirSync(migrations).flatMap(name =>
    [
      ...readFileSync(join(migrations, name), 'utf8').matchAll(/^create table (?:if not exists )?(\w+)/gm),
    ].map(([, table = '']) => table),
  )
  expect(tables.length).toBeGreaterThan(40)
  expect(tables.filter(table => !scaling.includes(`\`${table}\``))).toEqual([])
})

type Panel = {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly description?: string
  readonly datasource?: { readonly type: string; readonly uid: string }
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly targets?: readonly {
    readonly expr: string
    readonly refId: string
    readonly legendFormat: string
  }[]
}

describe('deploy/grafana/farebox.json', () => {
  const dashboard = JSON.parse(readFileSync(join(ROOT, 'deploy/grafana/farebox.json'), 'utf8')) as {
    readonly id: null
    readonly uid: string
    readonly title: string
    readonly __inputs: readonly { readonly name: string; readonly pluginId: string }[]
    readonly panels: readonly Panel[]
    readonly templating: {
      readonly list: readonly { readonly name: string; readonly type: string; readonly definition?: string }[]
    }
  }
  const panels = dashboard.panels.filter(({ type }) => type !== 'row')
  const targets = panels.flatMap(panel => panel.targets ?? [])

  test('can be imported anywhere: its data source is a variable that every panel uses', () => {
    expect(dashboard).toMatchObject({ id: null, uid: 'farebox', title: 'Farebox' })
    expect(dashboard.__inputs).toMatchObject([{ name: 'DS_PROMETHEUS', pluginId: 'prometheus' }])
    expect(dashboard.templating.list.map(({ name, type }) => [name, type])).toEqual([
      ['datasource', 'datasource'],
      ['instance', 'query'],
    ])
    for (const { datasource } of panels) expect(datasource).toEqual({ type: 'prometheus', uid: DATASOURCE })
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length)
  })

  test('has rows for calls, money, chain, probes and queue, and panels that do not overlap', () => {
    const rows = dashboard.panels.filter(({ type }) => type === 'row').map(({ title }) => title)
    for (const title of ['At a glance', 'Calls', 'Money', 'Chain', 'Probes', 'Queue, mail and webhooks'])
      expect(rows).toContain(title)
    const taken = new Map<string, string>()
    for (const { title, gridPos } of dashboard.panels) {
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24)
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
          expect(taken.get(`${x} ${y}`) ?? title).toBe(title)
          taken.set(`${x} ${y}`, title)
        }
      }
    }
  })

  test('its first row shows what is slow, failing, low or waiting', () => {
    const second = dashboard.panels.findIndex(({ type }, at) => type === 'row' && at > 0)
    const first = dashboard.panels.slice(1, second).toSorted((one, other) => one.gridPos.x - other.gridPos.x)
    expect(first.map(({ title }) => title)).toEqual(['Slow?', 'Failing?', 'Short?', 'Waiting?'])
    for (const { gridPos, targets: queries = [] } of first)
      expect([gridPos.y, queries.length]).toEqual([1, expect.toSatisfy((count: number) => count >= 3)])
  })

  test('every query of every panel uses existing metrics and labels', () => {
    expect(targets.length).toBeGreaterThan(50)
    const faults = targets.flatMap(({ expr }) => faultsOf(expr).map(fault => `${fault}: ${expr}`))
    expect(faults).toEqual([])
    for (const { definition } of dashboard.templating.list) {
      if (definition !== undefined) expect(known.has(/\((\w+),/.exec(definition)?.[1] ?? '')).toBe(true)
    }
    for (const { description, title } of panels)
      expect([title, description ?? '']).toEqual([title, expect.stringMatching(/\.$/)])
  })

  test('shows every metric of the gateway', () => {
    const text = targets.map(({ expr }) => expr).join('\n')
    expect(Object.keys(instruments).filter(name => !text.includes(name))).toEqual([])
  })

  test('values read from the database are never summed over gateways', () => {
    const shared =
      /farebox_(holds_open|ledger_(?!batches|conflicts)|follower_|probes_due|queue_jobs|webhook_deliveries_pending|withdrawals|archive|owed|vault|table_)/
    const added = targets.filter(({ expr }) => shared.test(expr) && /\bsum\b/.test(expr))
    expect(added).toEqual([])
  })
})

test('detects a query with an unknown name', () => {
  expect(faultsOf('sum by (kind) (rate(farebox_call_total[5m]))')).toEqual([
    'no metric farebox_call_total',
    'no label kind',
  ])
  expect(faultsOf('max(farebox_queue_jobs{status="ready"})')).toEqual(['no label status'])
  expect(faultsOf('max(farebox_queue_jobs{state="ready"}')).toEqual(['unbalanced ()'])
})
