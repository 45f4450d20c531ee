import type { Reached } from './figures.ts'
import type { LifeFigures } from './long-life.ts'
import { booksBar, soundnessFindings } from './open-loop-run.ts'
import type { Section } from './stream-report.ts'
import { withSpread } from './table.ts'
import type { Bar } from './verdict.ts'

/** The most that the 99th percentile of any page may take, in ms. */
const PAGE_P99_MS_MAX = 25

const thousands = (count: number) => count.toLocaleString('en-US')

/** The figures of a long life as tables. */
export function lifeSections(figures: LifeFigures): Section[] {
  const { size, callers, readers, databaseMiB, startSeconds, lines, pages } = figures
  const history =
    `${thousands(size.invocations)} calls, ${thousands(size.credentials)} credentials and ` +
    `${thousands(size.services)} services, ${thousands(databaseMiB)} MiB of database`
  return [
    {
      title: 'A gateway with a history beside an empty one',
      table: [
        ['callers', 'load', 'empty, calls/s (rounds)', 'with a history, calls/s (rounds)', 'ratio (rounds)'],
        ...lines.map(({ load, young, old, ratio }) => [
          ...[String(callers), load, withSpread(young, 0), withSpread(old, 0)],
          withSpread(ratio, 3),
        ]),
      ],
      notes: [
        `The history: ${history}. Both gateways ran all the time and were called in turn. The one with a history, ` +
          `started again, was ready after ${withSpread(startSeconds, 2)} s.`,
      ],
    },
    {
      title: 'Pages of that history',
      table: [
        ['readers', 'page', 'pages/s', 'p50 ms', 'p99 ms'],
        ...pages.map(({ page, perSecond, p50Ms, p99Ms }) => [
          ...[String(readers), page, perSecond.toFixed(0), p50Ms.toFixed(1), p99Ms.toFixed(1)],
        ]),
      ],
      notes: ['Of a wallet that made one call in five; 20 rows a page.'],
    },
  ]
}

/** What of the figures of the core this is. */
export function lifeReached({ lines, startSeconds }: LifeFigures): Reached {
  const ratioOf = (name: string) => lines.find(({ load }) => load === name)?.ratio ?? null
  return {
    oneOwnerWithHistory: ratioOf('one owner'),
    manyOwnersWithHistory: ratioOf('many owners'),
    start: startSeconds,
  }
}

/** Holds them to their bars. */
export function lifeBarsOf({ pages, books }: LifeFigures): Bar[] {
  const slowest = Math.max(...pages.map(page => page.p99Ms))
  return [
    {
      name: `p99 of pages of the history at most ${PAGE_P99_MS_MAX} ms`,
      found: `${slowest.toFixed(1)} ms`,
      isMet: slowest <= PAGE_P99_MS_MAX,
    },
    booksBar(books.old, 'calls with a history'),
  ]
}

/** What of the verdict is no bar. */
export const lifeFindings = ({ books, errors, errorSamples }: LifeFigures): string[] => [
  ...soundnessFindings(books.young, 'beside a history'),
  ...soundnessFindings(books.old, 'with a history'),
  ...(errors === 0 ? [] : [`${errors} pages were wrong, the first: ${errorSamples.join(' // ')}`]),
]
