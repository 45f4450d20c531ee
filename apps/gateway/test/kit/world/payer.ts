import { mint, type OnGateway, ownerWith, type Person } from './world.ts'

/** An owner with money and an agent credential, whose token and id these are. */
export type Payer = { readonly owner: Person; readonly token: string; readonly id: string }

/** Makes an owner, deposits USDC and issues a credential. */
export async function newPayer(
  on: OnGateway,
  fundsUsdc: string,
  limits: Record<string, unknown> = {},
): Promise<Payer> {
  const owner = await ownerWith(on, fundsUsdc)
  return { owner, ...(await mint(on, owner, limits)) }
}

/** Returns how often the books have charged an owner. */
export async function countCharges(
  on: { sql(text: string, values: unknown[]): Promise<readonly unknown[]> },
  owner: Person,
): Promise<number> {
  const account = `consumer:${owner.account.address.toLowerCase()}`
  return (await on.sql("select 1 from entries where kind = 'capture' and account = $1", [account])).length
}
