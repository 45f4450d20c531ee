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
 * An infinite query over a list with a cursor.
 *
 * @param options.limit rows per page
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

/** Refetches every `ms` while only the first page is loaded, so that nothing moves for a reader further down. */
export const everyOnFirstPage =
  (ms: number) =>
  ({ state }: { state: { data?: { pages: readonly unknown[] } | undefined } }) =>
    (state.data?.pages.length ?? 0) > 1 ? false : ms
