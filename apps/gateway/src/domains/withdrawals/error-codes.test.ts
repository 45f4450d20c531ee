import { usdc } from '@farebox/money'
import sql from 'sql-template-tag'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { whileRunning } from '../../../test/kit/database/while-running.ts'
import { type MoneyGateway, startMoneyGateway, USDC } from '../../../test/kit/gateway/money-gateway.ts'
import {
  complete,
  openTicket,
  openWithdrawal,
  provider,
  redeem,
} from '../../../test/kit/world/withdrawals.ts'

let gateway: MoneyGateway
beforeAll(async () => {
  gateway = await startMoneyGateway({ requiredConfirmations: 1 })
})
afterEach(() => gateway.assertBooks())
afterAll(() => gateway.stop())

test('IDEMPOTENCY_IN_PROGRESS while the first request runs; a retry succeeds after it', async () => {
  const alice = await provider(gateway, usdc(5n * USDC))
  const key = { scope: `withdrawals:${alice.wallet}`, key: 'busy' }
  const ask = () => openWithdrawal(alice, '1', 'busy')
  const { status, body } = await whileRunning(gateway.deps.db, key, ask)
  expect([status, body.code]).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS'])
  expect((await ask()).status).toBe(200)
})

test('WITHDRAWAL_NOT_OPEN for completing a withdrawal that is not open', async () => {
  const alice = await provider(gateway, usdc(5n * USDC))
  const { id, ticket } = await openTicket(alice, '2')
  const txHash = await redeem(gateway, ticket)
  // No vault pays a stale ticket, so the state is written directly and restored.
  const mark = (status: string) =>
    gateway.deps.db.query(sql`update withdrawals set status = ${status} where id = ${id}`)
  await mark('CANCELLED')
  const { status, body } = await complete(alice, id, txHash)
  expect([status, body.code]).toEqual([409, 'WITHDRAWAL_NOT_OPEN'])
  await mark('APPROVED_AUTO')
  expect((await complete(alice, id, txHash)).status).toBe(200)
})
