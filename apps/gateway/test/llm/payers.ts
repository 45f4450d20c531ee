import { mint, ownerWith, type Person } from '../kit/world/world.ts'
import type { LlmMarket } from './market.ts'

/** What a payer starts with, in micro-USDC. */
export const FUNDS = 10_000_000n
const FUNDS_USDC = '10'

/** An owner with {@link FUNDS} and an agent credential. */
export type Payer = { readonly owner: Person; readonly token: string; readonly id: string }

/** A new one. */
export async function newPayer(market: LlmMarket, limits: Record<string, unknown> = {}): Promise<Payer> {
  const owner = await ownerWith(market, FUNDS_USDC)
  return { owner, ...(await mint(market, owner, limits)) }
}

/** How often the books have charged an owner. */
export async function chargesOf(market: LlmMarket, { owner }: Payer): Promise<number> {
  const account = `consumer:${owner.account.address.toLowerCase()}`
  const rows = await market.sql("select 1 from entries where kind = 'capture' and account = $1", [account])
  return rows.length
}
