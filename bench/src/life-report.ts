import { isLifeSound, type LifeFigures } from './long-life.ts'
import { moneyOf, type Section } from './stream-report.ts'
import { withSpread } from './table.ts'
import type { Bar } from './verdict.ts'

/** The least share of a young gateway's calls per second that an old one must serve. */
const RATIO_MIN = 0.9
/** The most that the 99th percentile of any page may take, in ms. */
const PAGE_P99_MS_MAX = 25

const thousands = (count: number) => count.toLocaleString('en-US')

/** The figures of a long life as tables. */
export function lifeSections({ size, callers, readers, databaseMiB, lines, pages }: LifeFigures): Section[] {
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
      notes: [`The history: ${history}. Both gateways ran all the time and were called in turn.`],
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

/** Holds them to their bars. */
export function lifeBarsOf({ lines, pages, books }: LifeFigures): Bar[] {
  const slowest = Math.max(...pages.map(page => page.p99Ms))
  return [
    ...lines.map(({ load, ratio }) => ({
      name: `with a history, at least ${RATIO_MIN} of the calls of an empty gateway (${load})`,
      found: ratio.median.toFixed(3),
      isMet: ratio.median >= RATIO_MIN,
    })),
    {
      name: `p99 of pages of the history at most ${PAGE_P99_MS_MAX} ms`,
      found: `${slowest.toFixed(1)} ms`,
      isMet: slowest <= PAGE_P99_MS_MAX,
    },
    {
      name: 'books exact with a history',
      found: books.isExact ? 'exact' : 'NOT exact',
      isMet: books.isExact,
    },
  ]
}

/** What of the verdict is no bar. */
export function lifeFindings(figures: LifeFigures): string[] {
  const { books, errors, errorSamples } = figures
  return [
    `with a history: ${moneyOf(books)}`,
    ...books.findings,
    ...(isLifeSound(figures) || errors === 0
      ? []
      : [`${errors} wrong answers, the first: ${errorSamples.join(' // ')}`]),
  ]
}
