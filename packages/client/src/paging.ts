/** Most pages that are read by one loop. */
const PAGES_MAX = 10_000

/** A page of a list that is told with a cursor. */
type Page = { readonly nextCursor: string | null }

/**
 * The pages of a list, one request each, from the newest on.
 *
 * @param read asks for the page behind a cursor; for the first one when there is none
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
