import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { Stryker } from '@stryker-mutator/core'
import { AREAS } from './areas.ts'
import { countsOf, type Mutant, readMutants, scoreOf, tableOf } from './report.ts'
import { explainedIn, rowOf } from './survivors.ts'

/**
 * Mutation testing: `npm run mutation`, or of some areas: `npm run mutation -- money ledger`. Each area's sources are
 * changed in one place at a time, and its tests have to fail. Ends with 1 when an area's score is below
 * {@link SCORE_MIN}, or when a survivor is not explained in lab/mutation/survivors.md or an explained one survives no more.
 *
 * `--jobs 2`: the number of mutants at once. `--incremental`: only what has changed since the last run; its results may
 * be out of date.
 */

/** Lowest share of mutants that the tests of an area have to notice, in percent. */
const SCORE_MIN = 90
/** Folder of the runs' files, which git ignores. */
const SCRATCH = '.farebox/mutation'
const EXPLANATIONS = 'lab/mutation/survivors.md'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { jobs: { type: 'string', default: '1' }, incremental: { type: 'boolean', default: false } },
})
const unknown = positionals.filter(name => !AREAS.some(area => area.name === name))
if (unknown.length > 0) throw new Error(`There is no area ${unknown.join(', ')}.`)
const chosen = AREAS.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
const say = (text: string) => process.stdout.write(`${text}\n`)

const measured: { name: string; mutants: readonly Mutant[]; seconds: number }[] = []
for (const { name, sources } of chosen) {
  const from = performance.now()
  const texts = new Map(globSync([...sources]).map(path => [resolve(path), readFileSync(path, 'utf8')]))
  // vitest.config.ts chooses the tests.
  process.env.MUTATION_AREA = name
  const results = await new Stryker({
    configFile: 'lab/mutation/stryker.config.json',
    mutate: [...sources],
    concurrency: Number(options.jobs),
    incremental: options.incremental,
    incrementalFile: `${SCRATCH}/${name}.json`,
    jsonReporter: { fileName: `${SCRATCH}/${name}-report.json` },
  }).runMutationTest()
  const seconds = (performance.now() - from) / 1_000
  measured.push({ name, seconds, mutants: readMutants(results, texts) })
  say(`${name}: ${results.length} mutants, ${seconds.toFixed(0)} s`)
}

say(`\n${tableOf(measured)}`)

const survivors = measured.flatMap(({ mutants }) => mutants.filter(({ isNoticed }) => !isNoticed))
const explained = explainedIn(readFileSync(EXPLANATIONS, 'utf8'))
const rows = new Set(survivors.map(rowOf))
const unexplained = [...rows].filter(row => !explained.has(row))
const files = new Set(measured.flatMap(({ mutants }) => mutants.map(({ file }) => file)))
const gone = [...explained].filter(row => !rows.has(row) && files.has(row.slice(0, row.indexOf(' '))))
const low = measured.filter(({ mutants }) => scoreOf(countsOf(mutants)) < SCORE_MIN)

if (unexplained.length > 0) say(`\nNot explained in ${EXPLANATIONS}:\n${unexplained.join('\n')}`)
if (gone.length > 0) say(`\nExplained there, but no survivors any more:\n${gone.join('\n')}`)
if (low.length > 0) say(`\nBelow ${SCORE_MIN}%: ${low.map(({ name }) => name).join(', ')}`)
process.exitCode = unexplained.length + gone.length + low.length > 0 ? 1 : 0
