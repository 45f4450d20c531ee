import { usdc } from '@farebox/money'
import sql from 'sql-template-tag'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type MoneyGateway, startMoneyGateway, USDC } from '../../../test/kit/gateway/money-gateway.ts'
import type { Member } from '../../../test/kit/world/member.ts'
import { openWithdrawal, provider } from '../../../test/kit/world/withdrawals.ts'

let gateway: MoneyGateway
beforeAll(async () => {
  gateway = await startMoneyGateway({
    requiredConfirmations: 1,
    env: { WITHDRAW_AUTO_APPROVE_MAX_USDC: '2' },
  })
})
afterAll(() => gateway.stop())
afterEach(() => gateway.assertBooks())

/** Returns a page as CSV: its lines, and the path of the next page. */
async function table(of: Member, path: string) {
  const answer = await fetch(`${gateway.url}${path.startsWith('/api') ? '' : '/api/v1'}${path}`, {
    headers: { accept: 'text/csv', authorization: `Bearer ${of.token}` },
  })
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8'])
  const next = /^<([^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1] ?? null
  return { lines: (await answer.text()).trimEnd().split('\r\n'), next }
}
type Earned = {
  code: string
  total: string
  byService: { serviceId: string; calls: number; earnedUsdc: string }[]
  byDay: { day: string; calls: number; earnedUsdc: string }[]
}
const earnings = (of: Member, query = '') => of.send<Earned>(`/providers/earnings/summary${query}`)
/** Moves a provider's earnings so far to another day. */
const earnedOn = (of: Member, day: string) =>
  gateway.deps.db.query(sql`
    update invocations set finished_at = ${`${day}T23:59:59.999Z`}::timestamptz
    where provider = ${of.wallet} and finished_at > now() - interval '1 hour'`)

describe('GET /providers/earnings/summary', () => {
  test('sums the given UTC days inclusively, by service or day, with an all-time total', async () => {
    const alice = await provider(gateway, usdc(3n * USDC))
    await earnedOn(alice, '2026-01-31')
    await gateway.earn(alice, usdc(2n * USDC))
    await earnedOn(alice, '2026-02-01')
    await gateway.earn(alice, usdc(1n * USDC))
    const of = async (query: string) => {
      const { status, body } = await earnings(alice, query)
      expect([status, body.total]).toEqual([200, '6.000000'])
      expect(body.byService.map(row => row.earnedUsdc)).toEqual(
        body.byDay.length === 0
          ? []
          : [`${body.byDay.reduce((sum, row) => sum + Number(row.earnedUsdc), 0)}.000000`],
      )
      return body.byDay.map(({ day, calls, earnedUsdc }) => `${day} ${calls} ${earnedUsdc}`)
    }
    expect(await of('?from=2026-01-31&to=2026-01-31')).toEqual(['2026-01-31 1 3.000000'])
    expect(await of('?from=2026-01-01&to=2026-02-28')).toEqual([
      '2026-02-01 1 2.000000',
      '2026-01-31 1 3.000000',
    ])
    expect(await of('?from=2025-01-01&to=2025-12-31')).toEqual([])
    expect(await of('?from=2026-02-01')).toHaveLength(2)
    const { body } = await earnings(alice)
    expect([body.byDay.length, body.byService[0]?.earnedUsdc]).toEqual([1, '6.000000'])
  })

  test('counts more calls than fit an integer of 32 bits', async () => {
    const alice = await provider(gateway, usdc(1n * USDC))
    const { db } = gateway.deps
    await db.query(sql`
      insert into earned_days (checkpoint, provider, day, service_id, calls, earned)
      select id, ${alice.wallet}, '2026-03-01', 'svc_test', 2147483648, 0 from book_checkpoints where is_live`)
    const { status, body } = await earnings(alice)
    await db.query(sql`delete from earned_days where provider = ${alice.wallet} and earned = 0`)
    expect([status, body.byService[0]?.calls]).toEqual([200, 2_147_483_649])
  })

  test.each([
    '?from=yesterday',
    '?from=2026-02-30',
    '?to=2026-02-01',
    '?from=2026-02-02&to=2026-02-01',
    '?from=2024-01-01&to=2026-01-01',
    '?by=hour',
  ])('INVALID_REQUEST for %s', async query => {
    const { status, body } = await earnings(await gateway.member(), query)
    expect([status, body.code]).toEqual([400, 'INVALID_REQUEST'])
  })

  test('returns CSV by day or by service', async () => {
    const alice = await provider(gateway, usdc(3n * USDC))
    const today = new Date().toISOString().slice(0, 10)
    expect((await table(alice, '/providers/earnings/summary')).lines).toEqual([
      'day,calls,earnedUsdc',
      `${today},1,3.000000`,
    ])
    expect((await table(alice, '/providers/earnings/summary?by=service')).lines).toEqual([
      'serviceId,calls,earnedUsdc',
      'svc_test,1,3.000000',
    ])
    const nobody = await gateway.member()
    expect((await table(nobody, '/providers/earnings/summary')).lines).toEqual(['day,calls,earnedUsdc'])
  })
})

describe('lists as CSV', () => {
  test('include withdrawals in pages, with reasons that no spreadsheet evaluates', async () => {
    const alice = await provider(gateway, usdc(100n * USDC))
    for (const amount of ['1', '50', '10']) await openWithdrawal(alice, amount)
    await gateway.deps.db.query(sql`
      update withdrawals set review_reason = ${'=HYPERLINK("http://evil","a, b")\n'}
      where wallet = ${alice.wallet} and amount = ${50n * USDC}`)
    const first = await table(alice, '/providers/withdrawals?limit=2')
    expect(first.lines[0]).toBe('withdrawalId,amountUsdc,status,txHash,reason,createdAt,updatedAt')
    expect(first.lines[1]).toMatch(/^wd_\w+,10\.000000,PENDING_REVIEW,,,\S+Z,\S+Z$/)
    expect(first.lines[2]).toMatch(
      /^wd_\w+,50\.000000,PENDING_REVIEW,,"'=HYPERLINK\(""http:\/\/evil"",""a, b""\)\n",/,
    )
    const second = await table(alice, first.next ?? 'there is no next page')
    expect(second.lines).toHaveLength(2)
    expect([second.lines[1]?.includes('APPROVED_AUTO'), second.next]).toEqual([true, null])
  })

  test('include deposits, rejected ones too', async () => {
    const bob = await gateway.member()
    const good = await gateway.chain.deposit(bob.address, usdc(2n * USDC))
    const hashes = [good, `0x${'ab'.repeat(32)}`]
    for (const tx_hash of hashes) {
      await bob.send('/balance/deposit/intent', { method: 'POST', body: { tx_hash, amount: '3' } })
    }
    const [, ...opened] = (await table(bob, '/balance/deposits')).lines
    const id = opened.find(line => line.includes(good))?.split(',')[0]
    expect((await bob.send(`/balance/deposit/intents/${id}/confirm`, { method: 'POST' })).status).toBe(200)
    const { lines } = await table(bob, '/balance/deposits')
    expect(lines[0]).toBe('id,status,txHash,amountUsdc,claimedAmountUsdc,eventKey,reason,createdAt')
    expect(lines.find(line => line.includes(good))).toMatch(
      /^dep_\w+,credited,0x[0-9a-f]{64},2\.000000,3\.000000,\S+,,\S+Z$/,
    )
    expect(lines.find(line => line.includes('abab'))).toMatch(/^dep_\w+,pending,0x(ab){32},3\.000000,,,,/)
    expect((await table(bob, '/balance/deposits?limit=1')).next).toMatch(
      /^\/api\/v1\/balance\/deposits\?limit=1&cursor=/,
    )
  })
})
