import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
const TESTS = '{packages,apps,lab,scripts}/**/*.test.ts'
/** Modules that start a database, a chain or a browser. */
const PARTS = [
  'apps/gateway/test/kit/database/test-database.ts',
  'apps/gateway/src/dev/postgres/embedded-postgres.ts',
  'apps/gateway/src/dev/anvil.ts',
  'apps/gateway/src/tour/gateway.ts',
  'apps/gateway/test/kit/gateway/npm-start.ts',
  'apps/console/test/kit/launch.ts',
].map(file => join(ROOT, file))
const IMPORTED = /(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+\.tsx?)'/g

/**
 * Returns the test files of this repository: `quick` ones import nothing, however indirectly, that starts a database, a
 * chain or a browser; `parts` are the others.
 */
export function testFiles(): { quick: string[]; parts: string[] } {
  const usesParts = new Map(PARTS.map(file => [file, true]))
  const files = globSync(TESTS, { cwd: ROOT, exclude: ['**/node_modules/**'] }).toSorted()
  return {
    quick: files.filter(file => !reachesParts(join(ROOT, file), usesParts)),
    parts: files.filter(file => reachesParts(join(ROOT, file), usesParts)),
  }
}

/** @param known answers so far; a file on the way counts as one that does not, so that circles end */
function reachesParts(file: string, known: Map<string, boolean>): boolean {
  const before = known.get(file)
  if (before !== undefined) return before
  known.set(file, false)
  const paths = [...readFileSync(file, 'utf8').matchAll(IMPORTED)].map(([, path = '']) => path)
  const imported = paths.map(path => resolve(dirname(file), path)).filter(existsSync)
  const found = imported.some(each => reachesParts(each, known))
  known.set(file, found)
  return found
}
