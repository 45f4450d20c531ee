import type { Due } from './books.ts'
import type { Target } from './messages.ts'

/** What the calls of a run must have cost so far. */
export type Account = {
  /** Notes paid calls of one cost, in micro-USDC each. */
  pay(target: Target, cost: bigint, calls?: number): void
  /** @param held what must be held of each owner; null: nothing */
  due(held: readonly bigint[] | null): Due
}

/** Opens an account for a run. */
export function openAccount(): Account {
  const spent: bigint[] = []
  const earned: bigint[] = []
  let paidCalls = 0
  return {
    pay({ owner, service }, cost, calls = 1) {
      const amount = cost * BigInt(calls)
      paidCalls += calls
      spent[owner] = (spent[owner] ?? 0n) + amount
      earned[service] = (earned[service] ?? 0n) + amount
    },
    due: held => ({ calls: paidCalls, spent: whole(spent), earned: whole(earned), held }),
  }
}

/** Those whose money was never moved have no place of their own yet. */
const whole = (amounts: readonly bigint[]): bigint[] => Array.from(amounts, amount => amount ?? 0n)
