import { usdc } from '@farebox/money'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestDatabase } from '../../../test/kit/database/test-database.ts'
import { postMovements } from '../../../test/kit/ledger/post-movements.ts'
import type { ClosableDb } from '../../adapters/postgres.ts'
import { readBalance } from './read-balance.ts'

const ROUNDS = 10
const AT_ONCE = 12

let db: ClosableDb

beforeAll(async () => {
  db = await openTestDatabase(AT_ONCE)
})
afterAll(async () => {
  await db.close()
})

test('concurrent transactions on a new account neither deadlock nor get lost', async () => {
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
