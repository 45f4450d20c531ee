import { type Usdc, usdc, ZERO } from '@farebox/money'
import type { Tx } from '../../ports.ts'
import { type AccountState, applyMovement, changesOf, consumerAccount, type Movement } from './rules.ts'
import { lockAccounts, type NewEntry, writeBooks } from './store.ts'

export type { Movement } from './rules.ts'

/** The accounts of one transaction, locked: decide with `post`, then `write` once. */
export type Books = {
  /**
   * Posts a movement in memory.
   * @returns false when the wallet's available money does not cover it; then nothing has changed
   */
  post(movement: Movement): boolean
  /** What a consumer could spend now, after what has been posted so far. Micro-USDC. */
  available(wallet: string): Usdc
  /**
   * Sends the writes. They may be left to travel with the COMMIT.
   * @throws RangeError at once, when the entries do not add up to zero
   */
  write(): Promise<unknown>
}

/**
 * Locks every account that the given movements could touch, in one order for all, and reads them.
 *
 * @param tx        the transaction that shall carry the movements
 * @param movements all that may be posted; nothing is posted yet
 */
export async function lockBooks(tx: Tx, movements: readonly Movement[]): Promise<Books> {
  const ids = new Set(movements.flatMap(movement => changesOf(movement).map(change => change.account)))
  const accounts = ids.size === 0 ? new Map<string, AccountState>() : await lockAccounts(tx, [...ids])
  const changed = new Map<string, AccountState>()
  const entries: NewEntry[] = []

  return {
    post(movement) {
      const after = applyMovement(accounts, movement)
      if (after === null) return false
      for (const [account, state] of after) {
        accounts.set(account, state)
        changed.set(account, state)
      }
      const { kind, reference } = movement
      for (const { account, posted = 0n } of changesOf(movement)) {
        if (posted !== 0n) entries.push({ kind, reference, account, amount: posted })
      }
      return true
    },
    available(wallet) {
      const state = accounts.get(consumerAccount(wallet))
      return state === undefined ? ZERO : usdc(state.posted - state.reserved)
    },
    // Not async: an unbalanced batch must throw at once, also when nobody awaits the writes.
    write() {
      const sum = entries.reduce((total, entry) => total + entry.amount, 0n)
      if (sum !== 0n) throw new RangeError(`The entries of a batch add up to ${sum}, not to zero.`)
      return changed.size === 0 ? Promise.resolve() : writeBooks(tx, changed, entries)
    },
  }
}
