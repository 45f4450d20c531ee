import { type QueryKey, useInfiniteQuery } from '@tanstack/react-query'

type Page = { readonly nextCursor: string | null }
const PAGE_SIZE = 50

/** A list that is told with a cursor, page by page. */
export function usePages<Of extends Page>(
  queryKey: QueryKey,
  read: (query: { limit: number; cursor?: string }, signal: AbortSignal) => Promise<Of>,
  options: { refetchInterval?: number } = {},
) {
  return useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      read({ limit: PAGE_SIZE, ...(pageParam !== '' && { cursor: pageParam }) }, signal),
    initialPageParam: '',
    getNextPageParam: page => page.nextCursor ?? undefined,
    ...options,
  })
}
