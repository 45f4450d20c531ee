import sql, { empty } from 'sql-template-tag'
import type { Queryable, Tx } from '../../../ports.ts'
import type { Finding } from '../reconcile/reconcile-store.ts'
import type { Seal, SealedHead, SealMark } from './seal-rules.ts'

/** Advisory lock of the gateway that seals: one at a time. */
const SEAL_LOCK = 4_207_719_002n
/** Lower bound of entry ids: also covers entries inserted before the first one. */
const BEFORE_ALL = -(2n ** 63n)

const SEAL = sql`
  number, after_entry, last_entry, entries, root, previous, hash, sealed_at,
  heads`

/** Returns true if no other gateway is sealing, and holds the lock until the transaction ends. */
export async function lockSealing(tx: Tx): Promise<boolean> {
  const [row] = await tx.query<{ locked: boolean }>(
    sql`select pg_try_advisory_xact_lock(${SEAL_LOCK}) as locked`,
  )
  return row?.locked === true
}

/** Returns the seals below a number, newest first. */
export function readSeals(db: Queryable, query: { below: bigint | null; limit: number }): Promise<Seal[]> {
  const below = query.below === null ? empty : sql`where number < ${query.below}`
  return db.query<Seal>(sql`select ${SEAL} from seals ${below} order by number desc limit ${query.limit}`)
}

/** Returns the newest seal; undefined before the first. */
export async function readNewestSeal(db: Queryable): Promise<Seal | undefined> {
  return (await readSeals(db, { below: null, limit: 1 }))[0]
}

/** Returns the seals from a number on, in order. */
export function readSealsFrom(db: Queryable, from: bigint, limit: number): Promise<Seal[]> {
  return db.query<Seal>(sql`select ${SEAL} from seals where number >= ${from} order by number limit ${limit}`)
}

/** Appends a seal. Its time is cut to milliseconds, which the wire can represent exactly. */
export async function writeSeal(tx: Tx, seal: Seal): Promise<void> {
  const { number, afterEntry, lastEntry, entries, root, previous, hash, sealedAt, heads } = seal
  await tx.query(sql`
    insert into seals (number, after_entry, last_entry, entries, root, previous, hash, sealed_at, heads)
    values (${number}, ${afterEntry}, ${lastEntry}, ${entries}, ${root}, ${previous}, ${hash}, ${sealedAt},
      ${heads === null ? null : JSON.stringify(heads)}::jsonb)`)
}

/** Returns the heads of the log partitions, in order. */
export function readHeads(db: Queryable): Promise<SealedHead[]> {
  return db.query<SealedHead>(sql`
    select partition, head::text as head, '0x' || encode(hash, 'hex') as hash from ledger_partitions order by partition`)
}

/** Returns the seals between two numbers whose heads are missing or changed in the log. */
export function readHeadFaults(
  db: Queryable,
  { from, to }: { from: bigint; to: bigint },
): Promise<Finding[]> {
  return db.query<Finding>(sql`
    select 'a-seal-is-over-the-log' as "check", format('seal %s, partition %s, row %s', s.number, h.partition, h.head) as row,
           h.hash as expected, coalesce('0x' || encode(l.hash, 'hex'), 'missing') as found
    from seals s
    cross join lateral jsonb_to_recordset(s.heads) as h (partition smallint, head bigint, hash text)
    left join ledger_log l on l.partition = h.partition and l.seq = h.head
    where s.number between ${from} and ${to} and h.head > 0
      and h.hash is distinct from '0x' || encode(l.hash, 'hex')
    order by s.number, h.partition`)
}

/** Returns the time of the database, to the millisecond. */
export async function databaseTime(db: Queryable): Promise<Date> {
  const [row] = await db.query<{ now: Date }>(sql`select clock_timestamp() as now`)
  if (row === undefined) throw new Error('The database returned no time.')
  return row.now
}

/**
 * Counts the entries above one id up to another and computes their Merkle root, in one statement: entries do not leave
 * the database.
 *
 * @param after 0: includes all lower ids
 */
export async function hashEntries(
  db: Queryable,
  { after, upTo }: { after: bigint; upTo: bigint },
): Promise<Pick<Seal, 'entries' | 'root'>> {
  const [row] = await db.query<Pick<Seal, 'entries' | 'root'>>(sql`
    select count(*)::integer as entries,
           merkle_root(coalesce(
             string_agg(sha256('\\x00'::bytea || convert_to(entry_text(e), 'UTF8')), ''::bytea order by e.id), ''))
             as root
    from entries e where e.id > ${after === 0n ? BEFORE_ALL : after} and e.id <= ${upTo}`)
  if (row === undefined) throw new Error('The query of entries returned no row.')
  return row
}

/** Returns the first entry above one id up to another, or null. */
export async function findEntry(
  db: Queryable,
  { after, upTo }: { after: bigint; upTo: bigint },
): Promise<bigint | null> {
  const [row] = await db.query<{ id: bigint | null }>(
    sql`select min(id) as id from entries where id > ${after} and id <= ${upTo}`,
  )
  return row?.id ?? null
}

/** Returns the progress of the seal comparison for a checkpoint. */
export async function readSealMark(db: Queryable, checkpoint: bigint): Promise<SealMark> {
  const [row] = await db.query<SealMark>(
    sql`select seal_number as number, seal_hash as hash from book_checkpoints where id = ${checkpoint}`,
  )
  if (row === undefined) throw new Error('The checkpoint is gone.')
  return row
}

/** Stores the progress of the seal comparison for a checkpoint. */
export async function keepSealMark(
  db: Queryable,
  checkpoint: bigint,
  { number, hash }: SealMark,
): Promise<void> {
  await db.query(sql`
    update book_checkpoints set seal_number = ${number}, seal_hash = ${hash}, worked_at = clock_timestamp()
    where id = ${checkpoint}`)
}
