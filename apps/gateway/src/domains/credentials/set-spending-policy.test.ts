import { usdc } from '@farebox/money'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type CredentialGateway,
  startCredentialGateway,
} from '../../../test/kit/gateway/credential-gateway.ts'

let gateway: CredentialGateway
beforeAll(async () => {
  gateway = await startCredentialGateway()
})
afterAll(() => gateway.stop())

const LIMIT = '/balance/spending-limit'

describe('GET /balance/spending-limit', () => {
  test('returns the gateway default to an owner without a policy, and stores nothing', async () => {
    const owner = await gateway.owner(usdc(0n))
    const { status, body } = await owner.ask('GET', LIMIT)
    expect(status).toBe(200)
    expect(body).toEqual({
      status: 'success',
      spendingLimitUsdc: '1000.000000',
      allowUnlimited: false,
      dailyLimitUsdc: null,
      perCallLimitUsdc: null,
      spentThisMonthUsdc: '0.000000',
      spentTodayUsdc: '0.000000',
    })
    expect(await gateway.run(sql`select 1 from spending_policies where owner = ${owner.wallet}`)).toEqual([])
  })

  test('returns the amounts spent this month and today, and zero once each is over', async () => {
    const owner = await gateway.owner()
    await gateway.issue(owner)
    const set = (columns: ReturnType<typeof sql>) =>
      gateway.run(sql`update spending_policies set ${columns} where owner = ${owner.wallet}`)
    await set(sql`month_drawn = 9000000, day_drawn = 1000001`)
    const read = async () => {
      const { spentThisMonthUsdc, spentTodayUsdc } = (await owner.ask('GET', LIMIT)).body
      return [spentThisMonthUsdc, spentTodayUsdc]
    }
    expect(await read()).toEqual(['9.000000', '1.000001'])
    await set(sql`day_start = day_start - interval '1 day'`)
    expect(await read()).toEqual(['9.000000', '0.000000'])
    await set(sql`month_start = month_start - interval '1 month'`)
    expect(await read()).toEqual(['0.000000', '0.000000'])
  })
})

describe('PUT /balance/spending-limit', () => {
  test('sets the given limits, keeps the others, and clears with null', async () => {
    const owner = await gateway.owner()
    const put = async (body: object) => {
      const answer = await owner.ask('PUT', LIMIT, body)
      expect(answer.status).toBe(200)
      expect(answer.body).toEqual((await owner.ask('GET', LIMIT)).body)
      return answer.body
    }
    expect(await put({ spendingLimitUsdc: '50', dailyLimitUsdc: 5, perCallLimitUsdc: '0.1' })).toMatchObject({
      status: 'success',
      spendingLimitUsdc: '50.000000',
      allowUnlimited: false,
      dailyLimitUsdc: '5.000000',
      perCallLimitUsdc: '0.100000',
    })
    expect(await put({ allowUnlimited: true })).toMatchObject({
      spendingLimitUsdc: null,
      allowUnlimited: true,
      dailyLimitUsdc: '5.000000',
    })
    expect(await put({ dailyLimitUsdc: null, perCallLimitUsdc: null })).toMatchObject({
      allowUnlimited: true,
      dailyLimitUsdc: null,
      perCallLimitUsdc: null,
    })
    expect(await put({ allowUnlimited: false })).toMatchObject({
      spendingLimitUsdc: '1000.000000',
      allowUnlimited: false,
    })
    expect(await put({ spendingLimitUsdc: 0, allowUnlimited: false })).toMatchObject({
      spendingLimitUsdc: '0.000000',
    })
    expect(await put({ spendingLimitUsdc: null })).toMatchObject({ spendingLimitUsdc: '1000.000000' })
  })

  test('is logged with the values before and after, and without a credential', async () => {
    const owner = await gateway.owner()
    await owner.ask('PUT', LIMIT, { spendingLimitUsdc: '50' })
    const { body } = await owner.ask('GET', '/credentials/agent/audit-logs')
    const rest = { allowUnlimited: false, dailyLimitUsdc: null, perCallLimitUsdc: null }
    expect(body.logs).toEqual([
      {
        id: expect.any(String),
        action: 'spending_limit_updated',
        credentialId: null,
        actor: owner.address,
        at: expect.any(String),
        detail: {
          before: { spendingLimitUsdc: '1000.000000', ...rest },
          after: { spendingLimitUsdc: '50.000000', ...rest },
        },
      },
    ])
  })

  test('INVALID_REQUEST for a misspelled limit, and nothing changes', async () => {
    const owner = await gateway.owner()
    const before = await owner.ask('GET', LIMIT)
    const { status, body } = await owner.ask('PUT', LIMIT, { dailyLimitUsdc: '1', perCallLimit: '0.1' })
    expect([status, body.code, body.message]).toEqual([
      400,
      'INVALID_REQUEST',
      'Unknown member "perCallLimit". Did you mean "perCallLimitUsdc"?',
    ])
    expect((await owner.ask('GET', LIMIT)).body).toEqual(before.body)
  })

  test.each<unknown>([
    undefined,
    {},
    [],
    { spendingLimitUsdc: '5', allowUnlimited: true },
    { spendingLimitUsdc: '-5' },
    { spendingLimitUsdc: '1e3' },
    { dailyLimitUsdc: '0.0000001' },
    { perCallLimitUsdc: {} },
    { allowUnlimited: 'yes' },
  ])('INVALID_PAYLOAD for %j', async body => {
    const owner = await gateway.owner()
    const answer = await owner.ask('PUT', LIMIT, body)
    expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_PAYLOAD'])
  })

  test('keeps both of two concurrent changes to different limits', async () => {
    const owner = await gateway.owner()
    await gateway.issue(owner)
    const changes = await gateway.deps.db.transaction(async tx => {
      await tx.query(sql`select 1 from spending_policies where owner = ${owner.wallet} for update`)
      const puts = [{ dailyLimitUsdc: 3 }, { perCallLimitUsdc: 2 }].map(body => owner.ask('PUT', LIMIT, body))
      await gateway.untilBlocked(2)
      return { puts }
    })
    await Promise.all(changes.puts)
    expect((await owner.ask('GET', LIMIT)).body).toMatchObject({
      dailyLimitUsdc: '3.000000',
      perCallLimitUsdc: '2.000000',
    })
  })

  test("changes only the caller's policy", async () => {
    const [owner, other] = [await gateway.owner(), await gateway.owner()]
    await gateway.issue(other)
    await owner.ask('PUT', LIMIT, { spendingLimitUsdc: 1, owner: other.wallet })
    expect((await other.ask('GET', LIMIT)).body).toMatchObject({ spendingLimitUsdc: '1000.000000' })
  })
})
