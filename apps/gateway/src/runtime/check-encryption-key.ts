import sql, { raw } from 'sql-template-tag'
import { ConfigError } from '../config.ts'
import type { Db, Queryable, SecretBox } from '../ports.ts'
import { SEALED_PLACES } from './sealed-places.ts'

/** Id and content of the row that is decrypted at each start. */
const ID = 'ENCRYPTION_KEY'
const TEXT = 'the key of this database'

/**
 * Checks that ENCRYPTION_KEY is the key of this database, by a row encrypted at the first start. On a database without
 * that row the key must decrypt the existing secrets; then the row is inserted.
 *
 * @throws ConfigError if it is another key; nothing was written then
 */
export async function checkEncryptionKey(db: Db, box: SecretBox): Promise<void> {
  if ((await readMark(db)) === undefined) {
    if (!(await opensSecrets(db, box))) throw anotherKey()
    // Another gateway may have started first, with another key: its row decides.
    await db.query(sql`
      insert into key_checks (id, sealed) values (${ID}, ${box.seal(TEXT, ID)}) on conflict (id) do nothing`)
  }
  if ((await isKeyOfDatabase(db, box)) !== true) throw anotherKey()
}

/** Returns true if a key decrypts the secrets of a database; also if there are none. Writes nothing. */
export async function opensSecrets(db: Queryable, box: SecretBox): Promise<boolean> {
  return (await isKeyOfDatabase(db, box)) ?? (await opensOneOfEach(db, box))
}

/** Returns true if ENCRYPTION_KEY is the key of a database; null if it has stored none. Writes nothing. */
export async function isKeyOfDatabase(db: Queryable, box: SecretBox): Promise<boolean | null> {
  const sealed = await readMark(db)
  return sealed === undefined ? null : opens(box, { id: ID, sealed })
}

const anotherKey = () =>
  new ConfigError(
    'Configuration: ENCRYPTION_KEY is not the key that the secrets of this database are sealed with (docs/operations.md, Keys)',
  )

async function readMark(db: Queryable): Promise<string | undefined> {
  const [row] = await db.query<{ sealed: string }>(sql`select sealed from key_checks where id = ${ID}`)
  return row?.sealed
}

/** Returns true if a key decrypts one secret of each column that has any. */
async function opensOneOfEach(db: Queryable, box: SecretBox): Promise<boolean> {
  for (const [table, column] of SEALED_PLACES) {
    const [row] = await db.query<{ id: string; sealed: string }>(sql`
      select id, ${raw(column)} as sealed from ${raw(table)} where ${raw(column)} is not null limit 1`)
    if (row !== undefined && !opens(box, row)) return false
  }
  return true
}

function opens(box: SecretBox, { id, sealed }: { id: string; sealed: string }): boolean {
  try {
    box.open(sealed, id)
    return true
  } catch {
    return false // of another key, or not sealed at all
  }
}
