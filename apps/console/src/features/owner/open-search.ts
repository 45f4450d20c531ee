/** What the address of a list says: which one is open, or that one is being made. */
export type OpenSearch = { readonly open?: string; readonly new?: true }

export function readOpenSearch(search: Record<string, unknown>): OpenSearch {
  return {
    ...(typeof search.open === 'string' && { open: search.open }),
    ...(search.new === true && { new: true }),
  }
}
