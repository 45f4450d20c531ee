import sql, { raw } from 'sql-template-tag'
import { ConfigError } from '../config.ts'
import type { Db, SecretBox } from '../ports.ts'
import { SEALED_PLACES } from './sealed-places.ts'

/** Id of the row that is sealed to be opened at each start, and what it says. */
const ID = 'ENCRYPTION_KEY'
const TEXT = 'the key of this database'

/**
 * Checks that ENCRYPTION_KEY is the key of this database, by a row that was sealed with it at the first start. On a
 * database without that row the key must open what is sealed there; then the row is made.
 *
 * @throws ConfigError when it is another key; nothing has been written then
 */
export async function checkEncryptionKey(db: Db, box: SecretBox): Promise<void> {
  if ((await readMark(db)) === undefined) {
    if (!(await opensOneOfEach(db, box))) throw anotherKey()
    // Another gateway may be the first, with another key: its row is then the one that counts.
    await db.query(sql`
      insert into key_checks (id, sealed) values (${ID}, ${box.seal(TEXT, ID)}) on conflict (id) do nothing`)
  }
  const sealed = await readMark(db)
  if (sealed === undefined || !opens(box, { id: ID, sealed })) throw anotherKey()
}

const anotherKey = () =>
  new ConfigError(
    'Configuration: ENCRYPTION_KEY is not the key that the secrets of this database are sealed with (docs/operations.md, Keys)',
  )

async function readMark(db: Db): Promise<string | undefined> {
  const [row] = await db.query<{ sealed: string }>(sql`select sealed from key_checks where id = ${ID}`)
  return row?.sealed
}

/** Whether a key opens one secret of each place that has any. */
async function opensOneOfEach(db: Db, box: SecretBox): Promise<boolean> {
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
