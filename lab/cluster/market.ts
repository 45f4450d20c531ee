import { formatUsdc, parseUsdc, type Usdc, usdc } from '@farebox/money'
import type { Address } from 'viem'
import type { TestChain } from '../../apps/gateway/test/kit/chain/test-chain.ts'
import { type Api, createApi } from '../bench/api.ts'
import { freshWallet, registerService } from '../bench/market.ts'
import { until } from './processes.ts'

/** What a call costs. */
export const PRICE: Usdc = parseUsdc('0.001')
const FIRST_DEPOSIT: Usdc = usdc(100_000_000n)
const RPM_MAX = 10_000_000
const PATIENCE_MS = 90_000

/** Someone who deposits; `deposited` is what was acknowledged, in micro-USDC. */
type Payer = { readonly address: Address; readonly token: string; deposited: bigint }

/** Someone who pays for calls. */
export type Owner = Payer & { readonly credential: string }

/** Owners with money, and what they call. */
export type Market = {
  readonly owners: readonly Owner[]
  readonly serviceId: string
  readonly provider: Address
}

/** Sets the market up by the public interface. */
export async function openMarket(on: {
  gatewayUrl: string
  providerUrl: string
  chain: TestChain
  owners: number
}): Promise<Market> {
  const api = createApi(on.gatewayUrl)
  const seller = freshWallet()
  const serviceId = await registerService(api, {
    token: await api.signIn(seller),
    index: 0,
    price: PRICE,
    upstreamUrl: on.providerUrl.replace(/\/$/, ''),
  })
  const owners: Owner[] = []
  for (let index = 0; index < on.owners; index += 1) {
    const account = freshWallet()
    const token = await api.signIn(account)
    await api.ok('PUT', '/api/v1/balance/spending-limit', { token, body: { allowUnlimited: true } })
    const payer = { address: account.address, token, deposited: 0n }
    await deposit([api], on.chain, payer, FIRST_DEPOSIT)
    const { credential } = await api.ok<{ credential: { token: string } }>(
      'POST',
      '/api/v1/credentials/agent/issue',
      { token, body: { name: 'cluster', rpm: RPM_MAX } },
    )
    const owner = { ...payer, credential: credential.token }
    owners.push(owner)
  }
  return { owners, serviceId, provider: seller.address }
}

/**
 * Deposits on chain and has it credited, at whichever gateway answers, for as long as it takes. What was acknowledged is
 * added to the owner.
 */
export async function deposit(
  apis: readonly Api[],
  chain: TestChain,
  owner: Payer,
  amount: Usdc,
): Promise<void> {
  const txHash = await chain.deposit(owner.address, amount)
  const { token } = owner
  let turn = 0
  const answered = <Body>(path: string, body: unknown, idempotencyKey: string) =>
    until(`POST ${path} is answered well`, PATIENCE_MS, async () => {
      turn += 1
      return (await apis[turn % apis.length]?.ok<Body>('POST', path, { token, body, idempotencyKey })) ?? null
    })
  const claim = { tx_hash: txHash, amount: formatUsdc(amount) }
  const intents = '/api/v1/balance/deposit/intent'
  const { intent } = await answered<{ intent: { id: string } }>(intents, claim, `open-${txHash}`)
  await answered(`${intents}s/${intent.id}/confirm`, {}, `confirm-${txHash}`)
  owner.deposited += amount
}
