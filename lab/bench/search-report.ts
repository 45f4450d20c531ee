import { isSearchSound, type SearchFigures } from './search.ts'
import type { Section } from './stream-report.ts'
import type { Bar } from './verdict.ts'

/** The most that the 99th percentile of looking for services may take, in ms. */
const P99_MS_MAX = 25
/** Ways that people and agents look for services; the others show what a memory does not help. */
const HELD_TO_IT: ReadonlySet<string> = new Set([
  'discover',
  'search',
  'registry, page by page',
  'registry, by text',
])

/** The figures of a large market as a table. */
export function searchSections({ services, callers, lines }: SearchFigures): Section[] {
  return [
    {
      title: 'Looking for services',
      table: [
        ['callers', 'request', 'answers/s', 'p50 ms', 'p99 ms'],
        ...lines.map(({ request, perSecond, p50Ms, p99Ms }) => [
          ...[String(callers), request, perSecond.toFixed(0), p50Ms.toFixed(1), p99Ms.toFixed(1)],
        ]),
      ],
      notes: [
        `Of ${services.toLocaleString('en-US')} services. Texts are of one to three words; 500 of them are asked for ` +
          'again and again where nothing else is said.',
      ],
    },
  ]
}

/** Holds them to their bars. */
export function searchBarsOf({ lines, callers, services }: SearchFigures): Bar[] {
  return lines
    .filter(({ request }) => HELD_TO_IT.has(request))
    .map(({ request, p99Ms }) => ({
      name: `p99 of ${request} at most ${P99_MS_MAX} ms (${callers} callers, ${services} services)`,
      found: `${p99Ms.toFixed(1)} ms`,
      isMet: p99Ms <= P99_MS_MAX,
    }))
}

/** What of the verdict is no bar. */
export function searchFindings(figures: SearchFigures): string[] {
  if (isSearchSound(figures)) return []
  return [`${figures.errors} wrong answers of searches, the first: ${figures.errorSamples.join(' // ')}`]
}
