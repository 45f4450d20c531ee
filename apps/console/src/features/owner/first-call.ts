import { useQuery } from '@tanstack/react-query'
import { api } from '../../api.ts'
import type { Snippet } from '../../ui/code-block.tsx'
import { snippetsOf } from '../../ui/services/service-snippets.ts'

/** Services that there are, for lists to choose from and for examples. */
export function useServices() {
  return useQuery({
    queryKey: ['services', 'discover'],
    queryFn: ({ signal }) => api.discoverServices({ query: { limit: 100 }, signal }),
    staleTime: 60_000,
  })
}

/** Stands for a service when there is none. */
const nothing: FirstCall = { name: null, snippets: null }

/** A call of a real service, ready to be pasted; `snippets` null when no service can be called now. */
export type FirstCall = { readonly name: string | null; readonly snippets: readonly Snippet[] | null }

/**
 * A first call: of the cheapest service of a fixed price, or else of a model.
 *
 * @param token the credential's token; null for a placeholder
 * @returns undefined until it is known
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
    snippets: token === null ? snippets : snippets.map(each => fillIn(each, token)),
  }
}

/** With the token in the place of what stands for it. */
function fillIn({ label, code }: Snippet, token: string): Snippet {
  const filled = code
    .replaceAll('agt_...', token)
    .replaceAll('process.env.FAREBOX_CREDENTIAL', `'${token}'`)
    .replaceAll('os.environ["FAREBOX_CREDENTIAL"]', `"${token}"`)
  return { label, code: filled }
}
