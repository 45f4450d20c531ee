import type { Mutant } from './report.ts'

/** A survivor as survivors.md names it, without its line: lines move. */
export function rowOf({ file, before, after }: Mutant): string {
  return `${file} | ${code(before)} → ${code(after)}`
}

/** Longest piece of code that a table is made to hold, in characters. */
const CODE_MAX = 160

function code(text: string): string {
  const short = text.length > CODE_MAX ? `${text.slice(0, CODE_MAX)} …` : text
  return `\`${short.replaceAll('|', '\\|')}\``
}

/** The survivors that a document explains: rows of `| file:line | before → after | why |`. */
export function explainedIn(markdown: string): Set<string> {
  const rows = markdown.matchAll(/^\| (\S+?):\d+(?:, \d+)* \| (`.*` → `.*`) \| [^|]+ \|$/gm)
  return new Set(Array.from(rows, ([, file, mutant]) => `${file} | ${mutant}`))
}
