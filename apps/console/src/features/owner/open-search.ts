import { readText } from '../../ui/state/search.ts'

/** Search parameters of a list: the open record, or the dialog for a new one. */
export type OpenSearch = { readonly open?: string | undefined; readonly new?: true }

export function readOpenSearch(search: Record<string, unknown>): OpenSearch {
  return { open: readText(search.open), ...(search.new === true && { new: true }) }
}
