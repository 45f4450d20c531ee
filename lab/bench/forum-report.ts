import type { ForumFigures, ForumLoad } from './forum.ts'
import type { Section } from './stream-report.ts'
import type { Bar } from './verdict.ts'

/**
 * The longest that jobs may be apart beside searches, in ms: the pause of each by default settings,
 * and as much again for the runs themselves on a busy machine.
 */
const APART_MS_MAX: Readonly<Record<string, number>> = {
  'keep-lease': 10_000,
  'follow-vault': 4_000,
  'seal-entries': 20_000,
}

/** The figures of searches of a large forum as a table. */
export function forumSections({ loads, topics, searchers, seconds }: ForumFigures): Section[] {
  return [
    {
      title: 'Misspelt searches beside paid calls',
      table: [
        [
          'paid calls of one caller',
          'calls/s',
          'p50 ms',
          'p99 ms',
          'longest between two runs, ms',
          'searches',
        ],
        ...loads.map(load => [
          ...[
            load.name,
            load.calls.perSecond.toFixed(0),
            load.calls.p50.toFixed(1),
            load.calls.p99.toFixed(1),
          ],
          load.jobs.map(({ name, longestMs }) => `${name} ${longestMs.toFixed(0)}`).join(', '),
          searchesOf(load),
        ]),
      ],
      notes: [
        `${searchers} searches at once, again and again, each as another client, of ${topics.toLocaleString('en-US')} ` +
          `topics; ${seconds} s each.`,
      ],
    },
  ]
}

const searchesOf = ({ searches }: ForumLoad): string =>
  Object.entries(searches)
    .map(([status, count]) => `${count} of ${status}`)
    .join(', ') || 'none'

/** Holds the jobs to their pace. */
export function forumBarsOf({ loads }: ForumFigures): Bar[] {
  const beside = loads.find(({ name }) => name === 'beside searches')
  return (beside?.jobs ?? []).map(({ name, longestMs }) => {
    const most = APART_MS_MAX[name] ?? 0
    return {
      name: `${name} beside misspelt searches runs again within ${most} ms`,
      found: `${longestMs.toFixed(0)} ms`,
      isMet: longestMs <= most,
    }
  })
}

/** What of the verdict is no bar. */
export function forumFindings({ errors }: ForumFigures): string[] {
  const [first] = errors
  return first === undefined ? [] : [`${errors.length} wrong answers, the first: ${first}`]
}
