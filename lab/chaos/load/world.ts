import { formatUsdc, usdc } from '@farebox/money'
import type { TcpProxy } from '../../../apps/gateway/test/kit/network/tcp-proxy.ts'
import { productionSettings } from '../../kit/gateway-process.ts'
import { arrive, balanceOf, mint, type Person, register } from '../../kit/person.ts'
import { until } from '../../kit/processes.ts'
import type { AskedDeposit, Credential, ServiceName } from '../check/history.ts'
import type { LabChain } from '../parts/chain.ts'
import type { LabGateway } from '../parts/gateways.ts'

/** Number of owners who pay for calls. */
const OWNERS = 4
/** First deposit of an owner: more than the longest run spends. */
const FUNDS = usdc(2_000_000_000n)
const READY_LIMIT_MS = 30_000
/** Prices of the model, micro-USDC per million tokens. */
export const TOKEN_PRICES = { input: usdc(1_500_000n), output: usdc(6_000_000n) } as const
/** The platform's part of each charge. */
export const FEE_BASIS_POINTS = 250
/** Longest time that a provider may take for a call, in ms. */
const CALL_TIMEOUT_MS = 4_000

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
  /** Provider secret of the model's provider. */
  readonly secret: string
  /** Deposits of the start. */
  readonly deposits: readonly AskedDeposit[]
}

/** Returns settings of a gateway by the ports of its lines, with leases as short as they may be. */
export function gatewaySettings(parts: {
  chain: LabChain
  databaseUrl: (port: number) => string
}): (lines: { database: number; chain: number }) => Record<string, string> {
  const { chain, databaseUrl } = parts
  const common = productionSettings({ databaseUrl: '', rpcUrl: '', chain })
  return lines => ({
    ...common,
    DATABASE_URL: databaseUrl(lines.database),
    CHAIN_RPC_URL: `http://127.0.0.1:${lines.chain}`,
    LOG_LEVEL: 'warn',
    PUBLIC_URL: 'http://farebox.example',
    REQUIRED_CONFIRMATIONS: String(chain.adapter.facts.requiredConfirmations),
    LEASE_SECONDS: '1',
    DRAIN_SECONDS: '2',
    FOLLOWER_INTERVAL_SECONDS: '0.2',
    AUTO_CREDIT_AFTER_SECONDS: '0.3',
    RECONCILE_INTERVAL_SECONDS: '3',
    PROBE_INTERVAL_SECONDS: '1',
    DATABASE_CONNECTIONS: '8',
    SPENDING_LIMIT_USDC: '100000000',
    WITHDRAW_AUTO_APPROVE_MAX_USDC: '1000000',
    WITHDRAW_AUTO_APPROVE_TOTAL_USDC: '1000000',
    PLATFORM_FEE_BPS: String(FEE_BASIS_POINTS),
  })
}

/** Makes the world, by the public interface of a gateway, while nothing is wrong yet. */
export async function settleWorld(parts: {
  gateway: LabGateway
  chain: LabChain
  lines: Readonly<Record<ServiceName | 'spare', TcpProxy>>
}): Promise<World> {
  const { gateway, chain, lines } = parts
  const arriveAll = (count: number) => Promise.all(Array.from({ length: count }, () => arrive(gateway.url)))
  const [owners, providers] = await Promise.all([arriveAll(OWNERS), arriveAll(3)])
  const deposits: AskedDeposit[] = []
  for (const { wallet } of owners) {
    await chain.equip(wallet)
    const txHash = await chain.deposit(wallet, FUNDS)
    deposits.push({ wallet: wallet.toLowerCase(), amount: FUNDS, txHash, isAcknowledged: false })
  }
  await chain.begin()
  const [one, two, three] = providers
  if (one === undefined || two === undefined || three === undefined) throw new Error('A provider is missing.')
  const offer = async (name: ServiceName, owner: Person, price: bigint | null): Promise<Service> => {
    const via = name === 'fixed' ? ([name, 'spare'] as const) : [name]
    const path = name === 'model' ? 'chat' : ''
    const id = await register(owner, {
      name: `Chaos ${name}`,
      urls: via.map(line => `http://127.0.0.1:${lines[line].port}/${path}`),
      price: price === null ? { ...TOKEN_PRICES, maxOutputTokens: 64 } : usdc(price),
      timeoutMs: CALL_TIMEOUT_MS,
    })
    return { name, id, owner, prices: price === null ? [] : [price] }
  }
  const services = await Promise.all([
    offer('fixed', one, 10_000n),
    offer('slow', two, 20_000n),
    offer('failing', one, 5_000n),
    offer('model', three, null),
  ])
  const { secret } = await three.api.issueProviderSecret({ body: { name: 'server' } })
  // The first deposits are unregistered, and must be credited too.
  for (const owner of owners)
    await until(`${formatUsdc(FUNDS)} USDC are credited`, READY_LIMIT_MS, async () => {
      return (await balanceOf(owner)).available === FUNDS
    })
  const credentials = await Promise.all(owners.map(owner => issue(owner, null)))
  return { owners, providers, services, credentials, secret: secret.secretKey, deposits }
}

/** Issues a credential, which may spend `limit` micro-USDC at most. */
export async function issue(owner: Person, limit: bigint | null): Promise<Credential> {
  const minted = await mint(owner, limit === null ? null : usdc(limit))
  return { ...minted, limit, payer: owner.wallet.toLowerCase(), isRevoked: false }
}
