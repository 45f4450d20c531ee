import sql from 'sql-template-tag'
import type { Address } from 'viem'
import type { Queryable, Tx } from '../../ports.ts'
import { bySignsFirst } from './current-secret.ts'
import type { SecretRow } from './secret-rules.ts'

const SECRET = sql`
  id, sealed, signs_from, created_at, signs_from <= clock_timestamp() as has_begun`

/**
 * Serializes changes of an owner's secrets until `tx` ends, and prevents services from being configured to use them.
 */
export function lockSecrets(tx: Tx, owner: Address): Promise<unknown> {
  return tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${`signing_secrets ${owner}`}, 0))`)
}

/** Prevents changes of an owner's secrets until `tx` ends. A shared lock. */
export function shareSecrets(tx: Tx, owner: Address): Promise<unknown> {
  return tx.query(
    sql`select pg_advisory_xact_lock_shared(hashtextextended(${`signing_secrets ${owner}`}, 0))`,
  )
}

/** Returns the secrets of an owner: the current one first, then the previous one or else the next one. */
export function readSecrets(db: Queryable, owner: Address): Promise<SecretRow[]> {
  return db.query<SecretRow>(
    sql`select ${SECRET} from signing_secrets where owner = ${owner} order by ${bySignsFirst}`,
  )
}

/** Returns the encrypted secret of a key id. */
export async function readSealed(db: Queryable, id: string): Promise<string | undefined> {
  const [row] = await db.query<{ sealed: string }>(sql`select sealed from signing_secrets where id = ${id}`)
  return row?.sealed
}

/** Inserts a secret that signs from `inSeconds` after now. */
export async function insertSecret(
  tx: Tx,
  secret: {
    readonly id: string
    readonly owner: Address
    readonly sealed: string
    readonly inSeconds: number
  },
): Promise<SecretRow> {
  const { id, owner, sealed, inSeconds } = secret
  const [row] = await tx.query<SecretRow>(sql`
    insert into signing_secrets (id, owner, sealed, signs_from)
    values (${id}, ${owner}, ${sealed}, clock_timestamp() + ${inSeconds}::float8 * interval '1 second')
    returning ${SECRET}`)
  if (row === undefined) throw new Error('The signing secret was not inserted.')
  return row
}

/** Deletes the secrets of an owner, except for the one with this id. */
export function deleteAllBut(tx: Tx, owner: Address, keptId: string | null): Promise<unknown> {
  return tx.query(sql`delete from signing_secrets where owner = ${owner} and id is distinct from ${keptId}`)
}

/** Deletes secrets whose successor has signed for more than `seconds`. */
export function deleteReplacedSecrets(db: Queryable, seconds: number): Promise<unknown> {
  return db.query(sql`
    delete from signing_secrets old using signing_secrets next
    where next.owner = old.owner and next.signs_from > old.signs_from
      and next.signs_from < clock_timestamp() - ${seconds}::float8 * interval '1 second'`)
}
