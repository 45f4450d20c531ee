/** Rows per request of a download: the gateway's maximum. */
export const CSV_PAGE = 100
/** Most requests of one download: a million rows. */
const PAGES_MAX = 10_000

/** Fetches one page of a list as CSV. */
export type ReadCsvPage = (cursor: { cursor?: string }, signal: AbortSignal) => Promise<Response>

/**
 * Downloads a whole list as one CSV, newest first, page by page.
 *
 * @param onPage called with the number of rows so far
 */
export async function readCsv(
  readPage: ReadCsvPage,
  onPage: (entries: number) => void,
  signal: AbortSignal,
): Promise<Blob> {
  const parts: string[] = []
  let entries = 0
  let cursor: string | null = null
  for (let page = 0; page < PAGES_MAX; page++) {
    const response: Response = await readPage(cursor === null ? {} : { cursor }, signal)
    const text = await response.text()
    const headEnd = text.indexOf('\n') + 1
    parts.push(page === 0 ? text : text.slice(headEnd))
    entries += text
      .slice(headEnd)
      .split('\n')
      .filter(line => line.trim() !== '').length
    onPage(entries)
    cursor = nextOf(response.headers.get('link'))
    if (cursor === null) break
  }
  return new Blob(parts, { type: 'text/csv' })
}

/** Returns the cursor of the `rel="next"` link, or null. */
function nextOf(link: string | null): string | null {
  const [, target] = /<([^>]*)>;\s*rel="?next"?/.exec(link ?? '') ?? []
  return target === undefined ? null : new URL(target, window.location.origin).searchParams.get('cursor')
}
