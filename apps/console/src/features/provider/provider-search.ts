const ways = ['form', 'curl', 'openapi', 'json'] as const
/** Ways to write a manifest. */
export type Way = (typeof ways)[number]

/** Steps of the form of a new service, in their order. */
export const registrationSteps = ['about', 'calls', 'price', 'secrets', 'review'] as const
export type RegistrationStep = (typeof registrationSteps)[number]

/** Parses search parameters of the page for a new service; invalid values are ignored. */
export function readNewSearch(given: Record<string, unknown>): {
  readonly by?: Way
  readonly step?: RegistrationStep
} {
  const way = ways.find(each => each === given.by)
  const step = registrationSteps.find(each => each === given.step)
  return { ...(way !== undefined && { by: way }), ...(step !== undefined && { step }) }
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
