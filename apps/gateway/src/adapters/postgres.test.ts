import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../test/kit/database/test-database.ts'
import { connectPostgres } from './postgres.ts'

const log = { debug() {}, info() {}, warn() {}, error() {} }
const addWallet = sql`insert into accounts (id) values ('consumer:0x1') on conflict do nothing`

test('fails with UNAVAILABLE on a read-only server, and drops the connection', async () => {
  const database = await createTestDatabase()
  const name = new URL(database.url).pathname.slice(1)
  const admin = connectPostgres({ connectionString: database.ownerUrl, connectionsMax: 1, log })
  await admin.query({
    text: `alter database ${name} set default_transaction_read_only = on`,
    values: [],
  })
  const db = connectPostgres({ connectionString: database.url, connectionsMax: 1, log })
  const away = { code: 'UNAVAILABLE' }
  try {
    await expect(db.query(addWallet)).rejects.toMatchObject(away)
    await expect(db.transaction(async tx => tx.query(addWallet))).rejects.toMatchObject(away)
    await expect(
      db.transaction(async tx => {
        tx.query(addWallet).catch(() => undefined)
      }),
    ).rejects.toMatchObject(away)
    // The settings of a database are those of its new connections: who still had the old one would fail on.
    await admin.query({ text: `alter database ${name} reset default_transaction_read_only`, values: [] })
    await db.transaction(async tx => tx.query(addWallet))
    await db.query(addWallet)
  } finally {
    await db.close()
    await admin.close()
    await database.drop()
  }
})

test('counts as lost a server that refuses writes, as one with a full disk, and none that is busy', async () => {
  const database = await createTestDatabase()
  let losses = 0
  const onLost = () => {
    losses += 1
  }
  const db = connectPostgres({ connectionString: database.url, connectionsMax: 1, log, onLost })
  const fail = (code: string) =>
    db.query({ text: `do $$ begin raise exception 'refused' using errcode = '${code}'; end $$`, values: [] })
  try {
    const counted: Record<string, number> = {}
    for (const code of ['53100', '53200', '53300', '57014', '25006']) {
      const before = losses
      await expect(fail(code)).rejects.toMatchObject({ code: 'UNAVAILABLE', cause: { code } })
      counted[code] = losses - before
    }
    expect(counted).toEqual({ 53100: 1, 53200: 0, 53300: 0, 57014: 0, 25006: 1 })
  } finally {
    await db.close()
    await database.drop()
  }
})

test('reports the first error of statements that share a round trip', async () => {
  const database = await createTestDatabase()
  const db = connectPostgres({
    connectionString: database.url,
    connectionsMax: 1,
    statementTimeoutMs: 50,
    log,
  })
  try {
    const slow = db.transaction(async tx => {
      tx.query(sql`select pg_sleep(5)`).catch(() => undefined)
      await tx.query(sql`select 1`)
    })
    await expect(slow).rejects.toMatchObject({ code: 'UNAVAILABLE', cause: { code: '57014' } })
    const wrong = db.transaction(async tx => {
      tx.query(sql`select 1 / 0`).catch(() => undefined)
      await tx.query(sql`select 1`)
    })
    await expect(wrong).rejects.toMatchObject({ code: '22012' })
  } finally {
    await db.close()
    await database.drop()
  }
})

test('reuses a connection after a failed statement', async () => {
  const database = await createTestDatabase()
  const db = connectPostgres({ connectionString: database.url, connectionsMax: 1, log })
  const backend = async () => (await db.query<{ pid: number }>(sql`select pg_backend_pid() as pid`))[0]?.pid
  try {
    const before = await backend()
    await expect(db.query(sql`select 1 / 0`)).rejects.toMatchObject({ code: '22012' })
    expect(await backend()).toBe(before)
  } finally {
    await db.close()
    await database.drop()
  }
})

test('a query and a transaction see what a statement sent before them wrote', async () => {
  const database = await createTestDatabase()
  const db = connectPostgres({ connectionString: database.url, connectionsMax: 1, log })
  const wallet = (id: string) => sql`insert into accounts (id) values (${id}) on conflict do nothing`
  const has = (id: string) => sql`select 1 as found from accounts where id = ${id}`
  try {
    expect(await db.after(wallet('consumer:0x1')).query(has('consumer:0x1'))).toEqual([{ found: 1 }])
    const seen = db.after(wallet('consumer:0x2')).transaction(async tx => tx.query(has('consumer:0x2')))
    expect(await seen).toEqual([{ found: 1 }])
    // It has a transaction of its own: what it wrote stays when the other is rolled back.
    const undone = db.after(wallet('consumer:0x3')).transaction(async tx => {
      await tx.query(wallet('consumer:0x4'))
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    expect(await db.query(has('consumer:0x3'))).toEqual([{ found: 1 }])
    expect(await db.query(has('consumer:0x4'))).toEqual([])
  } finally {
    await db.close()
    await database.drop()
  }
})

test('commits nothing after a statement that failed, and answers no query with rows', async () => {
  const database = await createTestDatabase()
  const db = connectPostgres({ connectionString: database.url, connectionsMax: 1, log })
  const late = db.after(sql`select 1 / 0`)
  const failure = { code: '22012' }
  try {
    await expect(late.query(sql`select 1`)).rejects.toMatchObject(failure)
    await expect(late.query(addWallet)).rejects.toMatchObject(failure)
    await expect(late.query(sql`with added as (${addWallet}) select 1`)).rejects.toMatchObject(failure)
    await expect(late.transaction(async tx => tx.query(addWallet))).rejects.toMatchObject(failure)
    const unawaited = late.transaction(async tx => {
      tx.query(addWallet).catch(() => undefined)
    })
    await expect(unawaited).rejects.toMatchObject(failure)
    expect(await db.query(sql`select 1 from accounts where id = 'consumer:0x1'`)).toEqual([])
  } finally {
    await db.close()
    await database.drop()
  }
})

test('maps snake_case columns to camelCase members and leaves their values alone', async () => {
  const database = await createTestDatabase()
  const db = connectPostgres({ connectionString: database.url, connectionsMax: 1, log })
  const text = `
    select 1 as once, 2 as created_at, 3 as max_input_tokens, 4 as price_1m, 5 as "inputPricePer1M",
      json_build_object('is_open', true) as kept_as_is where $1`
  const row = {
    once: 1,
    createdAt: 2,
    maxInputTokens: 3,
    price1m: 4,
    inputPricePer1M: 5,
    keptAsIs: { is_open: true },
  }
  try {
    expect(await db.query({ text, values: [true] })).toEqual([row])
    expect(await db.transaction(tx => tx.query({ text, values: [true] }))).toEqual([row])
    for (const isFound of [true, false, true])
      expect(await db.query({ name: 'kept', text, values: [isFound] })).toEqual(isFound ? [row] : [])
  } finally {
    await db.close()
    await database.drop()
  }
})

test('turns JIT off on every connection, also where the database turns it on', async () => {
  const database = await createTestDatabase()
  try {
    for (const byKeyOnly of [false, true]) {
      const db = connectPostgres({ connectionString: database.url, connectionsMax: 1, byKeyOnly, log })
      const settings = sql`select current_setting('jit') as jit, current_setting('enable_seqscan') as scans`
      const found = await db.query(settings).finally(() => db.close())
      expect(found).toEqual([{ jit: 'off', scans: byKeyOnly ? 'off' : 'on' }])
    }
  } finally {
    await database.drop()
  }
})
