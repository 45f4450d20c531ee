import sql from 'sql-template-tag'
import type { Queryable } from '../../ports.ts'

/** A key as stored. `signsFrom` in Unix milliseconds. */
export type KeptKey = {
  readonly id: string
  readonly generation: number
  readonly publicKey: string
  readonly sealedPrivateKey: string
  readonly signsFrom: number
}

/** Returns all keys, oldest first. */
export async function readKeys(db: Queryable): Promise<KeptKey[]> {
  const rows = await db.query<{
    id: string
    generation: number
    publicKey: string
    sealedPrivateKey: string
    signsFrom: Date
  }>(
    sql`select id, generation, public_key, sealed_private_key, signs_from from signing_keys order by generation`,
  )
  return rows.map(row => ({
    id: row.id,
    generation: row.generation,
    publicKey: row.publicKey,
    sealedPrivateKey: row.sealedPrivateKey,
    signsFrom: row.signsFrom.getTime(),
  }))
}

/** Inserts a key, unless another gateway has already inserted that generation. */
export async function insertKey(db: Queryable, key: KeptKey): Promise<void> {
  await db.query(sql`
    insert into signing_keys (id, generation, public_key, sealed_private_key, signs_from)
    values (${key.id}, ${key.generation}, ${key.publicKey}, ${key.sealedPrivateKey}, ${new Date(key.signsFrom)})
    on conflict (generation) do nothing`)
}

/** Deletes keys whose successor started before a time (Unix milliseconds). */
export async function deleteReplaced(db: Queryable, before: number): Promise<void> {
  await db.query(sql`
    delete from signing_keys old using signing_keys next
    where next.generation = old.generation + 1 and next.signs_from < ${new Date(before)}`)
}
