import type { Statement } from '../ports.ts'

/**
 * Returns a statement that each connection parses and plans once, for those that run all the time.
 *
 * @param name unique; a connection refuses another text of the same name
 */
export function prepared(name: string, { text, values }: Statement): Statement {
  return { name, text, values }
}
