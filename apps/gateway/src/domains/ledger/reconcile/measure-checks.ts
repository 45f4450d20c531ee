import sql from 'sql-template-tag'
import type { Queryable } from '../../../ports.ts'
import { readCleanAge } from './reconcile-store.ts'

/** What the checks of the books say, of all gateways; null where there is none. */
export type Checks = {
  /** Seconds since the newest check that found nothing and compared the vault, by database time. */
  readonly consistentAgeSeconds: number | null
  /** Rows that the newest check found to break an invariant. */
  readonly findings: number | null
  /** What wallets were owed at that check, micro-USDC. */
  readonly owed: bigint | null
  /** What the vault held at the block that was compared last, and what the books say that it held. Micro-USDC. */
  readonly vaultHeld: bigint | null
  readonly vaultDue: bigint | null
}

/** Reads how the newest checks of the books went. */
export async function measureChecks(db: Queryable): Promise<Checks> {
  const [row] = await db.query<Omit<Checks, 'consistentAgeSeconds'>>(sql`
    select jsonb_array_length(findings) as findings, owed, vault_held as "vaultHeld", vault_due as "vaultDue"
    from reconciliations order by id desc limit 1`)
  const none = { findings: null, owed: null, vaultHeld: null, vaultDue: null }
  return { ...(row ?? none), consistentAgeSeconds: await readCleanAge(db) }
}
