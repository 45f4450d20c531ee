import type { Usdc } from '@farebox/money'
import { arrive, balanceOf, type Offer, register } from '../../kit/person.ts'
import type { SiteGateway } from '../../kit/site.ts'
import type { Target } from '../workers/messages.ts'
import type { Accounts } from './books.ts'

/** Providers of the spread load, each with one service. */
const SPREAD_PROVIDERS = 10
/** Pieces of work that are done at once. */
const LANES = 8

/** Owners by their credentials, and the services that they call. */
export type Market = Accounts & {
  /** One owner, one credential, one service (0). */
  readonly hot: readonly Target[]
  /** Many owners with a credential each, on the services of several providers. */
  readonly spread: readonly Target[]
}

/** Registers the services of several providers at a gateway; the owners are those of its database. */
export async function openMarket(on: {
  gateway: SiteGateway
  providerUrl: string
  price: Usdc
}): Promise<Market> {
  const { gateway, price, providerUrl } = on
  const offers = Array.from({ length: 1 + SPREAD_PROVIDERS }, (_, index) => {
    return { name: `Bench ${index}`, urls: [`${providerUrl}/service-${index}`], price }
  })
  const { services, ...accounts } = await openServices(gateway, offers)
  const targets = gateway.owners.credentials.map((credential, owner): Target => {
    const service = owner === 0 ? 0 : 1 + (owner % SPREAD_PROVIDERS)
    return { owner, service, serviceId: services[service] ?? '', credential }
  })
  const [hot] = targets
  if (hot === undefined) throw new Error('The market has no owners.')
  return { ...accounts, hot: [hot], spread: targets.slice(1) }
}

/** Registers services, each of a provider of its own; returns their ids. */
export async function openServices(
  { url, owners, reconcile }: SiteGateway,
  offers: readonly Offer[],
): Promise<Accounts & { readonly services: readonly string[] }> {
  const providers = await inLanes(offers.length, () => arrive(url))
  const services = await Promise.all(
    providers.map((provider, index) => register(provider, offers[index] as Offer)),
  )
  const readProviders = () => Promise.all(providers.map(balanceOf))
  return { readOwners: owners.balances, readProviders, reconcile, services }
}

/** Does the work for every index, a few at once; results in order. */
export async function inLanes<Result>(
  count: number,
  work: (index: number) => Promise<Result>,
): Promise<Result[]> {
  const indices = Array.from({ length: count }, (_, index) => index).values()
  const results: Result[] = []
  const lane = async () => {
    for (const index of indices) results[index] = await work(index)
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  return results
}
