/** Search parameters of a list: the open record, or the dialog for a new one. */
export type OpenSearch = { readonly open?: string; readonly new?: true }

export function readOpenSearch(search: Record<string, unknown>): OpenSearch {
  return {
    ...(typeof search.open === 'string' && { open: search.open }),
    ...(search.new === true && { new: true }),
  }
}
