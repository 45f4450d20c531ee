import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BooksCheck } from './books.ts'
import type { Machine } from './machine.ts'
import { type Bar, type Line, noiseOf, type Summary } from './verdict.ts'

/** A run and all that is to be told of it. */
export type Report = {
  readonly machine: Machine
  readonly setting: {
    readonly rounds: number
    readonly seconds: number
    readonly owners: number
    readonly priceUsdc: string
  }
  readonly lines: readonly Line[]
  readonly books: BooksCheck
  readonly errors: number
  readonly errorSamples: readonly string[]
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
  const rows = [HEADINGS, ...report.lines.map(cellsOf)]
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0)))
  const table = rows.map(row =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  return [...table, '', ...verdictOf(report)].join('\n')
}

/** Writes `latest.md` and `latest.json` into the folder. */
export async function writeReport(directory: string, report: Report): Promise<void> {
  await mkdir(directory, { recursive: true })
  await writeFile(join(directory, 'latest.json'), `${JSON.stringify(report, null, 2)}\n`)
  await writeFile(join(directory, 'latest.md'), forReaders(report))
}

function forReaders(report: Report): string {
  const { machine, setting } = report
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return `# Paid calls per second

Written by \`npm run bench\`; what is and is not measured stands at the top of \`bench/src/main.ts\`.

${row(HEADINGS)}
${row(HEADINGS.map(() => '---'))}
${report.lines.map(line => row(cellsOf(line))).join('\n')}

Figures are medians of ${setting.rounds} rounds of ${setting.seconds} s, contestants in turn; least and most of the rounds in
brackets. A ratio is that to the control in the same round. "One owner" is one credential, all of whose calls
move the same rows; "many owners" are ${setting.owners} owners with a credential each. A call costs
${setting.priceUsdc} USDC.

## Verdict

${verdictOf(report)
  .map(line => `- ${line}`)
  .join('\n')}

## Machine

${Object.entries({
  'measured at': machine.date,
  commit: machine.commit,
  processor: `${machine.cpu}, ${machine.cores} cores for everything: callers, provider, control, gateway, database, chain`,
  memory: `${machine.memoryGiB} GiB`,
  system: machine.os,
  Node: machine.node,
  PostgreSQL: `${machine.postgres}, ${machine.durability}`,
  'load average before': String(machine.loadBefore),
})
  .map(([name, value]) => `- ${name}: ${value}`)
  .join('\n')}
`
}

function verdictOf({ lines, bars, books, errors, errorSamples }: Report): string[] {
  return [
    ...bars.map(({ name, found, isMet }) => {
      const verdict = isMet === null ? 'open' : isMet ? 'met' : 'NOT met'
      return `${verdict}: ${name} (${found})`
    }),
    ...noiseOf(lines),
    `${books.paidCalls} paid calls cost ${books.expectedUsdc} USDC: owners spent ${books.spentUsdc}, ` +
      `providers earned ${books.earnedUsdc}, fees took ${books.feesUsdc}`,
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

function withSpread({ median, least, most }: Summary, digits: number): string {
  return `${median.toFixed(digits)} (${least.toFixed(digits)}-${most.toFixed(digits)})`
}
