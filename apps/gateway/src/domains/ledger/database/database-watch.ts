import sql from 'sql-template-tag'
import type { Config } from '../../../config.ts'
import type { Block, Deps, Queryable, Tx } from '../../../ports.ts'
import { raiseChainFinding } from './chain-findings.ts'

/** Validity of a ticket, in seconds of chain time. */
export const TICKET_SECONDS = 3_600n

/** Identity of the connected server. A standby has no name for its log; no gateway writes to one. */
const SERVER = sql`(
  select system_identifier || ':' || left(pg_walfile_name(pg_current_wal_lsn()), 8) as cluster,
    pg_postmaster_start_time() as started_at from pg_control_system()) as server`

/** SQL condition: the watched server is the connected one. For a query over `database_watch` and {@link SERVER}. */
const IS_SAME = sql`(database_watch.cluster = server.cluster and database_watch.started_at = server.started_at)`

type Seen = { isSame: boolean | null; before: string | null; cluster: string }

/**
 * Detects that the database moved to another server or was restarted. Its state may then be older than the chain: the
 * books may lack a paid withdrawal. No ticket is issued until the vault was followed past the current head. Another
 * cluster or timeline also raises a finding, which a clean full check closes (`confirm-database.ts`).
 *
 * @param seen.head    newest block of the chain
 * @param seen.isStart true when a gateway starts. If no other gateway is alive, it is unknown when the database was
 * last used, so tickets that it has forgotten may be open: on another timeline their deadline is awaited as well
 */
export async function noticeDatabase(
  { db, config, log }: Pick<Deps, 'db' | 'log'> & { config: Pick<Config, 'LEASE_SECONDS' | 'FAREBOX_MODE'> },
  seen: { head: Block; isStart: boolean },
): Promise<void> {
  if ((await lookAt(db)).isSame === true) return
  await db.transaction(async tx => {
    await tx.query(sql`select from database_watch for update`)
    const { isSame, before, cluster } = await lookAt(tx)
    if (isSame === true) return
    if (isSame === null) return insertWatch(tx)
    const isMoved = before !== cluster
    const mayBeOut = isMoved && seen.isStart && !(await isAnyGatewayAlive(tx, config.LEASE_SECONDS))
    const untilTime = mayBeOut ? seen.head.timestamp + TICKET_SECONDS : 0n
    await tx.query(sql`
      update database_watch set cluster = server.cluster, started_at = server.started_at, noticed_at = now(),
        until_block = ${seen.head.number}, until_time = greatest(until_time, ${untilTime}), caught_up_at = null
      from ${SERVER}`)
    const fields = { before, now: cluster, untilBlock: seen.head.number.toString() }
    if (!isMoved) {
      // A development gateway restarts its database at each start.
      const level = config.FAREBOX_MODE === 'dev' ? 'debug' : 'warn'
      return log[level](fields, 'the database was restarted; tickets wait for the chain')
    }
    const detail = { ...fields, before: before ?? '', untilTime: untilTime.toString() }
    await raiseChainFinding(tx, { kind: 'database-restored', subject: cluster, detail })
    log.error(detail, 'the database was restored or failed over; tickets wait until it is confirmed')
  })
}

/** `isSame` is null before the first check. */
async function lookAt(db: Queryable): Promise<Seen> {
  const [row] = await db.query<Seen>(sql`
    select server.cluster, database_watch.cluster as before, ${IS_SAME} as is_same
    from ${SERVER} left join database_watch on true`)
  if (row === undefined) throw new Error('The database did not identify its server.')
  return row
}

/** The first gateway on a database raises no finding. */
async function insertWatch(tx: Tx): Promise<void> {
  await tx.query(sql`
    insert into database_watch (cluster, started_at, until_block, until_time, caught_up_at)
    select cluster, started_at, 0, 0, '-infinity' from ${SERVER} on conflict do nothing`)
}

/**
 * Returns true if a gateway has a lease that it renewed on this server: one that was restored with the database may not
 * have ended. Compares with the time of the statement, because a gateway that starts registers with a lease that is over
 * at once.
 */
async function isAnyGatewayAlive(db: Queryable, leaseSeconds: number): Promise<boolean> {
  const rows = await db.query(sql`
    select 1 from gateway_instances
    where lease_until > clock_timestamp()
      and lease_until > pg_postmaster_start_time() + make_interval(secs => ${leaseSeconds}) limit 1`)
  return rows.length > 0
}

/**
 * Records that the vault was followed up to a confirmed block, in the transaction that moves the cursor.
 *
 * @returns true if the books have caught up since the server changed
 */
export async function noteFollowed(tx: Tx, confirmed: Block): Promise<boolean> {
  const rows = await tx.query(sql`
    update database_watch set caught_up_at = clock_timestamp() from ${SERVER}
    where caught_up_at is null and until_block <= ${confirmed.number} and until_time < ${confirmed.timestamp}
      and ${IS_SAME} returning 1`)
  return rows.length > 0
}

/** True if the vault was followed past the head of the moment when the server changed. */
export async function hasCaughtUp(db: Queryable): Promise<boolean> {
  const rows = await db.query(
    sql`select 1 from database_watch, ${SERVER} where ${IS_SAME} and caught_up_at is not null`,
  )
  return rows.length > 0
}

/** Progress of the books against the chain. */
export type Followed = {
  /** True if they caught up and were checked after the last change of the server. */
  readonly isConfirmed: boolean
  /** Last block read; null before the first. */
  readonly block: bigint | null
  /** Its Unix time; null if it was read by an older version. */
  readonly blockTime: bigint | null
  /** Seconds since the follower last reached the head; null before the first time. */
  readonly ageSeconds: number | null
}

/** Returns the progress of the books against a vault; null before any gateway has started on the database. */
export async function readFollowed(
  db: Queryable,
  { chainId, vault }: { chainId: number; vault: string },
): Promise<Followed | null> {
  const [row] = await db.query<Followed>(sql`
    select ${IS_SAME} and coalesce(caught_up_at < coalesce(
        (select at from reconciliations order by id desc limit 1), 'epoch'), false) as is_confirmed,
      block_number as block, block_time, extract(epoch from clock_timestamp() - followed_at)::float8 as age_seconds
    from database_watch cross join ${SERVER}
    left join vault_cursors on chain_id = ${chainId} and vault = ${vault}`)
  return row ?? null
}
