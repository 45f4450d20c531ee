import type { Client } from '@farebox/client'
import { formatUsdc, parseUsdc, type Usdc, usdc } from '@farebox/money'
import type { Address } from 'viem'
import type { TestChain } from '../../apps/gateway/test/kit/chain/test-chain.ts'
import { arrive, clientOf, mint, type Person, register } from '../kit/person.ts'
import { until } from '../kit/processes.ts'

/** Price of a call. */
export const PRICE: Usdc = parseUsdc('0.001')
const FIRST_DEPOSIT: Usdc = usdc(100_000_000n)
const PATIENCE_MS = 90_000

/** A depositor; `deposited` is what was acknowledged, in micro-USDC. */
type Payer = Person & { deposited: bigint }

/** A depositor with a credential. */
export type Owner = Payer & { readonly credential: string }

/** Owners with money, and the service that they call. */
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
  const { gatewayUrl, chain } = on
  const provider = await arrive(gatewayUrl)
  const offer = { name: 'Cluster', urls: [`${on.providerUrl}call`], price: PRICE }
  const serviceId = await register(provider, offer)
  const owners: Owner[] = []
  while (owners.length < on.owners) {
    const person = await arrive(gatewayUrl)
    await person.api.setSpendingPolicy({ body: { allowUnlimited: true } })
    const payer = { ...person, deposited: 0n }
    await deposit([gatewayUrl], chain, payer, FIRST_DEPOSIT)
    owners.push({ ...payer, credential: (await mint(person)).token })
  }
  return { owners, serviceId, provider: provider.wallet }
}

/**
 * Deposits on chain and has it credited, at whichever gateway answers. What was acknowledged is added to the owner.
 *
 * @throws Error when no gateway answers in time
 */
export async function deposit(
  urls: readonly string[],
  chain: TestChain,
  owner: Payer,
  amount: Usdc,
): Promise<void> {
  const txHash = await chain.deposit(owner.wallet, amount)
  let turn = 0
  const answered = <Body>(what: string, send: (api: Client) => Promise<Body>): Promise<Body> =>
    until(`the deposit ${txHash} is ${what}`, PATIENCE_MS, async () => {
      turn += 1
      return send(clientOf(urls[turn % urls.length] ?? '', owner.token))
    })
  const claim = { body: { tx_hash: txHash, amount: formatUsdc(amount) }, idempotencyKey: `open-${txHash}` }
  const { intentId: id } = await answered('opened', api => api.openDeposit(claim))
  await answered('confirmed', api => api.confirmDeposit({ path: { id }, body: {} }))
  owner.deposited += amount
}
