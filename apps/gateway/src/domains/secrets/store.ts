import type { SecretLog } from '@farebox/wire/secrets'
import sql, { raw } from 'sql-template-tag'
import type { Address } from 'viem'
import type { Queryable, Tx } from '../../ports.ts'
import type { Captures, SecretRow, SecretSettings } from './rules.ts'

const SECRET = raw(`
  id, owner, name, masked_key, status, rpm, credit_limit, reset_interval, created_at, last_used_at,
  captured, interval_start, max_calls, calls_used, expires_at`)

/**
 * Returns the database time. Inside a transaction, after a locking read, this is the time after the lock was acquired.
 */
export async function readClock(db: Queryable): Promise<Date> {
  const [clock] = await db.query<{ now: Date }>(sql`select clock_timestamp() as now`)
  if (clock === undefined) throw new Error('The database returned no time.')
  return clock.now
}

/** Serializes the issues of one owner until the transaction ends, as there may be no row to lock. */
export function lockIssuing(tx: Tx, owner: string): Promise<unknown> {
  return tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${`provider_secrets ${owner}`}, 0))`)
}

/** Returns the number of an owner's secrets that are not deleted. */
export async function countLive(db: Queryable, owner: string): Promise<number> {
  const [row] = await db.query<{ live: bigint }>(sql`
    select count(*) as live from provider_secrets where owner = ${owner} and status = 'active'`)
  return Number(row?.live ?? 0)
}

/** Inserts a secret. */
export async function insertSecret(
  tx: Tx,
  row: SecretSettings & { id: string; owner: string; digest: Buffer; maskedKey: string; intervalStart: Date },
): Promise<SecretRow> {
  const [inserted] = await tx.query<SecretRow>(sql`
    insert into provider_secrets (id, owner, name, key_hash, masked_key, rpm, credit_limit, reset_interval,
                                  interval_start, max_calls, expires_at)
    values (${row.id}, ${row.owner}, ${row.name}, ${row.digest}, ${row.maskedKey}, ${row.rpm},
            ${row.creditLimit}, ${row.resetInterval}, ${row.intervalStart}, ${row.maxCalls}, ${row.expiresAt})
    returning ${SECRET}`)
  if (inserted === undefined) throw new Error('The provider secret was not inserted.')
  return inserted
}

/** Returns the secrets of an owner that are not deleted, newest first. */
export function listLive(db: Queryable, query: { owner: string; limit: number }): Promise<SecretRow[]> {
  return db.query<SecretRow>(sql`
    select ${SECRET} from provider_secrets
    where owner = ${query.owner} and status = 'active' order by id desc limit ${query.limit}`)
}

/** Deletes a secret of this owner. Returns the row to exactly one caller. */
export async function writeDeleted(
  tx: Tx,
  key: { owner: string; id: string },
): Promise<SecretRow | undefined> {
  const [row] = await tx.query<SecretRow>(sql`
    update provider_secrets set status = 'deleted'
    where id = ${key.id} and owner = ${key.owner} and status = 'active' returning ${SECRET}`)
  return row
}

/** The secret of a key. */
export type KeyHolder = {
  readonly id: string
  readonly owner: Address
  readonly status: SecretRow['status']
  readonly rpm: number
  readonly rateWindow: Buffer
  readonly isSuspended: boolean
} & Pick<SecretRow, 'maxCalls' | 'callsUsed' | 'expiresAt'>

/**
 * Locks and returns the secret of a key. Also reads the suspension of the owner, which belongs to the auth domain, to
 * save a second query per request.
 */
export async function lockKeyHolder(tx: Tx, digest: Buffer): Promise<KeyHolder | undefined> {
  const [holder] = await tx.query<KeyHolder>({
    name: 'secrets_lock_key_holder',
    text: `select s.id, s.owner, s.status, s.rpm, s.rate_window,
                  s.max_calls, s.calls_used, s.expires_at, w.suspended_at is not null as is_suspended
           from provider_secrets s join wallets w on w.address = s.owner
           where s.key_hash = $1 for update of s`,
    values: [digest],
  })
  return holder
}

/** Counts a use of a locked secret. */
export function writeUse(tx: Tx, id: string, use: { at: Date; rateWindow: Buffer }): Promise<unknown> {
  return tx.query({
    name: 'secrets_write_use',
    text: `update provider_secrets set last_used_at = $2, rate_window = $3, calls_used = calls_used + 1
           where id = $1`,
    values: [id, use.at, use.rateWindow],
  })
}

/** Locks and returns a secret in any status. */
export async function lockSecret(tx: Tx, id: string): Promise<SecretRow | undefined> {
  const [row] = await tx.query<SecretRow>(sql`
    select ${SECRET} from provider_secrets where id = ${id} for update`)
  return row
}

/** Writes the captured amount of a locked secret. */
export function writeCaptures(tx: Tx, id: string, captures: Captures): Promise<unknown> {
  return tx.query(sql`
    update provider_secrets
    set captured = ${captures.captured}, interval_start = ${captures.intervalStart} where id = ${id}`)
}

/** An entry of the audit trail. */
export type AuditRow = {
  readonly id: string
  readonly owner: string
  readonly secretId: string
  readonly action: SecretLog['action']
  readonly actor: string
  readonly detail: Readonly<Record<string, unknown>>
  readonly at: Date
}

/** Appends an entry to the audit trail, in the transaction of the change. It must not contain a key. */
export function appendAudit(tx: Tx, line: Omit<AuditRow, 'at'>): Promise<unknown> {
  return tx.query(sql`
    insert into provider_secret_audit (id, owner, secret_id, action, actor, detail)
    values (${line.id}, ${line.owner}, ${line.secretId}, ${line.action}, ${line.actor},
            ${JSON.stringify(line.detail)}::jsonb)`)
}

/** Returns the audit trail of an owner below an id, newest first. */
export function listAuditRows(
  db: Queryable,
  query: { owner: string; beforeId: string | null; limit: number },
): Promise<AuditRow[]> {
  return db.query<AuditRow>(sql`
    select id, owner, secret_id, action, actor, detail, at from provider_secret_audit
    where owner = ${query.owner} and (${query.beforeId}::text is null or id < ${query.beforeId})
    order by id desc limit ${query.limit}`)
}
