import { randomBytes } from 'node:crypto'
import sql from 'sql-template-tag'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openTestDatabase } from '../../test/kit/database/test-database.ts'
import { startGatewayProcess } from '../../test/kit/gateway/gateway-process.ts'
import { createSecretBox } from '../adapters/secret-box.ts'
import { checkEncryptionKey } from './check-encryption-key.ts'

let db: Awaited<ReturnType<typeof openTestDatabase>>
beforeEach(async () => {
  db = await openTestDatabase(4)
})
afterEach(() => db.close())

const newBox = () => createSecretBox(randomBytes(32).toString('hex'))
const [ours, others] = [newBox(), newBox()]
const refusal =
  'Configuration: ENCRYPTION_KEY is not the key that the secrets of this database are sealed with'
const marks = () => db.query<{ sealed: string }>(sql`select sealed from key_checks`)

test('binds an empty database to its first key, and rejects any other', async () => {
  await checkEncryptionKey(db, ours)
  await checkEncryptionKey(db, ours)
  const before = await marks()
  await expect(checkEncryptionKey(db, others)).rejects.toThrow(refusal)
  expect(await marks()).toEqual(before)
  expect(before).toHaveLength(1)
})

test('concurrent starts with different keys succeed with one key only', async () => {
  const boxes = [ours, others, ours, others]
  const outcomes = await Promise.all(
    boxes.map(box =>
      checkEncryptionKey(db, box).then(
        () => box,
        () => null,
      ),
    ),
  )
  const first = outcomes.find(box => box !== null)
  expect(outcomes).toEqual(boxes.map(box => (box === first ? box : null)))
})

test('a database from before the check accepts only the key that decrypts its secrets', async () => {
  const wallet = `0x${'1'.repeat(40)}`
  await db.query(sql`insert into wallets (address, username) values (${wallet}, 'one')`)
  await db.query(sql`
    insert into webhooks (id, owner, url, origin, events, secret)
    values ('whk_1', ${wallet}, 'https://a.example/', 'https://a.example', '{balance.low}',
            ${ours.seal('whsec_1', 'whk_1')})`)
  await expect(checkEncryptionKey(db, others)).rejects.toThrow(refusal)
  expect(await marks()).toEqual([])
  await checkEncryptionKey(db, ours)
  expect(await marks()).toHaveLength(1)
})

/** Starts of whole processes, on a machine that may be busy. */
const TEST_TIMEOUT_MS = 120_000

test('a start with another ENCRYPTION_KEY fails with one line that names it, and writes no row', {
  timeout: TEST_TIMEOUT_MS,
}, async () => {
  const on = await startGatewayProcess()
  try {
    await on.sigterm()
    // Nothing but the check itself knows the key then.
    await on.sql('delete from signing_keys')
    const rows = async () => {
      const tables = await on.sql<{ name: string }>(
        `select format('%I.%I', schemaname, tablename) as name from pg_tables
         where schemaname in ('public', 'graphile_worker') order by 1`,
      )
      return Promise.all(
        tables.map(({ name }) =>
          on.sql(`select '${name}' as name, md5(string_agg(t::text, '' order by t::text)) from ${name} t`),
        ),
      )
    }
    const before = await rows()
    const ENCRYPTION_KEY = randomBytes(32).toString('hex')
    const failure = startGatewayProcess({ share: on, env: { ENCRYPTION_KEY } })
    await expect(failure).rejects.toThrow(
      /ended at start with 1:\n\{"level":"error",[^\n]*"msg":"Configuration: ENCRYPTION_KEY [^\n]*"\}\n$/,
    )
    expect(await rows()).toEqual(before)
    await on.restart()
  } finally {
    await on.stop()
  }
})
