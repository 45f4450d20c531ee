import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BooksCheck } from './books.ts'
import { lifeFindings, lifeSections } from './life-report.ts'
import type { LifeFigures } from './long-life.ts'
import type { Machine } from './machine.ts'
import type { ModelFigures } from './model-parts.ts'
import type { SearchFigures } from './search.ts'
import { searchFindings, searchSections } from './search-report.ts'
import { modelFindings, modelSections, moneyOf, type Section } from './stream-report.ts'
import { alignedTable, markdownTable, withSpread } from './table.ts'
import { type Bar, type Line, noiseOf } from './verdict.ts'

/** Calls per second at a fixed price, beside a plain proxy. */
export type CallFigures = {
  readonly lines: readonly Line[]
  readonly books: BooksCheck
  readonly errors: number
  readonly errorSamples: readonly string[]
}

/** A run and all that is to be told of it; null: that half was left out. */
export type Report = {
  readonly machine: Machine
  readonly setting: {
    readonly rounds: number
    readonly seconds: number
    readonly owners: number
    readonly priceUsdc: string
  }
  readonly calls: CallFigures | null
  readonly models: ModelFigures | null
  readonly life: LifeFigures | null
  readonly search: SearchFigures | null
  readonly bars: readonly Bar[]
}

const HEADINGS = [
  'callers',
  'contestant',
  'calls/s (rounds)',
  'p50 ms',
  'p99 ms',
  'ratio (rounds)',
  'added p50 ms',
]

/** The figures and the verdict as text for a terminal. */
export function forTerminal(report: Report): string {
  const sections = sectionsOf(report).flatMap(({ title, table }) => [title, ...alignedTable(table), ''])
  return [...sections, ...verdictOf(report)].join('\n')
}

/** Writes `latest.md` and `latest.json` into the folder. */
export async function writeReport(directory: string, report: Report): Promise<void> {
  await mkdir(directory, { recursive: true })
  await writeFile(join(directory, 'latest.json'), `${JSON.stringify(report, null, 2)}\n`)
  await writeFile(join(directory, 'latest.md'), forReaders(report))
}

function forReaders(report: Report): string {
  const { machine } = report
  const sections = sectionsOf(report).map(
    ({ title, table, notes }) => `## ${title}\n\n${markdownTable(table)}\n\n${notes.join('\n\n')}\n`,
  )
  return `# Paid calls and streams

Written by \`npm run bench\`; what is and is not measured stands at the top of \`bench/src/main.ts\`. Figures are medians
of rounds, contestants in turn; least and most of the rounds in brackets.

${sections.join('\n')}
## Verdict

${verdictOf(report)
  .map(line => `- ${line}`)
  .join('\n')}

## Machine

${Object.entries({
  'measured at': machine.date,
  commit: machine.commit,
  processor: `${machine.cpu}, ${machine.cores} cores for everything: callers, providers, control, gateway, database, chain`,
  memory: `${machine.memoryGiB} GiB`,
  system: machine.os,
  Node: machine.node,
  PostgreSQL: `${machine.postgres}, ${machine.durability}`,
  'a write to that disk': `${machine.syncMs === null ? 'unknown' : `${machine.syncMs.toFixed(2)} ms`} (median of fdatasync on 8 KiB, before the run)`,
  'load average before': String(machine.loadBefore),
})
  .map(([name, value]) => `- ${name}: ${value}`)
  .join('\n')}
`
}

function sectionsOf(report: Report): Section[] {
  const { calls, models, life, search } = report
  return [
    ...(calls === null ? [] : [callSection(calls, report.setting)]),
    ...(models === null ? [] : modelSections(models)),
    ...(life === null ? [] : lifeSections(life)),
    ...(search === null ? [] : searchSections(search)),
  ]
}

function callSection({ lines }: CallFigures, setting: Report['setting']): Section {
  const { rounds, seconds, owners, priceUsdc } = setting
  return {
    title: 'Calls at a fixed price',
    table: [HEADINGS, ...lines.map(cellsOf)],
    notes: [
      `${rounds} rounds of ${seconds} s. A ratio is that to the control in the same round. "One owner" is one ` +
        'credential, all of whose calls move the same rows; "many owners" are ' +
        `${owners} owners with a credential each. A call costs ${priceUsdc} USDC.`,
    ],
  }
}

function verdictOf({ calls, models, life, search, bars }: Report): string[] {
  return [
    ...bars.map(({ name, found, isMet }) => {
      const verdict = isMet === null ? 'open' : isMet ? 'met' : 'NOT met'
      return `${verdict}: ${name} (${found})`
    }),
    ...(calls === null ? [] : callFindings(calls)),
    ...(models === null ? [] : modelFindings(models)),
    ...(life === null ? [] : lifeFindings(life)),
    ...(search === null ? [] : searchFindings(search)),
  ]
}

function callFindings({ lines, books, errors, errorSamples }: CallFigures): string[] {
  return [
    ...noiseOf(lines),
    moneyOf(books),
    ...books.findings,
    `${errors} wrong answers${errors === 0 ? '' : `, the first: ${errorSamples.join(' // ')}`}`,
  ]
}

function cellsOf(line: Line): string[] {
  const isControl = line.contestant === 'control'
  return [
    String(line.callers),
    line.contestant,
    withSpread(line.perSecond, 0),
    line.p50Ms.median.toFixed(2),
    line.p99Ms.median.toFixed(2),
    isControl ? '' : withSpread(line.ratio, 3),
    isControl ? '' : line.addedP50Ms.toFixed(2),
  ]
}
