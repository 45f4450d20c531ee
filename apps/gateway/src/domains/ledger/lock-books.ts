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

/** Accounts in memory. Posting changes only them. */
export type Books = {
  /**
   * Posts a movement in memory.
   * @returns false, and changes nothing, if the available balance of the wallet or of the promotions is too low
   */
  post(movement: Movement): boolean
  /** Returns the promotional part of a movement if it were posted now, in micro-USDC; see {@link promotionalOf}. */
  promotionalOf(movement: Movement): Usdc
  /** Returns what a consumer can spend after the posted movements, in micro-USDC. */
  available(wallet: string): Usdc
  /** Returns what a consumer can spend at a provider, in micro-USDC: no promotional credit at its own services. */
  availableFor(wallet: string, provider: string): Usdc
  /** Returns what a provider can withdraw after the posted movements, in micro-USDC. */
  receivable(wallet: string): Usdc
  /** Returns the fees that the platform can withdraw, less its losses, in micro-USDC; `losses` must be locked. */
  fees(): Usdc
  /** Returns what promotions can pay out after the posted movements, in micro-USDC. */
  promotions(): Usdc
  /**
   * Returns the changed accounts and the entries behind them.
   * @throws RangeError if the entries do not add up to zero
   */
  changes(): { readonly accounts: ReadonlyMap<string, AccountState>; readonly entries: readonly NewEntry[] }
}

/** Accounts locked in a transaction. */
export type LockedBooks = Books & {
  /**
   * Writes {@link Books.changes}. The writes may be sent together with COMMIT.
   * @throws RangeError synchronously if the entries do not add up to zero
   */
  write(): Promise<unknown>
}

/** Returns the accounts that movements may change. */
export const accountsOf = (movements: readonly Movement[]): ReadonlySet<string> =>
  new Set(movements.flatMap(movement => changesOf(movement).map(change => change.account)))

/**
 * Locks and reads all accounts that the movements may change, in a fixed order. Until the transaction ends, no call of
 * these consumers is held or settled.
 *
 * @param tx        transaction of the movements
 * @param movements all movements that may be posted; none is posted yet
 */
export async function lockBooks(tx: Tx, movements: readonly Movement[]): Promise<LockedBooks> {
  const ids = [...accountsOf(movements)]
  const consumers = ids.flatMap(id => consumerOf(id) ?? [])
  if (consumers.length > 0) await lockPartitions(tx, consumers)
  const books = openBooks(ids.length === 0 ? new Map() : await lockAccounts(tx, ids))
  return {
    ...books,
    // Not async: an unbalanced batch must throw at once, even if the writes are not awaited.
    write() {
      const { accounts, entries } = books.changes()
      return accounts.size === 0 ? Promise.resolve() : writeBooks(tx, accounts, entries)
    },
  }
}

/**
 * Opens accounts in memory.
 *
 * @param seen every account that a movement changes
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
