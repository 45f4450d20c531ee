import { createClient } from '@farebox/client'
import { notifyManager, QueryClient } from '@tanstack/react-query'
import { fetchOrTakeEarly } from './early-requests.ts'
import { currentSession, watchSession } from './session/session.ts'
import { requestSignIn } from './session/sign-in-request.ts'
import { silentSince, watched } from './ui/state/reachability.ts'
import { STALE_MS } from './ui/state/stale.ts'

/** Refetch interval of pages that show counted figures. A job counts them a few seconds after the calls. */
export const FIGURES_POLL_INTERVAL_MS = 10_000

/** `fetch` of requests to the gateway. */
export const watchedFetch = watched(fetchOrTakeEarly)

/**
 * The client of the gateway, with one method per operation. It sends the token of the signed-in wallet. When the
 * session has expired, the request waits for a new one and is sent again.
 */
export const api = createClient({
  baseUrl: '',
  fetch: watchedFetch,
  token: () => currentSession()?.token ?? null,
  async onUnauthorized() {
    return (await requestSignIn('expired'))?.token ?? null
  },
})

// By default, components hear of a mutation in a later task: the second click of a double click would come before that,
// and send it again.
notifyManager.setScheduler(queueMicrotask)

/** The query cache. Retries are off because the client itself retries what is worth retrying. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { staleTime: STALE_MS, retry: false, refetchOnWindowFocus: true },
    mutations: { retry: false },
  },
})

/**
 * Invalidates queries after a change. Cancels fetches in flight first: they may have been answered before the change.
 */
export async function refreshQueries(queryKey: readonly unknown[]): Promise<void> {
  await queryClient.cancelQueries({ queryKey })
  await queryClient.invalidateQueries({ queryKey })
}

// Refetches failed and stale queries.
silentSince.watch(() => {
  if (silentSince.read() === null) void queryClient.invalidateQueries()
})

/** First parts of the keys of queries whose answers do not depend on the wallet. */
const SHARED_QUERIES: ReadonlySet<unknown> = new Set([
  'console-config',
  'gateway',
  'market',
  'reserves',
  'chain',
])

let lastAddress = currentSession()?.address
watchSession(() => {
  const address = currentSession()?.address
  if (address === lastAddress) return
  lastAddress = address
  // Drop everything that was fetched for the previous wallet.
  queryClient.removeQueries({ predicate: ({ queryKey }) => !SHARED_QUERIES.has(queryKey[0]) })
})
