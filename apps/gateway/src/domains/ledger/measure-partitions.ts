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
