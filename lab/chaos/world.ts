import { randomBytes } from 'node:crypto'
import { formatUsdc, usdc } from '@farebox/money'
import type { Address } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import type { LabChain } from './chain.ts'
import type { LabGateway } from './gateways.ts'
import type { AskedDeposit, Credential, ServiceName } from './history.ts'
import { askWell, bearer } from './http.ts'
import type { TcpProxy } from './tcp-proxy.ts'

/** Who pays for calls. */
const OWNERS = 4
/** What an owner starts with: more than the longest run spends. */
const FUNDS = usdc(2_000_000_000n)
const READY_LIMIT_MS = 30_000
/** Prices of the model, micro-USDC per million tokens. */
export const TOKEN_PRICES = { input: 1_500_000n, output: 6_000_000n } as const
/** The platform's part of each charge. */
export const FEE_BASIS_POINTS = 250
/** Longest time that a provider may take for a call, in ms. */
const CALL_TIMEOUT_MS = 4_000

/** A wallet that has signed in. */
export type Person = { readonly wallet: Address; readonly token: string }

/** A service of the market. */
export type Service = {
  readonly name: ServiceName
  readonly id: string
  readonly owner: Person
  /** Prices that it may have now, the one that was asked for last at the end; of the model none. */
  prices: bigint[]
}

/** People, services and credentials that live as long as the laboratory. */
export type World = {
  readonly owners: readonly Person[]
  readonly providers: readonly Person[]
  readonly services: readonly Service[]
  readonly credentials: readonly Credential[]
  /** Of the model's provider. */
  readonly secret: string
  /** What was paid in at the start. */
  readonly deposits: readonly AskedDeposit[]
}

/** Settings of a gateway as an operator gives them, with leases as short as they may be. */
export function gatewaySettings(parts: {
  chain: LabChain
  databaseUrl: (port: number) => string
}): (lines: { database: number; chain: number }) => Record<string, string> {
  const { chain, databaseUrl } = parts
  const secrets = {
    JWT_SECRET: randomBytes(32).toString('hex'),
    ENCRYPTION_KEY: randomBytes(32).toString('hex'),
  }
  return lines => ({
    FAREBOX_MODE: 'production',
    LOG_LEVEL: 'warn',
    PUBLIC_URL: 'http://farebox.example',
    ...secrets,
    DATABASE_URL: databaseUrl(lines.database),
    CHAIN_RPC_URL: `http://127.0.0.1:${lines.chain}`,
    VAULT_ADDRESS: chain.contracts.vault,
    TICKET_SIGNER_KEY: chain.ticketSignerKey,
    REQUIRED_CONFIRMATIONS: String(chain.adapter.facts.requiredConfirmations),
    LEASE_SECONDS: '1',
    DRAIN_SECONDS: '2',
    FOLLOWER_INTERVAL_SECONDS: '0.2',
    AUTO_CREDIT_AFTER_SECONDS: '0.3',
    RECONCILE_INTERVAL_SECONDS: '3',
    PROBE_INTERVAL_SECONDS: '1',
    DATABASE_CONNECTIONS: '8',
    ALLOW_PRIVATE_TARGETS: 'true',
    ALLOW_HTTP_TARGETS: 'true',
    SPENDING_LIMIT_USDC: '100000000',
    WITHDRAW_AUTO_APPROVE_MAX_USDC: '1000000',
    WITHDRAW_AUTO_APPROVE_TOTAL_USDC: '1000000',
    PLATFORM_FEE_BPS: String(FEE_BASIS_POINTS),
    CHALLENGES_PER_MINUTE: '1000000',
  })
}

/** Makes the world, by the public interface of a gateway, while nothing is wrong yet. */
export async function settleWorld(parts: {
  gateway: LabGateway
  chain: LabChain
  lines: Readonly<Record<ServiceName | 'spare', TcpProxy>>
}): Promise<World> {
  const { gateway, chain, lines } = parts
  const owners = await Promise.all(Array.from({ length: OWNERS }, () => arrive(gateway)))
  const providers = await Promise.all(Array.from({ length: 3 }, () => arrive(gateway)))
  const deposits: AskedDeposit[] = []
  for (const { wallet } of owners) {
    await chain.equip(wallet)
    const txHash = await chain.deposit(wallet, FUNDS)
    deposits.push({ wallet: wallet.toLowerCase(), amount: FUNDS, txHash, isAcknowledged: false })
  }
  await chain.begin()
  const [one, two, three] = providers
  if (one === undefined || two === undefined || three === undefined) throw new Error('A provider is missing.')
  const url = (line: ServiceName | 'spare') =>
    `http://127.0.0.1:${lines[line].port}/${line === 'model' ? 'chat' : ''}`
  const services = [
    await register(gateway, {
      name: 'fixed',
      owner: one,
      urls: [url('fixed'), url('spare')],
      price: 10_000n,
    }),
    await register(gateway, { name: 'slow', owner: two, urls: [url('slow')], price: 20_000n }),
    await register(gateway, { name: 'failing', owner: one, urls: [url('failing')], price: 5_000n }),
    await register(gateway, { name: 'model', owner: three, urls: [url('model')], price: null }),
  ]
  const { secret } = await askWell<{ secret: { secretKey: string } }>(gateway, {
    path: '/api/v1/secrets/provider/issue',
    headers: bearer(three.token),
    body: { name: 'server' },
  })
  for (const owner of owners) await untilFunded(gateway, owner)
  const credentials = await Promise.all(owners.map(owner => issue(gateway, owner, null)))
  return { owners, providers, services, credentials, secret: secret.secretKey, deposits }
}

async function arrive(gateway: LabGateway): Promise<Person> {
  const account = privateKeyToAccount(generatePrivateKey())
  const asked = `/api/v1/auth/challenge?address=${account.address}`
  const { challenge } = await askWell<{ challenge: string }>(gateway, { method: 'GET', path: asked })
  const signature = await account.signMessage({ message: challenge })
  const body = { address: account.address, message: challenge, signature }
  const { token } = await askWell<{ token: string }>(gateway, { path: '/api/v1/auth/verify', body })
  return { wallet: account.address, token }
}

async function register(
  gateway: LabGateway,
  { name, owner, urls, price }: { name: ServiceName; owner: Person; urls: string[]; price: bigint | null },
): Promise<Service> {
  const pricing =
    price === null
      ? {
          serviceKind: 'llm',
          priceModel: 'token_metered',
          defaultMaxOutputTokens: 64,
          maxAutoHoldUsdc: '1',
          inputPricePer1MTokensUsdc: formatUsdc(usdc(TOKEN_PRICES.input)),
          outputPricePer1MTokensUsdc: formatUsdc(usdc(TOKEN_PRICES.output)),
        }
      : { pricing: priceBody(price) }
  const targets = urls.map(url => ({ url, weight: 1 }))
  const body = {
    serviceName: `Chaos ${name}`,
    ...pricing,
    invoke: { method: 'POST', targets, timeoutMs: CALL_TIMEOUT_MS },
  }
  const { serviceId } = await askWell<{ serviceId: string }>(gateway, {
    path: '/api/v1/services',
    headers: bearer(owner.token),
    body,
  })
  return { name, id: serviceId, owner, prices: price === null ? [] : [price] }
}

/** `pricing` of a manifest. */
export const priceBody = (price: bigint) => ({ currency: 'USDC', amount: formatUsdc(usdc(price)) })

/**
 * Issues a credential.
 *
 * @param limit most that it may spend, in micro-USDC; null: what its owner has
 */
export async function issue(
  gateway: { readonly url: string },
  owner: Person,
  limit: bigint | null,
): Promise<Credential> {
  const creditLimit = limit === null ? {} : { creditLimit: formatUsdc(usdc(limit)) }
  const { credential } = await askWell<{ credential: { token: string; credential_id: string } }>(gateway, {
    path: '/api/v1/credentials/agent/issue',
    headers: bearer(owner.token),
    body: { name: 'chaos', rpm: 1_000_000, ...creditLimit },
  })
  const { token, credential_id: id } = credential
  return { id, token, limit, payer: owner.wallet.toLowerCase(), isRevoked: false }
}

/** Nobody has registered the first deposits: they are credited all the same. */
async function untilFunded(gateway: LabGateway, owner: Person): Promise<void> {
  const giveUpAt = performance.now() + READY_LIMIT_MS
  for (;;) {
    const balance = await askWell<Record<string, string>>(gateway, {
      method: 'GET',
      path: '/api/v1/balance',
      headers: bearer(owner.token),
    })
    if (balance.consumer_available_balance === formatUsdc(FUNDS)) return
    if (performance.now() > giveUpAt) throw new Error('The first deposits were not credited.')
    await new Promise(done => setTimeout(done, 100))
  }
}
