import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const options = { cwd: ROOT, exclude: ['**/node_modules/**', '**/dist/**'] }
/** Without the change log, which names what there was. */
const DOCUMENTS = globSync('{*,{docs,deploy,examples,lab,packages}/**/*}.md', options)
  .filter(document => document !== 'CHANGELOG.md')
  .toSorted()
const files = globSync('{*,.*,{apps,docs,deploy,examples,lab,packages,scripts}/**/*}', options)
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  scripts: Readonly<Record<string, string>>
}

/** Sources in backticks, by their whole path or by the end of it. Not paths of URLs, nor patterns such as `NNNN-name.sql`. */
const SOURCE = /`((?:[\w.-]+\/)*[\w.-]+\.(?:ts|tsx|sql|yaml|cjs|sol))`/g
const PLACEHOLDER = /NNNN|verb-noun/
const LINK = /\]\((?!\w+:|#)([^)#\s]+)(?:#[^)]*)?\)/g
const COMMAND = /\bnpm run ([\w:-]+)/g

test.each(DOCUMENTS)('%s names only files and commands that exist', document => {
  const text = readFileSync(join(ROOT, document), 'utf8')
  const named = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => name)
  const sources = named(SOURCE).filter(path => !PLACEHOLDER.test(path))
  expect(sources.filter(path => !files.some(file => `/${file}`.endsWith(`/${path}`)))).toEqual([])
  expect(named(LINK).filter(link => !existsSync(join(ROOT, dirname(document), link)))).toEqual([])
  expect(named(COMMAND).filter(name => scripts[name] === undefined)).toEqual([])
})
