import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  FILE_LINES_MAX,
  FOLDER_FILES_MAX,
  FUNCTION_LINES_MAX,
  type Measures,
  measure,
  type Place,
  sum,
} from './house-measures.ts'

// Measures the size of files, functions, folders and documents: `npm run house`. It fails if a figure is above its bound;
// `--list` names the places behind each figure. Where a bound is above its aim, lower it when the figure falls.

/** Aim: 0. */
const LONG_FILES_MAX = 0
/** Aim: 0. */
const LONG_FUNCTIONS_MAX = 0
/** Aim: 0. */
const FULL_FOLDERS_MAX = 0
/** Aim: 0. A spread of a literal only changes how the formatter lays it out: write its members. */
const LITERAL_SPREADS_MAX = 37
/** A visitor reads the front page in five minutes. */
const README_WORDS_MAX = 1_500
/** An operator reads all documents in two hours. */
const DOCUMENT_WORDS_MAX = 30_000
/** Programs that measure and break the gateway should be smaller than the gateway. Aim: 9,000. */
const LAB_LINES_MAX = 9_000

/** A number of the house; without a bound it is only shown. */
export type Figure = {
  readonly name: string
  readonly value: number
  readonly bound?: number
  readonly places?: readonly Place[]
}

/** Returns the figures of what was measured, each with its bound. */
export function figuresOf(measures: Measures): Figure[] {
  const { longFiles, excusedFiles, longFunctions, excusedFunctions, fullFolders, spreads, documents } =
    measures
  return [
    {
      name: `files over ${FILE_LINES_MAX} lines`,
      value: longFiles.length,
      bound: LONG_FILES_MAX,
      places: longFiles,
    },
    { name: '  with a reason', value: excusedFiles.length, places: excusedFiles },
    {
      name: `functions over ${FUNCTION_LINES_MAX} lines`,
      value: longFunctions.length,
      bound: LONG_FUNCTIONS_MAX,
      places: longFunctions,
    },
    { name: '  with a reason', value: excusedFunctions.length, places: excusedFunctions },
    {
      name: `folders over ${FOLDER_FILES_MAX} files`,
      value: fullFolders.length,
      bound: FULL_FOLDERS_MAX,
      places: fullFolders,
    },
    { name: 'spreads of literals', value: sum(spreads), bound: LITERAL_SPREADS_MAX, places: spreads },
    { name: 'words of README.md', value: measures.readmeWords, bound: README_WORDS_MAX },
    { name: 'words of docs', value: sum(documents), bound: DOCUMENT_WORDS_MAX, places: documents },
    { name: 'lines of the lab', value: measures.labLines, bound: LAB_LINES_MAX },
    { name: 'lines of source', value: measures.sourceLines },
    { name: 'lines of tests', value: measures.testLines },
  ]
}

/** Returns the lines to print and the exit code: 1 if a figure is above its bound. Names the places of such figures. */
export function report(figures: readonly Figure[], isListed: boolean): { exitCode: number; lines: string[] } {
  const isAbove = ({ value, bound = Number.POSITIVE_INFINITY }: Figure) => value > bound
  const lines = figures.flatMap(figure => {
    const { name, value, bound, places = [] } = figure
    const limit = bound === undefined ? '' : `of ${format(bound)}${isAbove(figure) ? '  TOO MANY' : ''}`
    const row = `${name.padEnd(42)}${format(value).padStart(8)} ${limit}`.trimEnd()
    const named = isListed || isAbove(figure) ? places.toSorted((a, b) => b.count - a.count) : []
    return [row, ...named.map(({ at, count }) => `${format(count).padStart(10)}  ${at}`)]
  })
  return { exitCode: figures.some(isAbove) ? 1 : 0, lines }
}

function format(count: number): string {
  return count.toLocaleString('en')
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const figures = figuresOf(measure(join(import.meta.dirname, '..')))
  const { exitCode, lines } = report(figures, process.argv.includes('--list'))
  process.stdout.write(`${lines.join('\n')}\n`)
  process.exitCode = exitCode
}
