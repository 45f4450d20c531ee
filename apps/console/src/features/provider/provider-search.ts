const ways = ['form', 'curl', 'json'] as const
/** How a new service is written. */
export type Way = (typeof ways)[number]

/** Address of the page of a new service; what makes no sense is left out. */
export function readNewSearch(given: Record<string, unknown>): { readonly by?: Way } {
  const way = ways.find(each => each === given.by)
  return way === undefined ? {} : { by: way }
}

const tabs = ['overview', 'settings'] as const
export type ServiceTab = (typeof tabs)[number]

/** Address of the page of a service. `new`: it was registered a moment ago. */
export function readServiceSearch(given: Record<string, unknown>): {
  readonly tab?: ServiceTab
  readonly new?: true
} {
  const tab = tabs.find(each => each === given.tab)
  return { ...(tab !== undefined && { tab }), ...(given.new === true && { new: true as const }) }
}
