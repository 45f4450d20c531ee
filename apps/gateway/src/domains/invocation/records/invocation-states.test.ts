import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openTestDatabase } from '../../../../test/kit/database/test-database.ts'
import type { ClosableDb } from '../../../adapters/postgres.ts'
import type { CamelCase } from '../../../ports.ts'
import { canBecome, type InvocationStatus, NEXT } from '../rules.ts'

const STATES = Object.keys(NEXT) as InvocationStatus[]
const PAIRS = STATES.flatMap(from => STATES.map(to => [from, to] as const))

let db: ClosableDb
let made = 0
const run = <Row extends CamelCase<Row> = object>(text: string, values: unknown[] = []) =>
  db.query<Row>({ text, values })

beforeAll(async () => {
  db = await openTestDatabase(1)
})
afterAll(() => db.close())
beforeEach(() => {
  made += 1
})

/** An invocation in a state, with its row in open_calls. */
async function invocationIn(status: InvocationStatus): Promise<string> {
  const id = `inv_${made}`
  await run(
    `insert into invocations (id, credential_id, idempotency_key, request_hash, owner, provider, service_id, status,
       hold, drawn_at)
     values ($1, 'cred', $1, '', '0xa', '0xb', 'svc', $2, 0, now())`,
    [id, status],
  )
  await run(`insert into open_calls values ($1, 'gw')`, [id])
  return id
}
const become = (id: string, to: InvocationStatus) =>
  run('update invocations set status = $2 where id = $1', [id, to])

describe('the database', () => {
  test.for(PAIRS.filter(([from, to]) => canBecome(from, to)))(
    'allows the transition from %s to %s',
    async ([from, to]) => {
      const id = await invocationIn(from)
      await become(id, to)
      expect(await run('select status from invocations where id = $1', [id])).toEqual([{ status: to }])
    },
  )

  test.for(PAIRS.filter(([from, to]) => from !== to && !canBecome(from, to)))(
    'rejects the transition from %s to %s by any writer',
    async ([from, to]) => {
      const id = await invocationIn(from)
      await expect(become(id, to)).rejects.toThrow(`invocation ${id} is ${from}, and may not become ${to}`)
      expect(await run('select status from invocations where id = $1', [id])).toEqual([{ status: from }])
    },
  )

  test('rejects PROCESSING for an invocation without a row in open_calls', async () => {
    const id = await invocationIn('PENDING')
    await run('delete from open_calls where invocation_id = $1', [id])
    await expect(become(id, 'PROCESSING')).rejects.toThrow('it has no row in open_calls')
  })

  test('ends an invocation with a HOT update despite the check', async () => {
    const hot = async () => {
      await run('select pg_stat_force_next_flush()')
      const [row] = await run<{ hot: bigint }>(
        `select n_tup_hot_upd as hot from pg_stat_user_tables where relname = 'invocations'`,
      )
      return row?.hot ?? 0n
    }
    const id = await invocationIn('PENDING')
    const before = await hot()
    await become(id, 'SUCCEEDED')
    expect(await hot()).toBe(before + 1n)
  })
})
