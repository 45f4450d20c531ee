import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Machine } from '../kit/machine.ts'
import { alignedTable, markdownTable } from '../kit/tables.ts'
import { figureTable } from './figures.ts'
import type { PartResult, Section } from './part.ts'

/** A run: its parts in the order in which they were run. */
export type Report = { readonly machine: Machine; readonly parts: readonly PartResult[] }

/** Returns the figures and findings as text for a terminal. */
export function forTerminal({ parts }: Report): string {
  const sections = sectionsOf(parts).flatMap(({ title, table }) => [title, ...alignedTable(table), ''])
  return [...sections, ...parts.flatMap(({ findings }) => findings)].join('\n')
}

/** Writes `report.md` into the folder. */
export async function writeReport(directory: string, report: Report): Promise<void> {
  await mkdir(directory, { recursive: true })
  await writeFile(join(directory, 'report.md'), forReaders(report))
}

function forReaders({ machine, parts }: Report): string {
  const sections = sectionsOf(parts).map(
    ({ title, table, notes }) => `## ${title}\n\n${markdownTable(table)}\n\n${notes.join('\n\n')}\n`,
  )
  const list = (lines: readonly string[]) => lines.map(line => `- ${line}`).join('\n')
  const { cpu, cores, syncMs } = machine
  const written = syncMs === null ? 'unknown' : `${syncMs.toFixed(2)} ms`
  const of = {
    'measured at': machine.date,
    commit: machine.commit,
    processor: `${cpu}, ${cores} cores for everything: callers, providers, contestants, gateway, database, chain`,
    memory: `${machine.memoryGiB} GiB`,
    system: machine.os,
    Node: machine.node,
    PostgreSQL: `${machine.postgres}, ${machine.durability}`,
    'a write to that disk': `${written} (median of fdatasync on 8 KiB, before the run)`,
    'load average before': String(machine.loadBefore),
  }
  return `# Paid calls and streams

Written by \`npm run bench\`; what is and is not measured stands at the top of \`lab/bench/main.ts\`. Figures are medians
of rounds, contestants in turn; least and most of the rounds in brackets.

${sections.join('\n')}
## Books and findings

${list(parts.flatMap(({ findings }) => findings))}

## Machine

${list(Object.entries(of).map(pair => pair.join(': ')))}
`
}

function sectionsOf(parts: Report['parts']): Section[] {
  const table = figureTable(Object.assign({}, ...parts.map(({ reached }) => reached)))
  const sections = parts.flatMap(part => part.sections)
  if (table === null) return sections
  const note =
    'Of `npm run bench -- --only figures`; a ratio is that of contestants side by side in the same round.'
  return [{ title: 'Figures', table, notes: [note] }, ...sections]
}
