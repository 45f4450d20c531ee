import sql, { raw } from 'sql-template-tag'
import type { Queryable } from '../../../src/ports.ts'

/** The tables that a call is decided on and written to, with what is unique in each. */
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

/** What was done to one part of a table that is divided. */
export type Touched = { readonly table: string; readonly partition: number }

/**
 * Divides the tables of calls into sixteen parts each, by their column `partition`, with the means of PostgreSQL: as an
 * engine would that keeps the parts on machines of their own. What was in them is lost, except the partitions.
 *
 * @param db connected as the owner of the schema, before any gateway has read
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
 * Performs work in a transaction and returns the parts that its statements have read or written, whether or not they
 * found a row, in functions, too: PostgreSQL counts each scan and each row written.
 */
export async function partsTouched(tx: Queryable, work: () => Promise<unknown>): Promise<Touched[]> {
  const before = new Map(
    (await readCounts(tx)).map(({ table, partition, count }) => [`${table} ${partition}`, count]),
  )
  await work()
  const after = await readCounts(tx)
  return after.filter(({ table, partition, count }) => count > (before.get(`${table} ${partition}`) ?? 0n))
}

/** What this connection has done to each part and not reported yet: earlier transactions may be among it. */
function readCounts(tx: Queryable): Promise<(Touched & { count: bigint })[]> {
  const names = TABLES.map(([table]) => table)
  return tx.query(sql`
    select substring(relname from '^(.*)_\\d+$') as "table", substring(relname from '\\d+$')::integer as partition,
      seq_scan + coalesce(idx_scan, 0) + n_tup_ins + n_tup_upd + n_tup_del as count
    from pg_stat_xact_user_tables where substring(relname from '^(.*)_\\d+$') = any(${names}::text[])`)
}
