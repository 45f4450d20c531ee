import { ledgerPartitionOf } from '@farebox/wire/partition'
import { expect } from 'vitest'
import { readScrape } from '../../kit/gateway/prometheus.ts'
import type { Answer } from '../../kit/network/http.ts'
import { countCharges, type Payer } from '../../kit/world/payer.ts'
import { PRICE_USDC, type SoldService } from '../../kit/world/sold-service.ts'
import { newWallet, signIn } from '../../kit/world/wallets.ts'
import { type InvokeBody, mint, type OnGateway } from '../../kit/world/world.ts'
import { deposit } from '../kit.ts'

/** Wallets to choose from: enough that some are in the wanted half of the partitions. */
const WALLETS_TRIED = 64

/** Makes two owners with money and an agent each, whose calls the shipped balancer sends to different gateways. */
export function twoPayers(on: OnGateway, fundsUsdc: string): Promise<[Payer, Payer]> {
  const payerAt = async (index: 0 | 1): Promise<Payer> => {
    const wallets = Array.from({ length: WALLETS_TRIED }, newWallet)
    const account = wallets.find(({ address }) => ledgerPartitionOf(address.toLowerCase()) % 2 === index)
    if (account === undefined) throw new Error('No wallet has the wanted share.')
    const owner = { account, token: await signIn(on.url, account) }
    await deposit(on, owner, fundsUsdc)
    return { owner, ...(await mint(on, owner)) }
  }
  return Promise.all([payerAt(0), payerAt(1)])
}

/** Calls a service by a key; returns the answer, and its bytes. */
export async function callFor(
  on: { readonly url: string },
  { service }: SoldService,
  { token }: Payer,
  idempotencyKey: string,
): Promise<Answer<InvokeBody> & { readonly text: string }> {
  const answer = await fetch(`${on.url}/api/v1/agent/invoke`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-credential': token },
    body: JSON.stringify({
      serviceId: service,
      costUsdc: PRICE_USDC,
      payload: { body: { q: 1 } },
      idempotencyKey,
    }),
  })
  const text = await answer.text()
  return {
    status: answer.status,
    headers: Object.fromEntries(answer.headers),
    body: JSON.parse(text) as InvokeBody,
    text,
  }
}

/** Returns how often the books have charged the payers. */
export async function countAll(
  on: Parameters<typeof countCharges>[0],
  payers: readonly Payer[],
): Promise<number> {
  const counts = await Promise.all(payers.map(({ owner }) => countCharges(on, owner)))
  return counts.reduce((sum, count) => sum + count, 0)
}

/** Returns the number of paid calls that a gateway has ended since its start. */
export async function callsOf(gateway: { readonly url: string }, metricsToken: string): Promise<number> {
  const answer = await fetch(`${gateway.url}/metrics`, {
    headers: { authorization: `Bearer ${metricsToken}` },
  })
  expect(answer.status).toBe(200)
  return readScrape(await answer.text()).value('farebox_calls_total')
}
