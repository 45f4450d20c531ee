import type { Summary } from './summary.ts'

/** Rows as text for a terminal, columns aligned. */
export function alignedTable(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0)))
  return rows.map(row =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

/** Rows as a Markdown table; the first is the heading. */
export function markdownTable([heading = [], ...rows]: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [heading, heading.map(() => '---'), ...rows].map(line).join('\n')
}

/** The median, with least and most of the rounds in brackets. */
export function withSpread({ median, least, most }: Summary, digits: number): string {
  return `${median.toFixed(digits)} (${least.toFixed(digits)}-${most.toFixed(digits)})`
}
