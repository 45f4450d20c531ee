/** Maximum number of pages that one loop reads. */
const PAGES_MAX = 10_000

/** A page of a list with cursors. */
type Page = { readonly nextCursor: string | null }

/**
 * Yields the pages of a list, newest first, with one request per page.
 *
 * @param read requests the page at a cursor; the first page when there is none
 * @example
 * for await (const { entries } of pages(cursor => api.listLedgerEntries({ query: { ...cursor, limit: 100 } }))) ...
 */
export async function* pages<Of extends Page>(
  read: (query: { cursor?: string }) => Promise<Of>,
): AsyncGenerator<Of, void, void> {
  let cursor: string | null = null
  for (let count = 0; count < PAGES_MAX; count++) {
    const page: Of = await read(cursor === null ? {} : { cursor })
    yield page
    cursor = page.nextCursor
    if (cursor === null) return
  }
}
