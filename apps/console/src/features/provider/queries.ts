import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { everyOnFirstPage, usePages } from '../../ui/tables/use-pages.ts'

const POLL_INTERVAL_MS = 10_000

/** The services of the signed-in wallet, newest first. */
export function useOwnServices() {
  return usePages(['services', 'own'], (query, signal) => api.listServices({ query, signal }), {
    refetchInterval: everyOnFirstPage(POLL_INTERVAL_MS),
  })
}

/** The provider's earnings of all time, by service. */
export const earningsQuery = queryOptions({
  queryKey: ['earnings', 'all'],
  queryFn: ({ signal }) => api.readEarnings({ signal }),
  refetchInterval: POLL_INTERVAL_MS,
})

/** The public ratings of a callable service; an error for others. */
export const ratedQuery = (id: string) =>
  queryOptions({
    queryKey: ['market', 'service', id],
    queryFn: ({ signal }) => api.readMarketService({ path: { id }, signal }),
    staleTime: POLL_INTERVAL_MS,
  })
