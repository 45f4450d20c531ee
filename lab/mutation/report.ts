import { relative } from 'node:path'
import type { Stryker } from '@stryker-mutator/core'

/** A mutant in Stryker's results. */
type MutantResult = Awaited<ReturnType<Stryker['runMutationTest']>>[number]

/** A change of a source, and what the tests made of it. */
export type Mutant = {
  /** Path from the root of the project. */
  readonly file: string
  readonly line: number
  /** The lines of the source that it changes, and what it makes of them, each as one. */
  readonly before: string
  readonly after: string
  readonly status: MutantResult['status']
  readonly isNoticed: boolean
}

const NOTICED: readonly MutantResult['status'][] = ['Killed', 'Timeout']
const UNNOTICED: readonly MutantResult['status'][] = ['Survived', 'NoCoverage']

/**
 * Reads the mutants that could be run. One that does not even load says nothing of the tests.
 *
 * @param sources by path, as they were when the run began
 */
export function readMutants(
  results: readonly MutantResult[],
  sources: ReadonlyMap<string, string>,
): Mutant[] {
  return results
    .filter(({ status }) => NOTICED.includes(status) || UNNOTICED.includes(status))
    .map(({ fileName, location, replacement, status }) => ({
      file: relative(process.cwd(), fileName),
      line: location.start.line,
      ...changeOf(sources.get(fileName) ?? '', location, replacement),
      status,
      isNoticed: NOTICED.includes(status),
    }))
}

/** Returns the lines of a mutant before and after its change. */
export function changeOf(
  source: string,
  { start, end }: MutantResult['location'],
  replacement: string,
): Pick<Mutant, 'before' | 'after'> {
  const lines = source.split('\n').slice(start.line - 1, end.line)
  const head = lines.at(0)?.slice(0, start.column - 1) ?? ''
  const tail = lines.at(-1)?.slice(end.column - 1) ?? ''
  const oneLine = (text: string) => text.trim().replaceAll(/\s*\n\s*/g, ' ')
  return { before: oneLine(lines.join('\n')), after: oneLine(head + replacement + tail) }
}

/** Numbers of mutants by status. */
export type Counts = { readonly [status in 'Killed' | 'Survived' | 'NoCoverage' | 'Timeout']: number }

/** Counts mutants by their end. */
export function countsOf(mutants: readonly Mutant[]): Counts {
  const count = (status: Mutant['status']) => mutants.filter(mutant => mutant.status === status).length
  return {
    Killed: count('Killed'),
    Survived: count('Survived'),
    NoCoverage: count('NoCoverage'),
    Timeout: count('Timeout'),
  }
}

/** The share of mutants that the tests have noticed, in percent. */
export function scoreOf({ Killed, Timeout, Survived, NoCoverage }: Counts): number {
  const noticed = Killed + Timeout
  return (100 * noticed) / (noticed + Survived + NoCoverage)
}

/** Everything that was measured, as a table in Markdown. */
export function tableOf(
  areas: readonly { name: string; mutants: readonly Mutant[]; seconds: number }[],
): string {
  const row = (name: string, mutants: readonly Mutant[], seconds: number) => {
    const counts = countsOf(mutants)
    const { Killed, Survived, NoCoverage, Timeout } = counts
    const numbers = [mutants.length, Killed, Survived, NoCoverage, Timeout]
    return `| ${name} | ${numbers.join(' | ')} | ${scoreOf(counts).toFixed(1)}% | ${seconds.toFixed(0)} s |`
  }
  const seconds = areas.reduce((sum, area) => sum + area.seconds, 0)
  return [
    '| area | mutants | killed | survived | no coverage | timeout | score | took |',
    '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
    ...areas.map(area => row(area.name, area.mutants, area.seconds)),
    row(
      'all',
      areas.flatMap(({ mutants }) => mutants),
      seconds,
    ),
  ].join('\n')
}
