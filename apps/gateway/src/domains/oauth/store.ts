import sql from 'sql-template-tag'
import type { Queryable, Tx } from '../../ports.ts'

/** Maximum number of registered clients without consent; the oldest are deleted. */
const PENDING_CLIENTS_MAX = 10_000
/** Number of clients deleted per new one, so that an excess shrinks. */
const EVICTED_PER_INSERT = 4

/** A registered client. */
export type ClientRow = {
  readonly id: string
  readonly name: string
  readonly redirectUris: readonly string[]
  readonly createdAt: Date
}

/** A credential minted for a client. */
export type GrantRow = {
  readonly credentialId: string
  readonly clientId: string
  readonly owner: string
  readonly redirectUri: string
  readonly resource: string
  readonly codeChallenge: string
  readonly isUsed: boolean
}

/** Inserts a client, and deletes the oldest of those without consent beyond {@link PENDING_CLIENTS_MAX}. */
export async function insertClient(
  db: Queryable,
  client: Pick<ClientRow, 'id' | 'name' | 'redirectUris'>,
): Promise<ClientRow> {
  const [row] = await db.query<ClientRow>(sql`
    with evicted as (
      delete from oauth_clients where id in (
        select id from oauth_clients where authorized_at is null
        order by created_at desc offset ${PENDING_CLIENTS_MAX - 1} limit ${EVICTED_PER_INSERT}
        for update skip locked))
    insert into oauth_clients (id, name, redirect_uris)
    values (${client.id}, ${client.name}, ${client.redirectUris})
    returning id, name, redirect_uris, created_at`)
  if (row === undefined) throw new Error('The client was not inserted.')
  return row
}

/** Returns a client; undefined if it is unknown. */
export async function findClient(db: Queryable, id: string): Promise<ClientRow | undefined> {
  const [row] = await db.query<ClientRow>(sql`
    select id, name, redirect_uris, created_at
    from oauth_clients where id = ${id}`)
  return row
}

/** Records an owner's consent; the client is kept from then on. Returns false if it is gone. */
export async function markAuthorized(tx: Tx, id: string): Promise<boolean> {
  const rows = await tx.query(sql`
    update oauth_clients set authorized_at = coalesce(authorized_at, clock_timestamp())
    where id = ${id} returning 1`)
  return rows.length === 1
}

/** Inserts a grant, whose code is valid for `codeSeconds`. */
export function insertGrant(
  tx: Tx,
  grant: Omit<GrantRow, 'isUsed'> & { codeDigest: Buffer; codeSeconds: number },
): Promise<unknown> {
  const { credentialId, clientId, owner, redirectUri, resource, codeChallenge } = grant
  return tx.query(sql`
    insert into oauth_grants
      (credential_id, client_id, owner, redirect_uri, resource, code_challenge, code_digest, code_expires_at)
    values (${credentialId}, ${clientId}, ${owner}, ${redirectUri}, ${resource}, ${codeChallenge},
      ${grant.codeDigest}, clock_timestamp() + ${grant.codeSeconds}::float8 * interval '1 second')`)
}

/** Returns the grant of a code. */
export async function findGrant(db: Queryable, codeDigest: Buffer): Promise<GrantRow | undefined> {
  const [row] = await db.query<GrantRow>(sql`
    select credential_id, client_id, owner, redirect_uri, resource, code_challenge,
      code_used_at is not null as is_used
    from oauth_grants where code_digest = ${codeDigest}`)
  return row
}

/** Marks a code as used. Returns true to exactly one caller, and only before it expires. */
export async function useCode(tx: Tx, codeDigest: Buffer): Promise<boolean> {
  const rows = await tx.query(sql`
    update oauth_grants set code_used_at = clock_timestamp()
    where code_digest = ${codeDigest} and code_used_at is null and code_expires_at > clock_timestamp()
    returning 1`)
  return rows.length === 1
}

/** Returns the credential that a token opens, if it was minted for this client. */
export async function findGranted(
  db: Queryable,
  of: { clientId: string; tokenDigest: Buffer },
): Promise<{ id: string; owner: string } | undefined> {
  const [row] = await db.query<{ id: string; owner: string }>(sql`
    select c.id, c.owner from credentials c join oauth_grants g on g.credential_id = c.id
    where (c.token_hash = ${of.tokenDigest} or c.previous_token_hash = ${of.tokenDigest})
      and g.client_id = ${of.clientId}`)
  return row
}

/**
 * A credential whose code expired without being used; `isRotated`: its owner has made a token by hand, which may be in
 * use.
 */
export type Unredeemed = { readonly id: string; readonly owner: string; readonly isRotated: boolean }

/** Returns up to `limit` credentials whose code expired more than `seconds` ago without being used. */
export function listUnredeemed(
  db: Queryable,
  { seconds, limit }: { seconds: number; limit: number },
): Promise<Unredeemed[]> {
  return db.query<Unredeemed>(sql`
    select credential_id as id, owner, exists (
      select from credential_audit a
      where a.owner = g.owner and a.credential_id = g.credential_id and a.action = 'rotated') as is_rotated
    from oauth_grants g
    where code_used_at is null and code_expires_at < clock_timestamp() - ${seconds}::float8 * interval '1 second'
    order by code_expires_at limit ${limit}`)
}

/** Deletes the grant of a credential. */
export function deleteGrant(db: Queryable, credentialId: string): Promise<unknown> {
  return db.query(sql`delete from oauth_grants where credential_id = ${credentialId}`)
}

/** Deletes up to `limit` clients without consent that are older than `seconds`. */
export function deletePendingClients(
  db: Queryable,
  { seconds, limit }: { seconds: number; limit: number },
): Promise<unknown> {
  return db.query(sql`
    delete from oauth_clients where id in (
      select id from oauth_clients
      where authorized_at is null and created_at < clock_timestamp() - ${seconds}::float8 * interval '1 second'
      order by created_at limit ${limit} for update skip locked)`)
}
