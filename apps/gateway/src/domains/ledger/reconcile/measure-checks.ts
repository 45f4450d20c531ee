import sql from 'sql-template-tag'
import type { Queryable } from '../../../ports.ts'
import { readCleanAge } from './reconcile-store.ts'

/** Metrics of the checks of all gateways; null if there is none. */
export type Checks = {
  /** Age of the newest clean check that compared the vault, in seconds of database time. */
  readonly consistentAgeSeconds: number | null
  /** Rows that break an invariant in the newest check. */
  readonly findings: number | null
  /** Liabilities to wallets at that check, in micro-USDC. */
  readonly owed: bigint | null
  /** Vault balance at the last compared block, on chain and in the books, in micro-USDC. */
  readonly vaultHeld: bigint | null
  readonly vaultDue: bigint | null
}

/** Reads the metrics of the newest checks. */
export async function measureChecks(db: Queryable): Promise<Checks> {
  const [row] = await db.query<Omit<Checks, 'consistentAgeSeconds'>>(sql`
    select jsonb_array_length(findings) as findings, owed, vault_held, vault_due
    from reconciliations order by id desc limit 1`)
  const none = { findings: null, owed: null, vaultHeld: null, vaultDue: null }
  return { ...(row ?? none), consistentAgeSeconds: await readCleanAge(db) }
}
