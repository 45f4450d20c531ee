import { useQuery } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { createStore } from '../../ui/state/store.ts'
import { shorten } from '../../ui/values/address.tsx'
import { useServices } from './first-call.ts'

/** Maximum names beyond the lists that are read, until the page is loaded again. */
const LOOKUPS_MAX = 100

/**
 * Names beyond the lists by id: of services that are paused or unhealthy or come after the first 100, and of credentials
 * older than the newest.
 */
const found = createStore<ReadonlyMap<string, string>>(new Map())
const soughtIds = new Set<string>()

/** Reads a name, once. Pages call it while they render; it changes nothing before the answer. */
async function lookUp(id: string, read: () => Promise<string | null>): Promise<void> {
  if (soughtIds.has(id) || soughtIds.size >= LOOKUPS_MAX) return
  soughtIds.add(id)
  const name = await read().catch(() => null)
  if (name !== null) found.set(new Map(found.read()).set(id, name))
}

/** The newest credentials, shared by most pages. */
export function useNewestCredentials() {
  return useQuery({
    queryKey: ['credentials', 'newest'],
    queryFn: ({ signal }) => api.listCredentials({ query: { limit: 100 }, signal }),
  })
}

type Read = (id: string) => Promise<string | null>
const readService: Read = async id => (await api.readMarketService({ path: { id } })).service.serviceName
const readCredential: Read = async id =>
  (await api.listCredentials({ query: { id } })).credentials[0]?.name ?? null

/** Returns functions from ids to names of services and credentials. Deleted ones keep their id as name. */
export function useNames() {
  const services = useServices().data
  const others = found.use()
  const credentials = useNewestCredentials().data?.credentials
  const nameOf = (id: string, listed: string | undefined, isListRead: boolean, read: Read) => {
    const name = listed ?? others.get(id)
    if (name === undefined && isListRead) void lookUp(id, () => read(id))
    return name ?? shorten(id, 8, 6)
  }
  return {
    service: (id: string) =>
      nameOf(
        id,
        services?.find(({ serviceId }) => serviceId === id)?.serviceName,
        services !== undefined,
        readService,
      ),
    credential: (id: string) =>
      nameOf(
        id,
        credentials?.find(credential => credential.id === id)?.name,
        credentials !== undefined,
        readCredential,
      ),
  }
}
