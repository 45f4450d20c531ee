import { createClient } from '@farebox/client'
import { QueryClient } from '@tanstack/react-query'
import { currentSession, watchSession } from './session/session.ts'
import { requestSignIn } from './session/sign-in-request.ts'

const STALE_MS = 10_000
/** Figures that a job counts lag behind the calls by some seconds: a page that shows them reads them again so often. */
export const FIGURES_POLL_INTERVAL_MS = 10_000

/**
 * Every operation of the gateway, under its name. Acts for the wallet that is signed in; when its session has expired,
 * the request waits for a new one and is then sent again.
 */
export const api = createClient({
  baseUrl: '',
  token: () => currentSession()?.token ?? null,
  async onUnauthorized() {
    return (await requestSignIn('expired'))?.token ?? null
  },
})

/** What has been read. The client repeats by itself what is worth repeating. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { staleTime: STALE_MS, retry: false, refetchOnWindowFocus: true },
    mutations: { retry: false },
  },
})

/**
 * Has what a change was about read again. What is being read for the first time is begun anew: it may have been read before
 * the change, and would be taken for what is asked for.
 */
export async function refreshQueries(queryKey: readonly unknown[]): Promise<void> {
  await queryClient.cancelQueries({ queryKey })
  await queryClient.invalidateQueries({ queryKey })
}

/** What is the same whoever looks at it, by the first part of its key. */
const SHARED_QUERIES: ReadonlySet<unknown> = new Set(['console-config', 'market', 'reserves', 'chain'])

let lastAddress = currentSession()?.address
watchSession(() => {
  const address = currentSession()?.address
  if (address === lastAddress) return
  lastAddress = address
  // Nothing that one wallet has read is shown to another.
  queryClient.removeQueries({ predicate: ({ queryKey }) => !SHARED_QUERIES.has(queryKey[0]) })
})
