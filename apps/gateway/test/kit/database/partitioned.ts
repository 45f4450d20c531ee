import sql, { raw } from 'sql-template-tag'
import type { Queryable } from '../../../src/ports.ts'

/** The tables that a call reads and writes, with their unique keys. */
const TABLES: readonly (readonly [table: string, unique: readonly string[]])[] = [
  ['ledger_partitions', ['partition']],
  ['ledger_projections', ['partition']],
  ['ledger_log', ['partition, seq']],
  ['invocations', ['partition, id', 'partition, credential_id, idempotency_key']],
  ['invocation_answers', ['partition, invocation_id']],
  ['invocation_streams', ['partition, invocation_id']],
  ['metered_calls', ['partition, invocation_id']],
  ['open_calls', ['partition, invocation_id']],
  ['free_answers', ['partition, invocation_id']],
  ['pending_results', ['partition, invocation_id']],
]

/** A part of a divided table that a transaction touched. */
export type Touched = { readonly table: string; readonly partition: number }

/**
 * Divides each table of calls into sixteen PostgreSQL partitions by its column `partition`, as an engine does that
 * keeps them on different machines. Rows are lost, except those of partitions and projections.
 *
 * @param db a connection of the schema's owner; no gateway may have read yet
 */
export async function divideTables(db: Queryable): Promise<void> {
  for (const [table, unique] of TABLES) {
    await db.query(sql`alter table ${raw(table)} rename to ${raw(`whole_${table}`)}`)
    await db.query(sql`
      create table ${raw(table)} (like ${raw(`whole_${table}`)} including defaults including constraints)
      partition by list (partition)`)
    for (let partition = 0; partition < 16; partition += 1)
      await db.query(sql`
        create table ${raw(partOf(table, partition))} partition of ${raw(table)} for values in (${raw(String(partition))})`)
    for (const columns of unique) await db.query(sql`alter table ${raw(table)} add unique (${raw(columns)})`)
  }
  await db.query(sql`insert into ledger_partitions select * from whole_ledger_partitions`)
  await db.query(sql`insert into ledger_projections select * from whole_ledger_projections`)
  await db.query(sql`grant select, insert, update, delete on all tables in schema public to public`)
}

const partOf = (table: string, partition: number): string => `${table}_${partition}`

/**
 * Returns the parts that work in a transaction read or wrote, also within functions, and if no row was
 * found: PostgreSQL counts each scan and each row written.
 */
export async function partsTouched(tx: Queryable, work: () => Promise<unknown>): Promise<Touched[]> {
  const before = new Map(
    (await readCounts(tx)).map(({ table, partition, count }) => [`${table} ${partition}`, count]),
  )
  await work()
  const after = await readCounts(tx)
  return after.filter(({ table, partition, count }) => count > (before.get(`${table} ${partition}`) ?? 0n))
}

/** Returns the unreported counts of this connection by part, which may include earlier transactions. */
function readCounts(tx: Queryable): Promise<(Touched & { count: bigint })[]> {
  const names = TABLES.map(([table]) => table)
  return tx.query(sql`
    select substring(relname from '^(.*)_\\d+$') as "table", substring(relname from '\\d+$')::integer as partition,
      seq_scan + coalesce(idx_scan, 0) + n_tup_ins + n_tup_upd + n_tup_del as count
    from pg_stat_xact_user_tables where substring(relname from '^(.*)_\\d+$') = any(${names}::text[])`)
}
