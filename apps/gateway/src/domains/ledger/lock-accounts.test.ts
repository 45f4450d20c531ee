import { usdc } from '@farebox/money'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { type ClosableDb, connectPostgres } from '../../adapters/postgres.ts'
import { postMovements } from './post-movements.ts'
import { readBalance } from './read-balance.ts'

const ROUNDS = 10
const AT_ONCE = 12

let database: TestDatabase
let db: ClosableDb

beforeAll(async () => {
  database = await createTestDatabase()
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  db = connectPostgres({ connectionString: database.url, connectionsMax: AT_ONCE, log })
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

test('transactions that find a new account together do not deadlock, and none of them is lost', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const wallet = `0x${round.toString(16).padStart(40, '0')}`
    const deposits = Array.from({ length: AT_ONCE }, (_, index) =>
      db.transaction(tx =>
        postMovements(tx, [{ kind: 'deposit', wallet, amount: usdc(1n), reference: `${round} ${index}` }]),
      ),
    )
    expect(await Promise.all(deposits)).toEqual(Array(AT_ONCE).fill([true]))
    expect((await readBalance(db, wallet)).consumerAvailable).toBe(BigInt(AT_ONCE))
  }
})
