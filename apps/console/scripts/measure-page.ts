import lighthouse, { type Result } from 'lighthouse'

/** Lowest good score of a category, of 100. */
export const SCORE_MIN = 95
const ATTEMPTS_MAX = 4
/** Performance last: it is the only one that the load of the machine changes. */
const CATEGORIES = ['accessibility', 'best-practices', 'seo', 'performance'] as const
/** Audits with a lower score, of 1, are reported. */
const AUDIT_SCORE_MIN = 0.9

/**
 * Measures a page by Lighthouse with its mobile preset, and retries when a busy machine makes Lighthouse lose it. Empties
 * the browser's cache before; its local storage, with the session, stays.
 *
 * @param port  debugging port of a browser
 * @param scope with performance by default, which takes longest
 */
export async function measurePage(
  port: number,
  url: string,
  scope: 'whole' | 'without performance' = 'whole',
): Promise<Result> {
  const categories = scope === 'whole' ? [...CATEGORIES] : CATEGORIES.slice(0, -1)
  for (let attempt = 1; ; attempt++) {
    const result = await lighthouse(url, {
      port,
      output: 'json',
      logLevel: 'silent',
      onlyCategories: categories,
      // Nobody looks at the picture, and no score depends on it.
      disableFullPageScreenshot: true,
    })
    const fault = result?.lhr.runtimeError
    if (result !== undefined && fault === undefined) return result.lhr
    if (attempt === ATTEMPTS_MAX) throw new Error(`${url} cannot be measured: ${fault?.message}`)
  }
}

/** Returns the scores of the measured categories, of 100. */
export function scoresOf({ categories }: Result): Record<string, number> {
  const entries = Object.values(categories)
  return Object.fromEntries(entries.map(({ id, score }) => [id, Math.round((score ?? 0) * 100)]))
}

/** Returns what a page lost points for. */
export function faultsOf({ audits }: Result): string[] {
  return Object.values(audits).flatMap(({ id, score, scoreDisplayMode, displayValue, title }) =>
    score !== null && score < AUDIT_SCORE_MIN && scoreDisplayMode !== 'informative'
      ? [`${id}: ${displayValue ?? title}`]
      : [],
  )
}
