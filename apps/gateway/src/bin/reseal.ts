import sql, { raw } from 'sql-template-tag'
import { connectPostgres } from '../adapters/postgres.ts'
import { createSecretBox } from '../adapters/secret-box.ts'
import { readSecretOf, readSome } from '../config.ts'
import type { Log, SecretBox, Tx } from '../ports.ts'
import { opensSecrets } from '../runtime/check-encryption-key.ts'
import { SEALED_PLACES } from '../runtime/sealed-places.ts'
import { key } from '../setting-schemas.ts'
import { describeFault } from './describe-fault.ts'

/**
 * Re-encrypts every secret at rest, from `ENCRYPTION_KEY_BEFORE` to `ENCRYPTION_KEY`, in one transaction, while no
 * gateway runs. Deletes pending email codes: owners request new ones.
 *
 * `DATABASE_URL=... ENCRYPTION_KEY_BEFORE=... ENCRYPTION_KEY=... sh scripts/with-node apps/gateway/src/bin/reseal.ts`
 */

type Boxes = { readonly before: SecretBox; readonly after: SecretBox }

const silent = () => undefined
const log: Log = { debug: silent, info: silent, warn: silent, error: silent }

function need(name: string, value: string | undefined): string {
  if (value === undefined) throw new Error(`${name} is not set.`)
  return value
}

/** @throws Error if the secrets of the database are not sealed with the key before */
async function requireKeyBefore(tx: Tx, { before, after }: Boxes): Promise<void> {
  if (await opensSecrets(tx, before)) return
  throw new Error(
    (await opensSecrets(tx, after))
      ? 'The secrets of this database are sealed with ENCRYPTION_KEY already.'
      : 'ENCRYPTION_KEY_BEFORE is not the key that the secrets of this database are sealed with.',
  )
}

/** Re-encrypts one column. @returns its number of rows */
async function resealColumn(
  tx: Tx,
  [table, column]: (typeof SEALED_PLACES)[number],
  { before, after }: Boxes,
): Promise<number> {
  const [of, name] = [raw(table), raw(column)]
  const rows = await tx.query<{ id: string; sealed: string }>(
    sql`select id, ${name} as sealed from ${of} where ${name} is not null order by id for update`,
  )
  const ids = rows.map(({ id }) => id)
  const sealed = rows.map(row => after.seal(before.open(row.sealed, row.id), row.id))
  await tx.query(sql`
    update ${of} as kept set ${name} = fresh.sealed
    from unnest(${ids}::text[], ${sealed}::text[]) as fresh (id, sealed) where kept.id = fresh.id`)
  return rows.length
}

function readBoxes(after: string): Boxes {
  const before = need('ENCRYPTION_KEY_BEFORE', readSecretOf(process.env, 'ENCRYPTION_KEY_BEFORE'))
  if (!key.safeParse(before).success) throw new Error('ENCRYPTION_KEY_BEFORE must be 32 bytes in hex.')
  const plain = (text: string) => text.replace(/^0x/, '').toLowerCase()
  if (plain(before) === plain(after))
    throw new Error('ENCRYPTION_KEY is the same as ENCRYPTION_KEY_BEFORE. Set the new key.')
  return { before: createSecretBox(before), after: createSecretBox(after) }
}

async function reseal(): Promise<void> {
  const settings = readSome(process.env, ['DATABASE_URL', 'ENCRYPTION_KEY'])
  const boxes = readBoxes(need('ENCRYPTION_KEY', settings.ENCRYPTION_KEY))
  const connectionString = need('DATABASE_URL', settings.DATABASE_URL)
  const db = connectPostgres({ connectionString, connectionsMax: 1, log })
  try {
    await db.transaction(async tx => {
      const running = await tx.query(
        sql`select id from gateway_instances where lease_until > clock_timestamp() limit 1`,
      )
      if (running.length > 0)
        throw new Error('A gateway is running or stopped moments ago. Stop all gateways first.')
      await requireKeyBefore(tx, boxes)
      for (const place of SEALED_PLACES) {
        const count = await resealColumn(tx, place, boxes)
        process.stdout.write(`${place.join('.')}: ${count}\n`)
      }
      const dropped = await tx.query(sql`
        update profiles set staged_email = null, code_id = null, code_digest = null, code_expires_at = null,
          code_queued_at = null, code_attempts = 0, sealed_code = null
        where staged_email is not null returning 1`)
      process.stdout.write(`codes deleted: ${dropped.length}\n`)
    })
  } finally {
    await db.close()
  }
}

try {
  await reseal()
} catch (error) {
  process.stderr.write(`Nothing was changed: ${describeFault(error)}\n`)
  process.exitCode = 1
}
