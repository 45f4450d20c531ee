import { useQuery } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { createStore } from '../../ui/state/store.ts'
import { shorten } from '../../ui/values/address.tsx'
import { useServices } from './first-call.ts'

/** Maximum services beyond the list whose names are read, until the page is loaded again. */
const LOOKUPS_MAX = 100

/** Names of services beyond the list: those that are paused or unhealthy, and those after the first 100. */
const found = createStore<ReadonlyMap<string, string>>(new Map())
const soughtIds = new Set<string>()

/** Reads the name of a service, once. Pages call it while they render; it changes nothing before the answer. */
async function lookUp(id: string): Promise<void> {
  if (soughtIds.has(id) || soughtIds.size >= LOOKUPS_MAX) return
  soughtIds.add(id)
  const answer = await api.readMarketService({ path: { id } }).catch(() => null)
  if (answer !== null) found.set(new Map(found.read()).set(id, answer.service.serviceName))
}

/** The newest credentials, shared by most pages. */
export function useNewestCredentials() {
  return useQuery({
    queryKey: ['credentials', 'newest'],
    queryFn: ({ signal }) => api.listCredentials({ query: { limit: 100 }, signal }),
  })
}

/** Returns functions from ids to names of services and credentials. Deleted ones keep their id as name. */
export function useNames() {
  const services = useServices().data
  const others = found.use()
  const credentials = useNewestCredentials().data?.credentials
  return {
    service(id: string) {
      const name = services?.find(({ serviceId }) => serviceId === id)?.serviceName ?? others.get(id)
      if (name === undefined && services !== undefined) void lookUp(id)
      return name ?? shorten(id, 8, 6)
    },
    credential: (id: string) =>
      credentials?.find(credential => credential.id === id)?.name ?? shorten(id, 8, 6),
  }
}
