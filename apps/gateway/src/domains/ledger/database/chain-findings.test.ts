import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestDatabase } from '../../../../test/kit/database/test-database.ts'
import type { ClosableDb } from '../../../adapters/postgres.ts'
import { openFindings, raiseChainFinding, resolveChainFinding } from './chain-findings.ts'
import { ticketBlock } from './ticket-gate.ts'

let db: ClosableDb

beforeAll(async () => {
  db = await openTestDatabase(3)
  await db.query(sql`
    insert into reconciliations (consistent, findings, vault_block, vault_held, vault_due) values (true, '[]', 1, 0, 0)`)
})
afterAll(() => db.close())

const facts = { chainId: 31_337, rpcUrl: '', usdc: '0x', vault: '0x', requiredConfirmations: 3 } as const
const following = {
  chain: { facts },
  config: { FOLLOWER_INTERVAL_SECONDS: 2, RECONCILE_INTERVAL_SECONDS: 60 },
}

const redemption = {
  kind: 'unexplained-redemption',
  subject: '0xaa:3',
  detail: { nonce: '0x01', amountUsdc: '1.000000' },
} as const

test('stops tickets from the first report of a disagreement until it is resolved', async () => {
  expect(await ticketBlock(db, following, null)).toBeNull()
  expect(await raiseChainFinding(db, redemption)).toBe(true)
  expect(await raiseChainFinding(db, redemption)).toBe(false)
  expect(await ticketBlock(db, following, null)).toBe('chain_finding')
  expect(await openFindings(db)).toEqual([
    {
      check: 'unexplained-redemption',
      row: '0xaa:3',
      expected: 'the chain and the books agree',
      found: 'nonce 0x01, amountUsdc 1.000000',
    },
  ])

  expect(await resolveChainFinding(db, { ...redemption, resolution: 'adopted' })).toBe(true)
  expect(await ticketBlock(db, following, null)).toBeNull()
  expect(await openFindings(db)).toEqual([])
})

test('records a resolved disagreement again when it recurs', async () => {
  expect(await raiseChainFinding(db, redemption)).toBe(true)
  expect(await resolveChainFinding(db, { ...redemption, resolution: 'gone' })).toBe(true)
  expect(await resolveChainFinding(db, { ...redemption, resolution: 'gone' })).toBe(false)
})
