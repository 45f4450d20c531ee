/** Returns the text of examples below the help of a command. */
export function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map(line => `  ${line}`).join('\n')}`
}
