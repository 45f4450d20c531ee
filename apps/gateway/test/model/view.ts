import { type Books, PAYERS, PROVIDER } from './books.ts'

/** Visible state of the books, to compare the model with the gateway. Amounts in micro-USDC. */
export type View = {
  readonly wallets: Readonly<
    Record<string, Readonly<Record<'available' | 'held' | 'fees' | 'drawn', bigint>>>
  >
  readonly credentials: Readonly<
    Record<string, Readonly<Record<'calls' | 'spent' | 'held', bigint> & { isRevoked: boolean }>>
  >
  readonly earnings: Books['earnings']
  readonly withdrawals: Readonly<Record<string, string>>
}

/** Returns the view of the model. */
export function viewOf(books: Books): View {
  const each = <In, Out>(named: Readonly<Record<string, In>>, show: (thing: In) => Out) =>
    Object.fromEntries(Object.entries(named).map(([name, thing]) => [name, show(thing)]))
  const { ada, bob, pat } = books.wallets
  return {
    wallets: each({ ada, bob, pat }, ({ available, held, fees, drawn }) => ({
      available,
      held,
      fees,
      drawn,
    })),
    credentials: each(books.credentials, ({ calls, spent, held, isRevoked }) => ({
      calls,
      spent,
      held,
      isRevoked,
    })),
    earnings: books.earnings,
    withdrawals: each(books.withdrawals, ({ state }) => state),
  }
}

/** All participants. */
export const EVERYBODY = [...PAYERS, PROVIDER] as const

/** Returns a canonical text of a value. */
export const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === 'bigint') return part.toString()
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
