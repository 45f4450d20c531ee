import { type Usdc, usdc, ZERO } from '@farebox/money'
import type { Tx } from '../../ports.ts'
import { lockPartitions } from './lock-partitions.ts'
import {
  type AccountState,
  applyMovement,
  changesOf,
  consumerAccount,
  consumerOf,
  FEES,
  LOSSES,
  type Movement,
  PROMOTIONS,
  promotionalOf,
  providerAccount,
} from './rules.ts'
import { lockAccounts, type NewEntry, writeBooks } from './store.ts'

export { type AccountState, consumerAccount, consumerOf, EMPTY_ACCOUNT, type Movement } from './rules.ts'

/** Accounts to decide on with `post`. What is posted changes them in memory only. */
export type Books = {
  /**
   * Posts a movement in memory.
   * @returns false when the available money of the wallet, or of the promotions, does not cover it; then nothing has
   *   changed
   */
  post(movement: Movement): boolean
  /** What of a movement's money would be promotional, if it were posted now. Micro-USDC; see {@link promotionalOf}. */
  promotionalOf(movement: Movement): Usdc
  /** What a consumer could spend now, after what has been posted so far. Micro-USDC. */
  available(wallet: string): Usdc
  /** What of it a consumer could spend on services of a provider: no promotional credit on its own. Micro-USDC. */
  availableFor(wallet: string, provider: string): Usdc
  /** What a provider could withdraw now, after what has been posted so far. Micro-USDC. */
  receivable(wallet: string): Usdc
  /** Wallets whose balance as consumers, held money included, what has been posted so far has taken below a threshold. */
  fallenBelow(threshold: Usdc): { wallet: string; balance: Usdc; available: Usdc }[]
  /** Fees that the platform could withdraw now: what it has lost stays in the vault. Micro-USDC; with `losses` locked. */
  fees(): Usdc
  /** What promotions could pay out now, after what has been posted so far. Micro-USDC. */
  promotions(): Usdc
  /**
   * The accounts that were changed, as they are after all that was posted, and the entries behind them.
   * @throws RangeError when the entries do not add up to zero
   */
  changes(): { readonly accounts: ReadonlyMap<string, AccountState>; readonly entries: readonly NewEntry[] }
}

/** Books whose accounts are locked. */
export type LockedBooks = Books & {
  /**
   * Sends {@link Books.changes}. They may be left to travel with the COMMIT.
   * @throws RangeError at once, when the entries do not add up to zero
   */
  write(): Promise<unknown>
}

/** The accounts that movements could touch. */
export const accountsOf = (movements: readonly Movement[]): ReadonlySet<string> =>
  new Set(movements.flatMap(movement => changesOf(movement).map(change => change.account)))

/**
 * Locks every account that the given movements could touch, in one order for all, and reads them. No call of the
 * consumers among them is held or ends until the end of the transaction.
 *
 * @param tx        the transaction that shall carry the movements
 * @param movements all that may be posted; nothing is posted yet
 */
export async function lockBooks(tx: Tx, movements: readonly Movement[]): Promise<LockedBooks> {
  const ids = [...accountsOf(movements)]
  const consumers = ids.flatMap(id => consumerOf(id) ?? [])
  if (consumers.length > 0) await lockPartitions(tx, consumers)
  const books = openBooks(ids.length === 0 ? new Map() : await lockAccounts(tx, ids))
  return {
    ...books,
    // Not async: an unbalanced batch must throw at once, also when nobody awaits the writes.
    write() {
      const { accounts, entries } = books.changes()
      return accounts.size === 0 ? Promise.resolve() : writeBooks(tx, accounts, entries)
    },
  }
}

/**
 * Opens accounts to decide on.
 *
 * @param seen every account that a movement touches
 */
export function openBooks(seen: ReadonlyMap<string, AccountState>): Books {
  const accounts = new Map(seen)
  const changed = new Map<string, AccountState>()
  const entries: NewEntry[] = []
  const availableOn = (account: string): Usdc => {
    const state = accounts.get(account)
    return state === undefined ? ZERO : usdc(state.posted - state.reserved)
  }

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
    promotionalOf: movement => promotionalOf(accounts, movement),
    available: wallet => availableOn(consumerAccount(wallet)),
    availableFor(wallet, provider) {
      const available = availableOn(consumerAccount(wallet))
      if (wallet !== provider) return available
      const deposited = available - (accounts.get(consumerAccount(wallet))?.promotional ?? 0n)
      return deposited > 0n ? usdc(deposited) : ZERO
    },
    receivable: wallet => availableOn(providerAccount(wallet)),
    fallenBelow(threshold) {
      return [...changed].flatMap(([id, { posted, reserved }]) => {
        const before = seen.get(id)?.posted ?? ZERO
        const wallet = posted < threshold && before >= threshold ? consumerOf(id) : null
        return wallet === null ? [] : [{ wallet, balance: posted, available: usdc(posted - reserved) }]
      })
    },
    fees() {
      const free = availableOn(FEES) + (accounts.get(LOSSES)?.posted ?? 0n)
      return free > 0n ? usdc(free) : ZERO
    },
    promotions: () => availableOn(PROMOTIONS),
    changes() {
      const sum = entries.reduce((total, entry) => total + entry.amount, 0n)
      if (sum !== 0n) throw new RangeError(`The entries of a batch add up to ${sum}, not to zero.`)
      return { accounts: changed, entries }
    },
  }
}
