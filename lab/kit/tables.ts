/** Median, least and most of some rounds. */
export type Summary = { readonly median: number; readonly least: number; readonly most: number }

/** Returns the median, least and most; NaN of nothing. The median of an even number is the mean of the middle two. */
export function summary(values: readonly number[]): Summary {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length / 2
  const [low = Number.NaN, high = Number.NaN] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]]
  return { median: (low + high) / 2, least: sorted[0] ?? Number.NaN, most: sorted.at(-1) ?? Number.NaN }
}

/** Returns rows as text for a terminal, columns aligned. */
export function alignedTable(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0)))
  return rows.map(row =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

/** Returns rows as a Markdown table; the first is the heading. */
export function markdownTable([heading = [], ...rows]: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [heading, heading.map(() => '---'), ...rows].map(line).join('\n')
}

/** Returns the median, with least and most of the rounds in brackets. */
export function withSpread({ median, least, most }: Summary, digits: number): string {
  return `${median.toFixed(digits)} (${least.toFixed(digits)}-${most.toFixed(digits)})`
}
