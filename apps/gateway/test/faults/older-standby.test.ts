import { execFile } from 'node:child_process'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parseUsdc } from '@farebox/money'
import { tokenDigest } from '@farebox/wire/tokens'
import { expect, test } from 'vitest'
import { type ClosableDb, connectPostgres } from '../../src/adapters/postgres.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/dev/postgres/embedded-postgres.ts'
import type { HoldRequest } from '../../src/domains/invocation/admission/admit.ts'
import { createCallLedger } from '../../src/domains/invocation/admission/commit-calls.ts'
import { createLedgerStore } from '../../src/domains/invocation/log/ledger-store.ts'
import { startTestGateway } from '../kit/gateway/test-gateway.ts'
import { silent } from '../kit/silent-log.ts'
import { until } from '../kit/until.ts'
import { arrive, mint, ownerWith, register } from '../kit/world/world.ts'

const execute = promisify(execFile)
const PRICE = parseUsdc('0.010000')
const DATABASE = 'farebox'
const TEST_TIMEOUT_MS = 180_000

test("a decision made on a primary's ledger is not appended to an older standby's ledger of the same length", {
  timeout: TEST_TIMEOUT_MS,
}, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'farebox-standby-'))
  await chmod(directory, 0o711)
  const open: { stop(): Promise<unknown> }[] = []
  try {
    const start = async (name: string, port?: number): Promise<EmbeddedPostgres> => {
      const server = await startEmbeddedPostgres({
        directory: join(directory, name),
        fsync: false,
        connectionsMax: 50,
        ...(port !== undefined && { port }),
      })
      open.push(server)
      return server
    }
    const first = await start('primary')
    await first.ensureDatabase(DATABASE)
    const { port } = first
    const { request, owner, instruments } = await populate(first.url(DATABASE))
    await first.stop()
    for (const part of ['', '.password']) {
      await execute('cp', ['-a', join(directory, `primary${part}`), join(directory, `standby${part}`)])
    }

    // The primary continues, and the gateway has what it has read and appended.
    const primary = await start('primary', port)
    const db = connectPostgres({ connectionString: primary.url(DATABASE), connectionsMax: 2, log: silent })
    open.push({ stop: () => db.close() })
    const store = createLedgerStore({ ...instruments, batchDb: db }, { monthlyDefault: parseUsdc('1000') })
    const calls = createCallLedger(
      { ...instruments, config: { PLATFORM_FEE_BPS: 0 }, store, onAppended: () => undefined },
      {
        lanes: 1,
        room: { placesMax: 10, waitMsMax: 10_000 },
      },
    )
    expect((await calls.hold(request('one'))).kind).toBe('held')
    expect((await calls.hold(request('two'))).kind).toBe('held')
    const end = await endOf(db, owner)
    await primary.stop()
    await until('its connections are gone', () => db.state().idle === 0)

    // The standby has another history: up to the same place, the money is gone.
    const standby = await start('standby', port)
    await spendUpTo(standby.url(DATABASE), { owner, head: end.head })
    const other = await endOf(db, owner)
    expect(other.head).toBe(end.head)
    expect(other.hash).not.toEqual(end.hash)
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
      invocationId,
      idempotencyKey: invocationId,
      requestHash: Buffer.alloc(32),
      counted: null,
      credentialId: credential.id,
      owner: owner.account.address.toLowerCase(),
      tokenDigest: tokenDigest(credential.token),
      quote: { serviceId, provider, hold: PRICE, metering: null },
      service: { id: serviceId, version: BigInt(service?.version ?? 0), names: [serviceId] },
    })
    return {
      request,
      owner: owner.account.address.toLowerCase(),
      instruments: { ids, clock, instanceId, metrics },
    }
  } finally {
    await on.stop()
  }
}

/** Returns the head of an owner's ledger. */
async function endOf(db: ClosableDb, owner: string): Promise<{ head: bigint; hash: Buffer }> {
  const rows = await db.query<{ head: bigint; hash: Buffer }>({
    text: 'select head, hash from ledger_partitions where partition = ledger_partition_of($1)',
    values: [owner],
  })
  if (rows[0] === undefined) throw new Error('The owner has no partition.')
  return rows[0]
}

/** Holds all money of an owner, and writes unchanged rows until the ledger has the given length. */
async function spendUpTo(url: string, { owner, head }: { owner: string; head: bigint }): Promise<void> {
  const db = connectPostgres({ connectionString: url, connectionsMax: 1, log: silent })
  try {
    await db.query({
      text: 'update accounts set reserved = posted where id = $1',
      values: [`consumer:${owner}`],
    })
    while ((await endOf(db, owner)).head < head) {
      await db.query({
        text: 'update credentials set calls_used = calls_used where owner = $1',
        values: [owner],
      })
    }
  } finally {
    await db.close()
  }
}
