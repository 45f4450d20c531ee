import type { Failure } from '../failure.ts'

/** Writes to standard output: what was asked for, and nothing else. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

let isJson = false

/** Makes every line on standard error JSON. */
export function useJson(): void {
  isJson = true
}

/** Writes to standard error: progress, bills, and what is about to be signed. */
export function note(text: string): void {
  process.stderr.write(`${isJson ? JSON.stringify({ note: text }) : text}\n`)
}

/** Prints a value as JSON: indented for people, on one line for programs. */
export function printJson(value: unknown): void {
  print(process.stdout.isTTY ? JSON.stringify(value, null, 2) : JSON.stringify(value))
}

/** Prints rows in columns under their titles. Cells are padded by characters. */
export function printTable(titles: readonly string[], rows: readonly (readonly string[])[]): void {
  const shown = [titles, ...rows].map(row => row.map(safe))
  const widths = titles.map((_, column) => Math.max(...shown.map(row => row[column]?.length ?? 0)))
  for (const row of shown) {
    print(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
  }
}

/** Prints names and values, one pair a line. */
export function printFacts(facts: readonly (readonly [name: string, value: string])[]): void {
  const width = Math.max(...facts.map(([name]) => name.length))
  for (const [name, value] of facts) print(`${name.padEnd(width)}  ${safe(value)}`)
}

/** Returns text without control and bidirectional characters: a stranger's text could rewrite the terminal by them. */
export function safe(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, each =>
    each === '\n' || each === '\t' ? each : '\uFFFD',
  )
}

/** Writes a stranger's text to standard output: as it is to a file or a program, made safe on a terminal. */
export function printForeign(text: string): void {
  process.stdout.write(process.stdout.isTTY ? safe(text) : text)
}

/** Reports a failure on standard error: as JSON for programs, else as text. */
export function report(failure: Failure): void {
  const { code, message, requestId, detail, hints, exitCode } = failure
  if (isJson) {
    const error = { code, message, requestId, detail, hints }
    process.stderr.write(`${JSON.stringify({ error, exitCode })}\n`)
    return
  }
  note(`farebox: ${safe(message)}`)
  note(`  ${code}${requestId === null ? '' : ` (request ${requestId})`}`)
  for (const hint of hints) note(`  ${safe(hint)}`)
}
