import {
  type InfiniteData,
  type QueryKey,
  type UseInfiniteQueryOptions,
  useInfiniteQuery,
} from '@tanstack/react-query'
import { STALE_MS } from '../state/stale.ts'

type Page = { readonly nextCursor: string | null }
type Query = { readonly limit: number; readonly cursor?: string }
type Options<Of> = Pick<
  UseInfiniteQueryOptions<Of, Error, InfiniteData<Of, string>, QueryKey, string>,
  'refetchInterval' | 'refetchOnWindowFocus' | 'placeholderData'
> & { readonly limit?: number }

const LIMIT = 50

/**
 * An infinite query over a list with a cursor. A refetch sends one request per loaded page, so that the more pages are
 * loaded, the less often the list is refetched for its age.
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
    staleTime: perPage(STALE_MS),
    ...options,
  })
}

type Loaded = { state: { data?: { pages: readonly unknown[] } | undefined } }

/** Returns an interval of `ms` for each loaded page: then the requests per time are those of one page. */
export const perPage =
  (ms: number) =>
  ({ state }: Loaded) =>
    ms * Math.max(1, state.data?.pages.length ?? 0)

/** Refetches every `ms` while only the first page is loaded, so that nothing moves for a reader further down. */
export const everyOnFirstPage =
  (ms: number) =>
  ({ state }: Loaded) =>
    (state.data?.pages.length ?? 0) > 1 ? false : ms
