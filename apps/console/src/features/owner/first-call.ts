import { useQuery } from '@tanstack/react-query'
import { api } from '../../api.ts'
import type { Snippet } from '../../ui/code-block.tsx'
import { fillIn, snippetsOf } from '../../ui/services/service-snippets.ts'
import { useFirstServices } from '../../use-first-calls.ts'

/** Services, for lists and examples. */
export function useServices() {
  return useQuery({
    queryKey: ['services', 'discover'],
    queryFn: ({ signal }) => api.discoverServices({ query: { limit: 100 }, signal }),
    staleTime: 60_000,
  })
}

/** The result when there is no such service. */
const nothing: FirstCall = { name: null, snippets: null }

/** Snippets that call a real service; `snippets` is null without one to recommend. */
export type FirstCall = { readonly name: string | null; readonly snippets: readonly Snippet[] | null }

/**
 * Returns snippets for the operator's free service, or else the cheapest trusted service or model.
 *
 * @param token the credential's token; null for a placeholder
 * @returns undefined while it loads
 */
export function useFirstCall(token: string | null): FirstCall | undefined {
  const first = useFirstServices()
  const id = first?.service?.serviceId ?? first?.model ?? undefined
  const chosen = useQuery({
    queryKey: ['market', 'service', id],
    queryFn: ({ signal }) => api.readMarketService({ path: { id: id ?? '' }, signal }),
    enabled: id !== undefined,
  })
  if (chosen.error !== null || (first !== undefined && id === undefined)) return nothing
  if (chosen.data === undefined) return undefined
  const { service } = chosen.data
  const snippets = snippetsOf(service, window.location.origin)
  return {
    name: service.serviceName,
    snippets:
      token === null ? snippets : snippets.map(({ label, code }) => ({ label, code: fillIn(code, token) })),
  }
}
