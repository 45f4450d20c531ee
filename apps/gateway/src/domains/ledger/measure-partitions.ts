import { type Usdc, usdc, ZERO } from '@farebox/money'
import sql from 'sql-template-tag'
import type { Queryable } from '../../ports.ts'

/** A partition of the ledger's log: its last row, and the last one that the tables reflect. */
export type PartitionState = {
  readonly partition: number
  readonly head: bigint
  readonly projected: bigint
}

/** Returns the state of every partition of the ledger's log. */
export function measurePartitions(db: Queryable): Promise<PartitionState[]> {
  return db.query<PartitionState>(sql`
    select partition, head, coalesce(projected, 0) as projected
    from ledger_partitions left join ledger_projections using (partition) order by partition`)
}

/** What the platform earned, in micro-USDC. */
export type PlatformFunds = {
  /** Fees that are not paid out, those in open withdrawals included. */
  readonly fees: Usdc
  /** Of these, in open withdrawals. */
  readonly locked: Usdc
  /** Losses, which fees make up for. */
  readonly losses: Usdc
}

/** Returns the fees and losses of the platform. */
export async function readPlatformFunds(db: Queryable): Promise<PlatformFunds> {
  const rows = await db.query<{ id: string; posted: bigint; reserved: bigint }>(
    sql`select id, posted, reserved from accounts where id in ('fees', 'losses')`,
  )
  const of = (id: string) => rows.find(row => row.id === id)
  const [fees, losses] = [of('fees'), of('losses')]
  return {
    fees: usdc(fees?.posted ?? ZERO),
    locked: usdc(fees?.reserved ?? ZERO),
    losses: usdc(-(losses?.posted ?? ZERO)),
  }
}
