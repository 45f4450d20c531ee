import { execFile } from 'node:child_process'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parseUsdc } from '@farebox/money'
import { tokenDigest } from '@farebox/wire/tokens'
import pg from 'pg'
import { expect, test } from 'vitest'
import { type ClosableDb, connectPostgres } from '../../src/adapters/postgres.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/dev/embedded-postgres.ts'
import type { HoldRequest } from '../../src/domains/invocation/admit.ts'
import { createCallLedger } from '../../src/domains/invocation/commit-calls.ts'
import { startTestGateway } from '../gateway.ts'
import { silent } from '../silent.ts'
import { arrive, mint, ownerWith, register, until } from '../world.ts'

const execute = promisify(execFile)
const PRICE = parseUsdc('0.010000')
const DATABASE = 'farebox'
const TEST_TIMEOUT_MS = 180_000
/** Transactions that the primary may be ahead of the standby. */
const TRANSACTIONS_MAX = 1_000

test('rows that are remembered of a primary decide nothing on an older standby, though their versions are the same', {
  timeout: TEST_TIMEOUT_MS,
}, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'farebox-standby-'))
  await chmod(directory, 0o711)
  const open: { stop(): Promise<unknown> }[] = []
  try {
    const start = async (name: string, port?: number): Promise<EmbeddedPostgres> => {
      const server = await startEmbeddedPostgres({
        ...{ directory: join(directory, name), fsync: false, connectionsMax: 50 },
        ...(port !== undefined && { port }),
      })
      open.push(server)
      return server
    }
    const first = await start('primary')
    await first.ensureDatabase(DATABASE)
    const { port } = first
    const { request, instruments } = await populate(first.url(DATABASE))
    await first.stop()
    for (const part of ['', '.password']) {
      await execute('cp', ['-a', join(directory, `primary${part}`), join(directory, `standby${part}`)])
    }

    // The primary goes on: every row that a hold needs has one version, and is remembered by it.
    const primary = await start('primary', port)
    const db = connectPostgres({ connectionString: primary.url(DATABASE), connectionsMax: 2, log: silent })
    open.push({ stop: () => db.close() })
    const calls = createCallLedger(
      { ...instruments, config: { PLATFORM_FEE_BPS: 0 }, batchDb: db, databaseLosses: () => 0 },
      {
        monthlyDefault: parseUsdc('1000'),
        lowBalance: parseUsdc('1'),
        lanes: 1,
        room: { placesMax: 10, waitMsMax: 10_000 },
      },
    )
    expect((await calls.hold(request('one'))).kind).toBe('held')
    expect((await calls.hold(request('two'))).kind).toBe('held')
    const version = await versionOf(db)
    await primary.stop()
    await until('its connections are gone', () => db.state().idle === 0)

    // The standby has another history: by the same transaction id, the money is gone.
    const standby = await start('standby', port)
    await spendAt(standby.url(DATABASE), version)
    expect(await versionOf(db)).toBe(version)
    expect(await calls.hold(request('three'))).toMatchObject({
      kind: 'refused',
      error: { code: 'BUDGET_EXHAUSTED' },
    })
  } finally {
    for (const part of open.toReversed()) await part.stop()
    await rm(directory, { recursive: true, force: true })
  }
})

/** An owner with money, a credential and a service; what holds them needs of a gateway that has stopped since. */
async function populate(url: string) {
  const on = await startTestGateway({ database: { url, ownerUrl: url, drop: async () => undefined } })
  try {
    const owner = await ownerWith(on, '0.05')
    const credential = await mint(on, owner)
    const provider = (await arrive(on)).account.address.toLowerCase()
    const serviceId = await register(on, await arrive(on), {
      targets: [on.url],
      priceUsdc: '0.010000',
    })
    const [service] = await on.sql<{ version: string }>('select version from services where id = $1', [
      serviceId,
    ])
    const { ids, clock, instanceId, metrics } = on.gateway.deps
    const request = (invocationId: string): HoldRequest => ({
      ...{ invocationId, idempotencyKey: invocationId, requestHash: Buffer.alloc(32), counted: null },
      credentialId: credential.id,
      owner: owner.account.address.toLowerCase(),
      tokenDigest: tokenDigest(credential.token),
      quote: { serviceId, provider, hold: PRICE, metering: null },
      service: { id: serviceId, version: BigInt(service?.version ?? 0), names: [serviceId] },
    })
    return { request, instruments: { ids, clock, instanceId, metrics } }
  } finally {
    await on.stop()
  }
}

/** The one version of all that a hold writes. */
async function versionOf(db: ClosableDb): Promise<string> {
  const rows = await db.query<{ version: string }>({
    text: `select xmin::text as version from credentials union select xmin::text from spending_policies
           where owner in (select owner from credentials) union
           select xmin::text from accounts where id in (select 'consumer:' || owner from credentials)`,
    values: [],
  })
  expect(rows).toHaveLength(1)
  return rows[0]?.version ?? ''
}

/** Sets all money of the owner aside, and writes its other rows as they are, by a transaction of this id. */
async function spendAt(url: string, version: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (let count = 0; count < TRANSACTIONS_MAX; count += 1) {
      const { rows } = await client.query<{ id: string }>('select pg_current_xact_id()::text as id')
      if (Number(rows[0]?.id) === Number(version) - 1) break
    }
    await client.query('begin')
    await client.query('update credentials set calls_used = calls_used')
    await client.query('update spending_policies set day_drawn = day_drawn')
    await client.query(
      "update accounts set reserved = posted where id in (select 'consumer:' || owner from credentials)",
    )
    await client.query('commit')
  } finally {
    await client.end()
  }
}
