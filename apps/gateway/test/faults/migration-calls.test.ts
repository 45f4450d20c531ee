import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrate } from '../../src/adapters/migrate.ts'
import { lockRows } from '../kit/database/row-locks.ts'
import { startTestGateway, type TestGateway } from '../kit/gateway/test-gateway.ts'
import { until } from '../kit/until.ts'
import { newPayer, type Payer } from '../kit/world/payer.ts'
import { type SoldService, sellService } from '../kit/world/sold-service.ts'

/** Callers that call one after the other, all the time. */
const CALLERS = 4
const CALLS_MIN = 50
/** The migration gives up its lock after one second; the rest is for a machine that may be busy. */
const CALL_MS_MAX = 3_000
const TEST_TIMEOUT_MS = 90_000

let on: TestGateway
let sold: SoldService
let payers: Payer[]
let directory: string
beforeAll(async () => {
  on = await startTestGateway()
  sold = await sellService(on)
  payers = await Promise.all(Array.from({ length: CALLERS }, () => newPayer(on, '100')))
  directory = await mkdtemp(join(tmpdir(), 'farebox-migrations-'))
  await cp(join(import.meta.dirname, '../../migrations'), directory, { recursive: true })
})
afterAll(async () => {
  await rm(directory, { recursive: true })
  await sold.upstream.stop()
  await on.stop()
})

/** Tables of which a migration takes the lock that every call waits behind. */
test.each(['ledger_log', 'invocations'])(
  'while a migration of %s waits for an open reader, no paid call is 503 or waits for long',
  async table => {
    const name = `9999-${table}.sql`
    await writeFile(join(directory, name), `alter table ${table} add column note text`)
    const reader = await lockRows(on.database.url, `select count(*) from ${table}`, [])
    const lines: string[] = []
    let isOver = false
    const calls: { readonly status: number; readonly ms: number }[] = []
    const callers = payers.map(async payer => {
      while (!isOver) {
        const from = performance.now()
        const { status } = await sold.call(payer, { idempotencyKey: crypto.randomUUID() })
        calls.push({ status, ms: performance.now() - from })
      }
    })
    const migrated = migrate(on.database.ownerUrl, { directory, notice: line => lines.push(line) })
    try {
      await until('a try has failed', () => lines.length > 0)
    } finally {
      await reader.release()
    }
    expect(await migrated).toEqual([name])
    isOver = true
    await Promise.all(callers)
    expect(calls.length).toBeGreaterThan(CALLS_MIN)
    expect(calls.filter(({ status, ms }) => status !== 200 || ms > CALL_MS_MAX)).toEqual([])
    await on.assertBooks()
  },
  TEST_TIMEOUT_MS,
)
