import type { CredentialAuditLog } from '@farebox/wire/credentials'
import sql, { raw } from 'sql-template-tag'
import type { Ids, Queryable, Tx } from '../../ports.ts'
import { byteStrings } from '../../sql/pg-arrays.ts'
import type { Counters, CredentialRow, PolicyRow, Settings } from './rules.ts'

const CREDENTIAL = raw(`
  id, owner, name, status, max_calls, credit_limit, rpm, max_cost_per_call,
  reset_interval, allowed_services, expires_at, created_at, calls_used, spent, held, interval_start`)

const POLICY = raw(`
  monthly_limit, allow_unlimited, daily_limit, per_call_limit, month_start, month_drawn, day_start, day_drawn`)

/** The credential of a token. `lastsMs` is the time until it expires, in ms; null: it does not expire. */
export type TokenHolder = Pick<
  CredentialRow,
  'id' | 'owner' | 'name' | 'rpm' | 'maxCostPerCall' | 'allowedServices' | 'status'
> & {
  readonly isExpired: boolean
  readonly isSuspended: boolean
  readonly lastsMs: number | null
}

/**
 * Finds the credentials of tokens by the digest of each token: the current one, or the previous one during its overlap.
 * Also reads the suspension of the owner, which belongs to the auth domain, as every call of an agent may wait for this
 * query.
 *
 * @returns rows by digest; unknown tokens are absent
 */
export async function findTokenHolders(
  db: Queryable,
  digests: readonly Buffer[],
): Promise<(TokenHolder & { readonly digest: Buffer })[]> {
  return db.query<TokenHolder & { readonly digest: Buffer }>({
    name: 'credentials_find_token_holders',
    text: `select digest, id, owner, name, rpm, allowed_services, status,
                  max_cost_per_call, is_expired, is_suspended, lasts_ms
           from find_token_holders($1::bytea[])`,
    values: [byteStrings(digests, digest => digest)],
  })
}

/**
 * Returns the database time. Inside a transaction, after a locking read, this is the time after the lock was acquired.
 */
export async function readClock(db: Queryable): Promise<Date> {
  const [clock] = await db.query<{ now: Date }>(sql`select clock_timestamp() as now`)
  if (clock === undefined) throw new Error('The database returned no time.')
  return clock.now
}

/**
 * Returns the time of a locked credential's last call if it was drawn after a time; otherwise null. Also reads the calls,
 * which belong to the invocation domain, as no column of the credential has that time. The index by age finds the few
 * calls after the current time.
 */
export async function readDrawAfter(tx: Tx, id: string, time: Date): Promise<Date | null> {
  const [row] = await tx.query<{ at: Date | null }>(sql`
    select max(drawn_at) as at from invocations where credential_id = ${id} and drawn_at > ${time}`)
  return row?.at ?? null
}

/** Inserts a credential. */
export function insertCredential(
  tx: Tx,
  row: Settings & { id: string; owner: string; digest: Buffer; intervalStart: Date },
): Promise<CredentialRow[]> {
  return tx.query<CredentialRow>(sql`
    insert into credentials (id, owner, name, token_hash, max_calls, credit_limit, max_cost_per_call, rpm, reset_interval,
                             allowed_services, expires_at, interval_start)
    values (${row.id}, ${row.owner}, ${row.name}, ${row.digest}, ${row.maxCalls}, ${row.creditLimit},
            ${row.maxCostPerCall}, ${row.rpm}, ${row.resetInterval}, ${row.allowedServices}::text[], ${row.expiresAt}, ${row.intervalStart})
    returning ${CREDENTIAL}`)
}

/** Returns a credential of this owner that is not deleted. */
export async function findCredential(
  db: Queryable,
  key: { owner: string; id: string },
): Promise<CredentialRow | undefined> {
  const [row] = await db.query<CredentialRow>(sql`
    select ${CREDENTIAL} from credentials
    where id = ${key.id} and owner = ${key.owner} and status <> 'deleted'`)
  return row
}

/** Locks a credential; otherwise as {@link findCredential}. */
export async function lockCredential(
  tx: Tx,
  key: { owner: string; id: string },
): Promise<CredentialRow | undefined> {
  const [row] = await tx.query<CredentialRow>(sql`
    select ${CREDENTIAL} from credentials
    where id = ${key.id} and owner = ${key.owner} and status <> 'deleted' for update`)
  return row
}

/** Returns the credentials of an owner below an id, newest first, without deleted ones. */
export function listCredentialRows(
  db: Queryable,
  query: { owner: string; isActiveOnly: boolean; id: string | null; beforeId: string | null; limit: number },
): Promise<CredentialRow[]> {
  return db.query<CredentialRow>(sql`
    select ${CREDENTIAL} from credentials
    where owner = ${query.owner} and status <> 'deleted'
      and (not ${query.isActiveOnly}::boolean
           or (status = 'active' and (expires_at is null or expires_at > now())))
      and (${query.id}::text is null or id = ${query.id})
      and (${query.beforeId}::text is null or id < ${query.beforeId})
    order by id desc limit ${query.limit}`)
}

/** Writes the status of a locked credential and ends the overlap of its previous token. */
export function writeStatus(tx: Tx, id: string, status: 'revoked' | 'deleted'): Promise<unknown> {
  return tx.query(sql`
    update credentials set status = ${status}, previous_token_hash = null, previous_expires_at = null
    where id = ${id}`)
}

/** Writes settings and counters of a locked credential. */
export function writeSettings(tx: Tx, id: string, row: Settings & Counters): Promise<unknown> {
  return tx.query(sql`
    update credentials
    set name = ${row.name}, max_calls = ${row.maxCalls}, credit_limit = ${row.creditLimit}, rpm = ${row.rpm},
        max_cost_per_call = ${row.maxCostPerCall},
        reset_interval = ${row.resetInterval}, allowed_services = ${row.allowedServices}::text[],
        expires_at = ${row.expiresAt}, spent = ${row.spent}, held = ${row.held},
        interval_start = ${row.intervalStart}
    where id = ${id}`)
}

/**
 * Writes a new token of a locked credential. The previous one is valid until `previousUntil`; null: it ends
 * immediately.
 */
export function writeToken(
  tx: Tx,
  id: string,
  token: { digest: Buffer; previousUntil: Date | null },
): Promise<unknown> {
  return tx.query(sql`
    update credentials
    set previous_token_hash = case when ${token.previousUntil}::timestamptz is null then null else token_hash end,
        previous_expires_at = ${token.previousUntil},
        token_hash = ${token.digest}
    where id = ${id}`)
}

/** Creates the policy row of an owner if it is missing, as holds must lock one. */
export function ensurePolicy(tx: Tx, owner: string): Promise<unknown> {
  return tx.query(sql`insert into spending_policies (owner) values (${owner}) on conflict do nothing`)
}

/** Returns the policy of an owner; undefined if none is stored. */
export async function findPolicy(db: Queryable, owner: string): Promise<PolicyRow | undefined> {
  const [row] = await db.query<PolicyRow>(sql`select ${POLICY} from spending_policies where owner = ${owner}`)
  return row
}

/** Locks a policy, shared or for update; otherwise as {@link findPolicy}. */
export async function lockPolicy(
  tx: Tx,
  owner: string,
  strength: 'share' | 'update',
): Promise<PolicyRow | undefined> {
  const [row] = await tx.query<PolicyRow>(sql`
    select ${POLICY} from spending_policies where owner = ${owner} for ${raw(strength)}`)
  return row
}

/** Writes the limits of a locked policy. */
export function writePolicy(
  tx: Tx,
  owner: string,
  row: Pick<PolicyRow, 'monthlyLimit' | 'allowUnlimited' | 'dailyLimit' | 'perCallLimit'>,
): Promise<unknown> {
  return tx.query(sql`
    update spending_policies
    set monthly_limit = ${row.monthlyLimit}, allow_unlimited = ${row.allowUnlimited},
        daily_limit = ${row.dailyLimit}, per_call_limit = ${row.perCallLimit}
    where owner = ${owner}`)
}

/** An entry of the audit log. `credentialId` is null for the owner's spending policy. */
export type AuditRow = {
  readonly id: string
  readonly owner: string
  readonly credentialId: string | null
  readonly action: CredentialAuditLog['action']
  readonly actor: string
  readonly detail: Readonly<Record<string, unknown>>
  readonly at: Date
}

/** Details of an entry of the audit log. They must not contain a token. */
export type AuditDetail = AuditRow['detail']

/** Details of the audit entry, and writes in the same transaction, that a caller adds to a change of a credential. */
export type Addition = {
  readonly detail: AuditDetail
  write(tx: Tx, credentialId: string): Promise<void>
}

/** Appends a change by an owner to the audit log, in its transaction. */
export function appendAudit(
  tx: Tx,
  ids: Pick<Ids, 'next'>,
  change: Omit<AuditRow, 'id' | 'actor' | 'at'>,
): Promise<unknown> {
  const { owner, credentialId, action, detail } = change
  return tx.query(sql`
    insert into credential_audit (id, owner, credential_id, action, actor, detail)
    values (${ids.next('aud')}, ${owner}, ${credentialId}, ${action}, ${owner}, ${JSON.stringify(detail)}::jsonb)`)
}

/** Returns the audit log of an owner below an id, newest first. */
export function listAuditRows(
  db: Queryable,
  query: { owner: string; beforeId: string | null; limit: number },
): Promise<AuditRow[]> {
  return db.query<AuditRow>(sql`
    select id, owner, credential_id, action, actor, detail, at from credential_audit
    where owner = ${query.owner} and (${query.beforeId}::text is null or id < ${query.beforeId})
    order by id desc limit ${query.limit}`)
}
