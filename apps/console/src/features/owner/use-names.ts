import { useQuery } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { shorten } from '../../ui/values/address.tsx'
import { useServices } from './first-call.ts'

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
  const credentials = useNewestCredentials().data?.credentials
  return {
    service: (id: string) =>
      services?.find(({ serviceId }) => serviceId === id)?.serviceName ?? shorten(id, 8, 6),
    credential: (id: string) =>
      credentials?.find(credential => credential.id === id)?.name ?? shorten(id, 8, 6),
  }
}
