import { LRUCache } from 'lru-cache'
import type { Clock } from '../../ports.ts'
import type { RememberedBudgets } from '../credentials/draw-budgets.ts'
import type { RememberedBooks } from '../ledger/lock-books.ts'

/** Rows of each kind that are remembered. */
const ROWS_MAX = 20_000
/** After a memory that was wrong, how long nothing is recalled, in ms: others write the same rows now. */
const PAUSE_MS = 1_000

/** Which rows a batch needs. */
export type Need = {
  readonly credentialIds: ReadonlySet<string>
  readonly owners: ReadonlySet<string>
  readonly accounts: ReadonlySet<string>
}

/** Rows as they were when they were last seen, by whom, and the time of the database as far as is known. */
export type Remembered = {
  readonly budgets: RememberedBudgets
  readonly books: RememberedBooks
  readonly now: Date
  /** The server process that all of it was read from. */
  readonly server: string
}

/**
 * What a gateway last saw of the rows that its batches lock. It decides nothing: what is recalled is checked, under
 * its locks, by the transaction that is decided on it (docs/adr/0005).
 */
export type CallMemory = {
  /** @returns null when not everything is remembered */
  recall(need: Need): Remembered | null
  /** Keeps what a committed transaction has left behind. */
  keep(seen: { budgets: RememberedBudgets; books: RememberedBooks }): void
  /** Learns the time of the database and which server process tells it, just read. What another one said is forgotten. */
  learn(read: { readonly now: Date; readonly server: string }): void
  /** Forgets everything: it was wrong, or it is not known what became of a transaction. */
  forget(): void
}

type RowOf<Rows> = Rows extends ReadonlyMap<string, infer Row extends object> ? Row : never

/**
 * Remembers nothing at first, and nothing past a loss of the database: the server that is found again may be at another
 * point of history, on which the version of a row may be the same by chance.
 *
 * @param deps.databaseLosses see {@link Deps.databaseLosses}
 */
export function createCallMemory({
  clock,
  databaseLosses,
}: {
  readonly clock: Pick<Clock, 'now'>
  readonly databaseLosses: () => number
}): CallMemory {
  const credentials = new LRUCache<string, RowOf<RememberedBudgets['credentials']>>({ max: ROWS_MAX })
  const policies = new LRUCache<string, RowOf<RememberedBudgets['policies']>>({ max: ROWS_MAX })
  const accounts = new LRUCache<string, RowOf<RememberedBooks>>({ max: ROWS_MAX })
  let aheadMs: number | null = null
  let forgotAt = Number.NEGATIVE_INFINITY
  let source = { server: '', losses: databaseLosses() }

  const clear = () => {
    for (const cache of [credentials, policies, accounts]) cache.clear()
    aheadMs = null
  }

  return {
    recall(need) {
      const at = clock.now()
      const isPaused = at >= forgotAt && at - forgotAt < PAUSE_MS
      if (aheadMs === null || isPaused || source.losses !== databaseLosses()) return null
      const recalled = {
        credentials: pick(credentials, need.credentialIds),
        policies: pick(policies, need.owners),
        books: pick(accounts, need.accounts),
      }
      if (recalled.credentials === null || recalled.policies === null || recalled.books === null) return null
      const budgets = { credentials: recalled.credentials, policies: recalled.policies }
      return { budgets, books: recalled.books, now: new Date(at + aheadMs), server: source.server }
    },
    keep({ budgets, books }) {
      for (const [id, row] of budgets.credentials) credentials.set(id, row)
      for (const [owner, row] of budgets.policies) policies.set(owner, row)
      for (const [id, account] of books) accounts.set(id, account)
    },
    learn({ now, server }) {
      const losses = databaseLosses()
      if (source.server !== server || source.losses !== losses) clear()
      source = { server, losses }
      aheadMs = now.getTime() - clock.now()
    },
    forget() {
      clear()
      forgotAt = clock.now()
    },
  }
}

function pick<Value extends object>(
  from: LRUCache<string, Value>,
  keys: ReadonlySet<string>,
): Map<string, Value> | null {
  const picked = new Map<string, Value>()
  for (const key of keys) {
    const value = from.get(key)
    if (value === undefined) return null
    picked.set(key, value)
  }
  return picked
}
