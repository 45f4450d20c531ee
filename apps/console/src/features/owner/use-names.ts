import { useQuery } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { shorten } from '../../ui/values/address.tsx'
import { useServices } from './first-call.ts'

/** The newest credentials: what most pages need to know of them. */
export function useNewestCredentials() {
  return useQuery({
    queryKey: ['credentials', 'newest'],
    queryFn: ({ signal }) => api.listCredentials({ query: { limit: 100 }, signal }),
  })
}

/** What people call the services and credentials behind ids; those that are gone keep their id. */
export function useNames() {
  const services = useServices().data
  const credentials = useNewestCredentials().data?.credentials
  return {
    service: (id: string) =>
      services?.find(({ serviceId }) => serviceId === id)?.serviceName ?? shorten(id, 8, 6),
    credential: (id: string) =>
      credentials?.find(credential => credential.id === id)?.name ?? shorten(id, 8, 6),
  }
}
