import sql from 'sql-template-tag'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { whileRunning } from '../../../test/kit/database/while-running.ts'
import { type MoneyGateway, startMoneyGateway } from '../../../test/kit/gateway/money-gateway.ts'
import type { Member } from '../../../test/kit/world/member.ts'

const HASH = `0x${'ab'.repeat(32)}`
/** Maximum number of open claims of a wallet. */
const OPEN_CLAIMS_MAX = 1_000
/** Maximum number of confirmations of a wallet per minute. */
const CONFIRMATIONS_PER_MINUTE = 120

let gateway: MoneyGateway
let member: Member
beforeAll(async () => {
  gateway = await startMoneyGateway()
  member = await gateway.member()
})
afterEach(() => gateway.assertBooks())
afterAll(() => gateway.stop())

const open = (headers: Record<string, string> = {}, txHash = HASH) =>
  member.send('/balance/deposit/intent', { method: 'POST', body: { tx_hash: txHash, amount: 5 }, headers })

test.each(['', 'k'.repeat(256), 'schl\u00fcssel'])(
  'an idempotency key that is none (%j) is INVALID_REQUEST',
  async key => {
    const { status, body } = await open({ 'x-idempotency-key': key })
    expect([status, body.code]).toEqual([400, 'INVALID_REQUEST'])
  },
)

test('a claim whose first request still runs is IDEMPOTENCY_IN_PROGRESS, and can be made after it', async () => {
  const ask = () => open({ 'x-idempotency-key': 'busy' })
  const { wallet } = member
  const { status, body, headers } = await whileRunning(
    gateway.deps.db,
    { scope: `deposits:${wallet}`, key: 'busy' },
    ask,
  )
  expect([status, body.code]).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS'])
  expect(Number(headers['retry-after'])).toBeGreaterThan(0)
  expect((await ask()).status).toBe(200)
})

test('a wallet with a thousand pending claims is RATE_LIMITED', async () => {
  const { wallet } = member
  await gateway.deps.db.query(sql`
    insert into deposits (id, wallet, tx_hash, status, claimed, registered_at)
    select 'dep_many' || n, ${wallet}, '0x' || lpad(to_hex(n), 64, '0'), 'pending', 1, now()
    from generate_series(1, ${OPEN_CLAIMS_MAX}) n`)
  const { status, body, headers } = await open({}, `0x${'cd'.repeat(32)}`)
  expect([status, body.code]).toEqual([429, 'RATE_LIMITED'])
  expect(Number(headers['retry-after'])).toBeGreaterThan(0)
  await gateway.run(sql`delete from deposits where id like 'dep\_many%'`)
})

test('a wallet that confirms its claims all the time is RATE_LIMITED', async () => {
  const other = await gateway.member()
  const confirm = () => other.send('/balance/deposit/intents/dep_none/confirm', { method: 'POST', body: {} })
  const answers = await Promise.all(Array.from({ length: 2 * CONFIRMATIONS_PER_MINUTE }, confirm))
  const refused = answers.filter(({ status }) => status === 429)
  expect(answers.length - refused.length).toBeGreaterThanOrEqual(CONFIRMATIONS_PER_MINUTE)
  expect(refused[0]?.body.code).toBe('RATE_LIMITED')
  expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThan(0)
  const path = '/balance/deposit/intents/dep_none/confirm'
  expect((await member.send(path, { method: 'POST', body: {} })).status).toBe(404)
})
