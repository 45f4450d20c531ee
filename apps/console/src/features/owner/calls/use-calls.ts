import { useQuery } from '@tanstack/react-query'
import { api } from '../../../api.ts'
import { everyOnFirstPage, usePages } from '../../../ui/tables/use-pages.ts'
import { useNames, useNewestCredentials } from '../use-names.ts'
import { type Call, type CallDetail, isOpen } from './call-labels.ts'
import { type CallsSearch, queryOf } from './calls-search.ts'

const PAGE = 100
const POLL_INTERVAL_MS = 5_000
/** Refetch interval of an open call. */
const OPEN_POLL_INTERVAL_MS = 1_500
/** Services and credentials of the last days to offer as filters. */
const DAYS = 90
const NAMES_STALE_MS = 60_000
/** Attempts of a request at most, more than there are. */
const ATTEMPTS_MAX = 10

/** Calls, newest first. Refetched while only the first page is loaded. */
export function useCalls(search: CallsSearch) {
  return usePages(
    ['calls', 'list', search],
    (query, signal) => api.listUsage({ query: { ...queryOf(search, Date.now()), ...query }, signal }),
    {
      limit: PAGE,
      refetchInterval: everyOnFirstPage(POLL_INTERVAL_MS),
      refetchOnWindowFocus: ({ state }) => (state.data?.pages.length ?? 0) <= 1,
    },
  )
}

/** A call by id, refetched while it is open. */
export function useCall(id: string) {
  return useQuery({
    queryKey: ['calls', 'one', id],
    queryFn: ({ signal }) => api.readInvocation({ path: { id }, signal }),
    refetchInterval: ({ state }) =>
      state.data !== undefined && isOpen(state.data.status) ? OPEN_POLL_INTERVAL_MS : false,
  })
}

/**
 * Finds the line of a call, which unlike its details has the idempotency key, among those of the page or by a request.
 *
 * @param lines undefined while they load
 */
export function useCallLine({ invocationId: id, receipt }: CallDetail, lines: readonly Call[] | undefined) {
  const shown = lines?.find(({ invocationId }) => invocationId === id)
  const { data = shown, isPending } = useQuery({
    queryKey: ['calls', 'line', id],
    enabled: lines !== undefined && shown === undefined,
    staleTime: NAMES_STALE_MS,
    async queryFn({ signal }) {
      const { serviceId, credentialId, startedAt: from } = receipt
      const to = new Date(Date.parse(from) + 1).toISOString()
      const { logs } = await api.listUsage({
        query: { limit: PAGE, serviceId, credentialId, from, to },
        signal,
      })
      return logs.find(({ invocationId }) => invocationId === id) ?? null
    },
  })
  return { line: data, isPending: data === undefined && isPending }
}

/** Reads the attempts of a request that named several models, oldest first: calls of their own under its key. */
export function useAttempts(line: Call | null | undefined) {
  return useQuery({
    queryKey: ['calls', 'attempts', line?.invocationId],
    enabled: typeof line?.idempotencyKey === 'string',
    staleTime: NAMES_STALE_MS,
    async queryFn({ signal }) {
      const { credentialId, idempotencyKey } = line ?? {}
      const { logs } = await api.listUsage({
        query: {
          limit: ATTEMPTS_MAX,
          ...(credentialId !== undefined && { credentialId }),
          ...(idempotencyKey !== undefined && { idempotencyKey }),
        },
        signal,
      })
      return logs.toReversed()
    },
  })
}

type Choice = { readonly value: string; readonly label: string }

/** Options of the filters: services and credentials used lately. */
export function useCallChoices({ service, credential }: CallsSearch) {
  const spending = useQuery({
    queryKey: ['calls', 'spending', String(DAYS)],
    queryFn: ({ signal }) => api.readSpending({ query: { days: DAYS }, signal }),
    staleTime: NAMES_STALE_MS,
  })
  const names = useNames()
  const credentials = useNewestCredentials().data?.credentials
  const serviceIds = new Set(spending.data?.byService.map(({ serviceId }) => serviceId))
  if (service !== undefined) serviceIds.add(service)
  const credentialIds = new Set([
    ...(credentials?.map(({ id }) => id) ?? []),
    ...(spending.data?.byCredential.map(({ credentialId }) => credentialId) ?? []),
  ])
  if (credential !== undefined) credentialIds.add(credential)
  const choices = (ids: ReadonlySet<string>, nameOf: (id: string) => string): Choice[] =>
    [...ids].map(id => ({ value: id, label: nameOf(id) }))
  return {
    services: choices(serviceIds, names.service),
    credentials: choices(credentialIds, names.credential),
  }
}
