import { formatUsdc, type Usdc } from '@farebox/money'
import { generatePrivateKey, type LocalAccount, privateKeyToAccount } from 'viem/accounts'
import { type Api, createApi } from './api.ts'
import type { Balance } from './balance.ts'
import type { Target } from './messages.ts'
import type { BenchGateway } from './site.ts'

/** Providers of the spread load, each with one service. */
const SPREAD_PROVIDERS = 10
/** Owners that are set up at once. */
const SETUP_LANES = 8

/** Those whose money a run moves. */
export type Accounts = {
  readonly api: Api
  /** What each owner has. */
  readOwners(): Promise<readonly Balance[]>
  /** Session tokens of the providers; the provider of service `i` is `i`. Service 0 is the hot one. */
  readonly providerTokens: readonly string[]
  /** The invariants of the books that are broken. */
  reconcile(): Promise<readonly string[]>
}

/** Who takes part, and by which credentials they call which services. */
export type Market = Accounts & {
  /** One owner, one credential, one service. */
  readonly hot: readonly Target[]
  /** Many owners with a credential each, on the services of several providers. */
  readonly spread: readonly Target[]
  /** The same owners, all on the hot service. */
  readonly crowded: readonly Target[]
}

/** Has providers sign in at a gateway and register their services; the owners are those of its database. */
export async function openMarket(options: {
  gateway: BenchGateway
  upstreamUrl: string
  price: Usdc
}): Promise<Market> {
  const { url, owners, reconcile } = options.gateway
  const api = createApi(url)
  const services = await inLanes(1 + SPREAD_PROVIDERS, async index => {
    const token = await api.signIn(freshWallet())
    return { token, serviceId: await registerService(api, { ...options, token, index }) }
  })
  const targets = owners.credentials.map((credential, owner): Target => {
    const service = owner === 0 ? 0 : 1 + (owner % SPREAD_PROVIDERS)
    return { owner, service, serviceId: services[service]?.serviceId ?? '', credential }
  })
  const [hot] = targets
  if (hot === undefined) throw new Error('The market has no owners.')
  const spread = targets.slice(1)
  return {
    api,
    reconcile,
    readOwners: owners.balances,
    providerTokens: services.map(({ token }) => token),
    hot: [hot],
    spread,
    crowded: spread.map(target => ({ ...target, service: hot.service, serviceId: hot.serviceId })),
  }
}

/** Does the work for every index, a few at once; results in order. */
export async function inLanes<Result>(
  count: number,
  work: (index: number) => Promise<Result>,
): Promise<Result[]> {
  const indices = Array.from({ length: count }, (_, index) => index)
  const results: Result[] = []
  const waiting = indices.values()
  const lane = async () => {
    for (const index of waiting) results[index] = await work(index)
  }
  await Promise.all(Array.from({ length: SETUP_LANES }, lane))
  return results
}

/** A wallet that nobody has seen before. */
export function freshWallet(): LocalAccount {
  return privateKeyToAccount(generatePrivateKey())
}

/** Registers a service with a fixed price; returns its id. */
export async function registerService(
  api: Api,
  on: { token: string; index: number; price: Usdc; upstreamUrl: string },
): Promise<string> {
  const { token, index, price, upstreamUrl } = on
  const body = {
    serviceName: `Bench service ${index}`,
    agentToolName: `bench-${index}`,
    summary: 'Answers at once.',
    pricing: { currency: 'USDC', amount: formatUsdc(price) },
    invoke: {
      method: 'POST',
      targets: [{ url: `${upstreamUrl}/service-${index}`, weight: 1 }],
      request: {},
      response: {},
    },
  }
  return (await api.ok<{ serviceId: string }>('POST', '/api/v1/services', { token, body })).serviceId
}
