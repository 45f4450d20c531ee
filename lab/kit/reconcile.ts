import { connectPostgres } from '../../apps/gateway/src/adapters/postgres.ts'
import { readsCurrent } from '../../apps/gateway/src/domains/ledger/read-current.ts'
import { reconcile } from '../../apps/gateway/src/domains/ledger/reconcile/reconcile.ts'
import type { Chain } from '../../apps/gateway/src/ports.ts'
import { silent } from '../../apps/gateway/test/kit/silent-log.ts'

const FINDING_CHARS_MAX = 2_000

/** Checks every invariant of the books, and the vault, by the code that operators run. Returns the findings as text. */
export async function reconcileAll(databaseUrl: string, chain: Chain): Promise<string[]> {
  const db = connectPostgres({ connectionString: databaseUrl, connectionsMax: 2, log: silent })
  try {
    const { findings, vault } = await reconcile({ db: readsCurrent(db), chain, log: silent })
    const found = findings.map(finding => `reconciliation: ${toText(finding)}`)
    return vault === null ? [...found, 'reconciliation: the vault was not compared'] : found
  } finally {
    await db.close()
  }
}

/** Returns a value with bigints as JSON, cut to a length. */
export function toText(value: unknown): string {
  const plain = (_: string, item: unknown) => (typeof item === 'bigint' ? item.toString() : item)
  return JSON.stringify(value, plain).slice(0, FINDING_CHARS_MAX)
}
