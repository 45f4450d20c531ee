import {
  type InfiniteData,
  type QueryKey,
  type UseInfiniteQueryOptions,
  useInfiniteQuery,
} from '@tanstack/react-query'

type Page = { readonly nextCursor: string | null }
type Query = { readonly limit: number; readonly cursor?: string }
type Options<Of> = Pick<
  UseInfiniteQueryOptions<Of, Error, InfiniteData<Of, string>, QueryKey, string>,
  'refetchInterval' | 'refetchOnWindowFocus' | 'placeholderData'
> & { readonly limit?: number }

const LIMIT = 50

/**
 * A list that is told with a cursor, page by page.
 *
 * @param options.limit rows of a page
 */
export function usePages<Of extends Page>(
  queryKey: QueryKey,
  read: (query: Query, signal: AbortSignal) => Promise<Of>,
  { limit = LIMIT, ...options }: Options<Of> = {},
) {
  return useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      read({ limit, ...(pageParam !== '' && { cursor: pageParam }) }, signal),
    initialPageParam: '',
    getNextPageParam: page => page.nextCursor ?? undefined,
    ...options,
  })
}

/** Reads a list again every so many ms, as long as one page of it is shown: nothing moves under who reads on. */
export const everyOnFirstPage =
  (ms: number) =>
  ({ state }: { state: { data?: { pages: readonly unknown[] } | undefined } }) =>
    (state.data?.pages.length ?? 0) > 1 ? false : ms
