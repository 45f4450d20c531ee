import { useQuery } from '@tanstack/react-query'
import { api } from '../../api.ts'
import type { Snippet } from '../../ui/code-block.tsx'
import { fillIn, snippetsOf } from '../../ui/services/service-snippets.ts'

/** Services, for lists and examples. */
export function useServices() {
  return useQuery({
    queryKey: ['services', 'discover'],
    queryFn: ({ signal }) => api.discoverServices({ query: { limit: 100 }, signal }),
    staleTime: 60_000,
  })
}

/** The result when no service can be called. */
const nothing: FirstCall = { name: null, snippets: null }

/** Snippets that call a real service; `snippets` is null when no service can be called now. */
export type FirstCall = { readonly name: string | null; readonly snippets: readonly Snippet[] | null }

/**
 * Returns snippets for the cheapest service with a fixed price, or else for a model.
 *
 * @param token the credential's token; null for a placeholder
 * @returns undefined while it loads
 */
export function useFirstCall(token: string | null): FirstCall | undefined {
  const { data: services, error } = useServices()
  const priced = services?.flatMap(service =>
    service.priceModel === 'fixed' ? [{ id: service.serviceId, price: Number(service.pricing.amount) }] : [],
  )
  const id = priced?.toSorted((a, b) => a.price - b.price)[0]?.id ?? services?.[0]?.serviceId
  const chosen = useQuery({
    queryKey: ['market', 'service', id],
    queryFn: ({ signal }) => api.readMarketService({ path: { id: id ?? '' }, signal }),
    enabled: id !== undefined,
  })
  if (error !== null || chosen.error !== null || services?.length === 0) return nothing
  if (chosen.data === undefined) return undefined
  const { service } = chosen.data
  const snippets = snippetsOf(service, window.location.origin)
  return {
    name: service.serviceName,
    snippets:
      token === null ? snippets : snippets.map(({ label, code }) => ({ label, code: fillIn(code, token) })),
  }
}
