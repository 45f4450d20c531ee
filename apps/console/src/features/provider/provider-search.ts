const ways = ['form', 'curl', 'openapi', 'json'] as const
/** Ways to write a manifest. */
export type Way = (typeof ways)[number]

/** Parses search parameters of the page for a new service; invalid values are ignored. */
export function readNewSearch(given: Record<string, unknown>): { readonly by?: Way } {
  const way = ways.find(each => each === given.by)
  return way === undefined ? {} : { by: way }
}

const tabs = ['overview', 'settings'] as const
export type ServiceTab = (typeof tabs)[number]

/** Parses search parameters of a service's page. `new`: it was just registered. */
export function readServiceSearch(given: Record<string, unknown>): {
  readonly tab?: ServiceTab
  readonly new?: true
} {
  const tab = tabs.find(each => each === given.tab)
  return { ...(tab !== undefined && { tab }), ...(given.new === true && { new: true as const }) }
}
