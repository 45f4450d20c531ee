import { usdc } from '@farebox/money'
import sql from 'sql-template-tag'
import type { Hex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type PlanNode, planOf } from '../../../test/kit/database/plans.ts'
import { openTestDatabase } from '../../../test/kit/database/test-database.ts'
import type { Tx } from '../../ports.ts'
import { isCreditedPayment, lockAtRisk } from './payment-store.ts'
import { recordEvents } from './store.ts'

/** Payments of one wallet, one a block, all credited and followed. */
const PAYMENTS = 5_000
const at = { chainId: 7, vault: `0x${'7a'.repeat(20)}` } as const
const payer = `0x${'1b'.repeat(20)}` as const
const hash = (number: number): Hex => `0x${number.toString(16).padStart(64, '0')}`

let db: Awaited<ReturnType<typeof openTestDatabase>>

beforeAll(async () => {
  db = await openTestDatabase(2, 'owner')
  await db.query(sql`
    insert into vault_cursors (chain_id, vault, block_number, holder, lease_until)
    values (${at.chainId}, ${at.vault}, ${PAYMENTS}, 'gw_1', now())`)
  await db.query(sql`
    insert into vault_deposits (chain_id, vault, tx_hash, log_index, wallet, amount, block_number, block_hash,
      authorization_nonce, credited_at)
    select ${at.chainId}, ${at.vault}, '0x' || lpad(to_hex(n), 64, '0'), 1, ${payer}, 1, n,
      '0x' || lpad(to_hex(n), 64, '0'), '0x' || lpad(to_hex(n), 64, '0'), now()
    from generate_series(1, ${PAYMENTS}::integer) n`)
  await db.query(sql`analyze vault_deposits`)
})
afterAll(() => db.close())

type Scan = PlanNode & { readonly 'Rows Removed by Filter'?: number; readonly Plans?: readonly Scan[] }

/** Returns how many rows the nodes of a plan have read or thrown away. */
function rowsReadBy(node: Scan): number {
  const own = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
  return (node.Plans ?? []).reduce((sum, child) => sum + rowsReadBy(child), own)
}

/** Runs the statements of some work twice, and returns the rows that those on deposits read. */
function rowsRead(work: (tx: Tx) => Promise<unknown>): Promise<number> {
  return db.transaction(async tx => {
    let rows = 0
    await work({
      inTransaction: true,
      async query(statement) {
        if (statement.text.includes('vault_deposits')) rows += rowsReadBy(await planOf(tx, statement))
        return tx.query(statement)
      },
    })
    return rows
  })
}

test('a payment is looked up, booked and read again without a look at the others', async () => {
  const event = {
    kind: 'deposited',
    owner: payer,
    amount: usdc(1n),
    authorization: hash(PAYMENTS),
    txHash: hash(PAYMENTS),
    logIndex: 1,
    blockNumber: BigInt(PAYMENTS),
    blockHash: hash(PAYMENTS),
  } as const
  expect(await rowsRead(tx => isCreditedPayment(tx, at, { payer, nonce: hash(1) }))).toBeLessThan(50)
  expect(await rowsRead(tx => isCreditedPayment(tx, at, { payer, nonce: hash(0) }))).toBeLessThan(50)
  expect(await rowsRead(tx => lockAtRisk(tx, at))).toBeLessThan(50)
  expect(await rowsRead(tx => recordEvents(tx, at, [event]))).toBeLessThan(50)
})
