import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ChartPanel, drawChart } from './chart.ts'
import { figureTable } from './figures.ts'
import type { Machine } from './machine.ts'
import type { PartResult } from './part.ts'
import type { Section } from './stream-report.ts'
import { alignedTable, markdownTable } from './table.ts'
import { BUSY_CALLERS } from './verdict.ts'

/** A run and all that is to be told of it: its parts by their names, in the order in which they were run. */
export type Report = {
  readonly machine: Machine
  readonly parts: ReadonlyMap<string, PartResult>
}

/** The figures and the verdict as text for a terminal. */
export function forTerminal({ parts }: Report): string {
  const sections = sectionsOf(parts).flatMap(({ title, table }) => [title, ...alignedTable(table), ''])
  return [...sections, ...verdictOf(parts)].join('\n')
}

/** Writes `latest.md`, `latest.json` and, when there is something to draw, `latest.svg` into the folder. */
export async function writeReport(directory: string, report: Report): Promise<void> {
  const { machine, parts } = report
  await mkdir(directory, { recursive: true })
  const figures = Object.fromEntries([...parts].map(([name, part]) => [name, part.figures]))
  const bars = [...parts.values()].flatMap(part => part.bars)
  await writeFile(
    join(directory, 'latest.json'),
    `${JSON.stringify({ machine, bars, parts: figures }, null, 2)}\n`,
  )
  const chart = chartOf(report)
  if (chart !== null) await writeFile(join(directory, 'latest.svg'), chart)
  await writeFile(join(directory, 'latest.md'), forReaders(report, chart !== null))
}

/** The chart of a run; null when it measured nothing that is drawn. */
export function chartOf({ machine, parts }: Report): string | null {
  const charts = [...parts.values()].flatMap(({ chart }) => chart ?? [])
  const panels: ChartPanel[] = [
    {
      title: `Calls per second, ${BUSY_CALLERS} callers`,
      subtitle:
        'Farebox: every call has its key, is paid, and is on disk before it is answered. Replays were paid for before.',
      digits: 0,
      unit: '',
      bars: charts.flatMap(({ perSecond }) => perSecond),
    },
    {
      title: 'Added to the latency of a single caller',
      subtitle: 'Median beyond that of the provider itself. Shorter is better.',
      digits: 2,
      unit: ' ms',
      bars: charts.flatMap(({ addedMs }) => addedMs),
    },
  ].filter(({ bars }) => bars.length > 0)
  if (panels.length === 0) return null
  const { cpu, cores, versions, postgres, durability, node, commit, date } = machine
  const programs = Object.entries({ Node: node, PostgreSQL: postgres, ...versions }).map(pair =>
    pair.join(' '),
  )
  return drawChart(panels, [
    `Medians of rounds in turn; lines: least to most. ${cpu}, ${cores} cores for callers, providers, contestants, database.`,
    `${programs.join(', ')}; ${durability}.`,
    `Commit ${commit}, ${date.slice(0, 10)}. npm run bench`,
  ])
}

function forReaders({ machine, parts }: Report, hasChart: boolean): string {
  const sections = sectionsOf(parts).map(
    ({ title, table, notes }) => `## ${title}\n\n${markdownTable(table)}\n\n${notes.join('\n\n')}\n`,
  )
  return `# Paid calls and streams

Written by \`npm run bench\`; what is and is not measured stands at the top of \`lab/bench/main.ts\`. Figures are medians
of rounds, contestants in turn; least and most of the rounds in brackets.
${hasChart ? '\n![Calls per second and added latency](latest.svg)\n' : ''}
${sections.join('\n')}
## Verdict

${verdictOf(parts)
  .map(line => `- ${line}`)
  .join('\n')}

## Machine

${Object.entries({
  'measured at': machine.date,
  commit: machine.commit,
  processor: `${machine.cpu}, ${machine.cores} cores for everything: callers, providers, contestants, gateway, database, chain`,
  memory: `${machine.memoryGiB} GiB`,
  system: machine.os,
  Node: machine.node,
  PostgreSQL: `${machine.postgres}, ${machine.durability}`,
  ...machine.versions,
  'a write to that disk': `${machine.syncMs === null ? 'unknown' : `${machine.syncMs.toFixed(2)} ms`} (median of fdatasync on 8 KiB, before the run)`,
  'load average before': String(machine.loadBefore),
})
  .map(([name, value]) => `- ${name}: ${value}`)
  .join('\n')}
`
}

function sectionsOf(parts: Report['parts']): Section[] {
  const results = [...parts.values()]
  const table = figureTable(Object.assign({}, ...results.map(({ reached }) => reached)))
  const sections = results.flatMap(({ sections }) => sections)
  if (table === null) return sections
  const notes = [
    'Of `npm run bench -- --only figures`; a ratio is that of contestants side by side in the same round.',
  ]
  return [{ title: 'Figures of the core', table, notes }, ...sections]
}

function verdictOf(parts: Report['parts']): string[] {
  const results = [...parts.values()]
  return [
    ...results
      .flatMap(({ bars }) => bars)
      .map(({ name, found, isMet }) => {
        const verdict = isMet === null ? 'open' : isMet ? 'met' : 'NOT met'
        return `${verdict}: ${name} (${found})`
      }),
    ...results.flatMap(({ findings }) => findings),
  ]
}
