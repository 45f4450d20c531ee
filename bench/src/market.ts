import { setTimeout as delay } from 'node:timers/promises'
import { formatUsdc, type Usdc, usdc } from '@farebox/money'
import { generatePrivateKey, type LocalAccount, privateKeyToAccount } from 'viem/accounts'
import { type Api, createApi } from './api.ts'
import { type Balance, readBalance } from './balance.ts'
import { type ChainInfo, createDepositor } from './chain.ts'
import type { Target } from './messages.ts'
import { seedOwners } from './seed-owners.ts'

/** Most that a credential may be called per minute, by the interface. */
const RPM_MAX = 10_000_000
/** Providers of the spread load, each with one service. */
const SPREAD_PROVIDERS = 10
/** Owners that are set up at once. */
const SETUP_LANES = 8
/** Tries to have a deposit confirmed, and the pause between two, in ms. */
const CONFIRM_TRIES_MAX = 100
const CONFIRM_PAUSE_MS = 100

/** Those whose money a run moves. */
export type Accounts = {
  readonly api: Api
  /** Session tokens: owner 0 is the hot one. */
  readonly ownerTokens: readonly string[]
  /** What the owners have who come after those with a session, when there are any. */
  readonly seededBalances?: () => Promise<readonly Balance[]>
  /** Session tokens of the providers; the provider of service `i` is `i`. Service 0 is the hot one. */
  readonly providerTokens: readonly string[]
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

/**
 * Sets the market up as its users would: wallets, faucet, sign-in, deposits on chain, credentials, services.
 *
 * @param options.owners      owners of the spread load
 * @param options.hotDeposit  what the hot owner deposits; `spreadDeposit` what each of the others does
 * @param options.databaseUrl when it is told, the owners of the spread load are written as rows; there may be more of
 *   them then
 */
export async function openMarket(options: {
  gatewayUrl: string
  upstreamUrl: string
  owners: number
  price: Usdc
  hotDeposit: Usdc
  spreadDeposit: Usdc
  databaseUrl?: string
}): Promise<Market> {
  const { databaseUrl, hotDeposit } = options
  const api = createApi(options.gatewayUrl)
  const deposit = createDepositor(await api.ok<ChainInfo>('GET', '/api/v1/chain'))

  const providers = options.owners === 0 ? 1 : 1 + SPREAD_PROVIDERS
  const services = await inLanes(providers, async index => {
    const token = await api.signIn(freshWallet())
    return { token, serviceId: await registerService(api, { ...options, token, index }) }
  })
  const forOthers = databaseUrl === undefined ? 0n : BigInt(options.owners) * options.spreadDeposit
  const hotOwner = await openOwner(api, { deposit, amount: usdc(hotDeposit + forOthers) })
  const others =
    databaseUrl === undefined
      ? await signUpOthers(api, { ...options, deposit })
      : await seedOthers(databaseUrl, { ...options, from: hotOwner.address })

  const target = (owner: number, service: number, credential: string): Target => {
    return { owner, service, serviceId: services[service]?.serviceId ?? '', credential }
  }
  const spread = others.credentials.map((credential, index) =>
    target(1 + index, 1 + ((1 + index) % SPREAD_PROVIDERS), credential),
  )
  return {
    api,
    ownerTokens: [hotOwner.token, ...others.tokens],
    ...(others.balances !== null && { seededBalances: others.balances }),
    providerTokens: services.map(({ token }) => token),
    hot: [target(0, 0, hotOwner.credential)],
    spread,
    crowded: spread.map(({ owner, credential }) => target(owner, 0, credential)),
  }
}

/** The owners of the spread load: their agents' tokens, and how they are asked for what they have. */
type Others = {
  readonly credentials: readonly string[]
  readonly tokens: readonly string[]
  readonly balances: (() => Promise<readonly Balance[]>) | null
}

async function signUpOthers(
  api: Api,
  on: { owners: number; spreadDeposit: Usdc; deposit: ReturnType<typeof createDepositor> },
): Promise<Others> {
  const { owners, spreadDeposit, deposit } = on
  const others = await inLanes(owners, () => openOwner(api, { deposit, amount: spreadDeposit }))
  return {
    credentials: others.map(({ credential }) => credential),
    tokens: others.map(({ token }) => token),
    balances: null,
  }
}

async function seedOthers(
  databaseUrl: string,
  on: { owners: number; spreadDeposit: Usdc; from: string },
): Promise<Others> {
  const { owners: count, spreadDeposit: amount, from } = on
  const seeded = await seedOwners(databaseUrl, { count, amount, from, rpm: RPM_MAX })
  return { ...seeded, tokens: [] }
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

/** Signs an owner up, with a deposit on chain and a credential that nothing but its balance bounds. */
export async function openOwner(
  api: Api,
  money: { deposit: (account: LocalAccount, amount: bigint) => Promise<string>; amount: Usdc },
): Promise<{ address: string; token: string; credential: string }> {
  const account = freshWallet()
  const amountUsdc = formatUsdc(money.amount)
  await api.ok('POST', '/dev/faucet', { body: { address: account.address, amountUsdc } })
  const token = await api.signIn(account)
  const txHash = await money.deposit(account, money.amount)
  const { intent } = await api.ok<{ intent: { id: string } }>('POST', '/api/v1/balance/deposit/intent', {
    token,
    body: { tx_hash: txHash, amount: amountUsdc },
  })
  await confirmed(api, intent.id, token)
  // The default policy of an owner is meant for people, not for a million calls in minutes.
  await api.ok('PUT', '/api/v1/balance/spending-limit', { token, body: { allowUnlimited: true } })
  const { available } = await readBalance(api, token)
  if (available !== usdc(money.amount)) {
    throw new Error(`Deposited ${amountUsdc} USDC, but ${formatUsdc(available)} USDC are there to spend.`)
  }
  const { credential } = await api.ok<{ credential: { token: string } }>(
    'POST',
    '/api/v1/credentials/agent/issue',
    {
      token,
      body: { name: 'bench', rpm: RPM_MAX },
    },
  )
  return { address: account.address, token, credential: credential.token }
}

async function confirmed(api: Api, intentId: string, token: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const path = `/api/v1/balance/deposit/intents/${intentId}/confirm`
    const { status, body } = await api.call<{ code?: string }>('POST', path, { token, body: {} })
    if (status === 200) return
    if (body.code !== 'DEPOSIT_NOT_CONFIRMED' || tries === CONFIRM_TRIES_MAX) {
      throw new Error(`The deposit was not confirmed: ${JSON.stringify(body)}`)
    }
    await delay(CONFIRM_PAUSE_MS)
  }
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
