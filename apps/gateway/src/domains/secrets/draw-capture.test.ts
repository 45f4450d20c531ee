import { parseUsdc, usdc } from '@farebox/money'
import type { ResetInterval } from '@farebox/wire/intervals'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Provider,
  type ServiceGateway,
  startServiceGateway,
} from '../../../test/kit/gateway/service-gateway.ts'
import { drawCapture } from './draw-capture.ts'

let gateway: ServiceGateway
let alice: Provider
beforeAll(async () => {
  gateway = await startServiceGateway({ probesAtOnce: false })
  alice = await gateway.provider()
})
afterAll(() => gateway.stop())

const capture = (secretId: string, amount: string) =>
  gateway.deps.db.transaction(tx => drawCapture(tx, { secretId, amount: parseUsdc(amount) }))
const exhausted = (remainingUsdc: string) =>
  expect.objectContaining({
    code: 'BUDGET_EXHAUSTED',
    status: 402,
    context: { limit: 'provider_secret_credit', remainingUsdc },
  })
const invalid = expect.objectContaining({ code: 'PROVIDER_SECRET_INVALID' })
/** Returns the captured amount of the current interval, as shown to the owner. */
const reportedOf = async (id: string) => {
  const { body } = await alice.ask('GET', '/secrets/provider/list')
  return (body.secrets as { id: string; capturedUsdc: string }[]).find(secret => secret.id === id)
    ?.capturedUsdc
}
/** Moves the start of the current capture interval back. */
const age = (id: string, by: string) =>
  gateway.run(
    sql`update provider_secrets set interval_start = interval_start - ${by}::interval where id = ${id}`,
  )

describe('a capture', () => {
  test('counts against the credit limit of its secret, to the micro', async () => {
    const { id } = await alice.issue({ creditLimit: '1' })
    await capture(id, '0.4')
    await capture(id, '0.599999')
    await expect(capture(id, '0.000002')).rejects.toEqual(exhausted('0.000001'))
    await capture(id, '0.000001')
    await expect(capture(id, '0.000001')).rejects.toEqual(exhausted('0.000000'))
    expect(await reportedOf(id)).toBe('1.000000')
  })

  test('above the whole limit is rejected and not counted', async () => {
    const { id } = await alice.issue({ creditLimit: '1' })
    await expect(capture(id, '1.000001')).rejects.toEqual(exhausted('1.000000'))
    await capture(id, '1')
  })

  test('is uncapped without a credit limit, but still counted', async () => {
    const { id } = await alice.issue()
    await capture(id, '999999999')
    await capture(id, '1')
    expect(await reportedOf(id)).toBe('1000000000.000000')
  })

  test('of zero is the only one within a limit of zero', async () => {
    const { id } = await alice.issue({ creditLimit: '0' })
    await capture(id, '0')
    await expect(capture(id, '0.000001')).rejects.toEqual(exhausted('0.000000'))
  })

  test('of a negative amount throws and frees no limit', async () => {
    const { id } = await alice.issue({ creditLimit: '1' })
    await capture(id, '1')
    await expect(
      gateway.deps.db.transaction(tx => drawCapture(tx, { secretId: id, amount: usdc(-1n) })),
    ).rejects.toThrow(RangeError)
    expect(await reportedOf(id)).toBe('1.000000')
  })

  test('does not affect other secrets of the wallet', async () => {
    const [first, second] = [await alice.issue({ creditLimit: '1' }), await alice.issue({ creditLimit: '1' })]
    await capture(first.id, '1')
    await capture(second.id, '1')
  })

  test('is undone by a rollback of its transaction', async () => {
    const { id } = await alice.issue({ creditLimit: '1' })
    const lost = gateway.deps.db.transaction(async tx => {
      await drawCapture(tx, { secretId: id, amount: parseUsdc('1') })
      throw new Error('cut')
    })
    await expect(lost).rejects.toThrow('cut')
    await capture(id, '1')
  })

  test('never exceeds the limit, also in parallel', async () => {
    const { id } = await alice.issue({ creditLimit: '1' })
    const outcomes = await Promise.allSettled(Array.from({ length: 16 }, () => capture(id, '0.3')))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toEqual(exhausted('0.100000'))
    }
    expect(await reportedOf(id)).toBe('0.900000')
  })

  test('does not overwrite concurrent requests with the secret', async () => {
    const { id, secretKey } = await alice.issue({ creditLimit: '1', rpm: 12 })
    const authorization = `Bearer ${secretKey}`
    await Promise.all(
      Array.from({ length: 10 }, async () => {
        await Promise.all([capture(id, '0.1'), gateway.providers.authenticate({ authorization })])
      }),
    )
    expect(await reportedOf(id)).toBe('1.000000')
    const { rate } = await gateway.providers.authenticate({ authorization })
    expect(rate.remaining).toBe(12 - 11)
  })
})

describe('the interval of a credit limit', () => {
  test.each<[ResetInterval, string]>([
    ['hourly', '1 hour'],
    ['daily', '1 day'],
    ['weekly', '7 days'],
    ['monthly', '31 days'],
  ])('%s restores the whole limit when it has passed', async (resetInterval, length) => {
    const { id } = await alice.issue({ creditLimit: '1', resetInterval })
    await capture(id, '1')
    await expect(capture(id, '0.1')).rejects.toEqual(exhausted('0.000000'))
    await age(id, length)
    expect(await reportedOf(id)).toBe('0.000000')
    await capture(id, '0.7')
    await expect(capture(id, '0.4')).rejects.toEqual(exhausted('0.300000'))
    expect(await reportedOf(id)).toBe('0.700000')
  })

  test('follows the UTC calendar, whenever the secret was issued', async () => {
    const { id } = await alice.issue({ creditLimit: '1', resetInterval: 'monthly' })
    await capture(id, '1')
    await age(id, '200 days')
    await capture(id, '1')
    const rows = await gateway.run(sql`
      select interval_start = date_trunc('month', now(), 'UTC') as is_of_calendar
      from provider_secrets where id = ${id}`)
    expect(rows).toEqual([{ isOfCalendar: true }])
  })

  test('never ends when set to never', async () => {
    const { id } = await alice.issue({ creditLimit: '1', resetInterval: 'never' })
    await capture(id, '1')
    await gateway.run(sql`
      update provider_secrets set created_at = created_at - '10 years'::interval where id = ${id}`)
    await expect(capture(id, '0.000001')).rejects.toEqual(exhausted('0.000000'))
  })

  test('does not restart when the database clock is set back', async () => {
    const { id } = await alice.issue({ creditLimit: '1', resetInterval: 'daily' })
    await capture(id, '1')
    await gateway.run(sql`
      update provider_secrets set interval_start = interval_start + '1 day'::interval where id = ${id}`)
    await expect(capture(id, '0.000001')).rejects.toEqual(exhausted('0.000000'))
  })
})

describe('PROVIDER_SECRET_INVALID is the answer to a capture by', () => {
  test('a deleted or unknown secret', async () => {
    const { id } = await alice.issue()
    await alice.ask('DELETE', `/secrets/provider/${id}`)
    await expect(capture(id, '0')).rejects.toEqual(invalid)
    await expect(capture('psec_00000000000000000000000000', '0')).rejects.toEqual(invalid)
  })

  test('a secret whose deletion is in progress', async () => {
    const { id } = await alice.issue()
    let refused: Promise<unknown> = Promise.resolve()
    await gateway.deps.db.transaction(async tx => {
      await tx.query(sql`update provider_secrets set status = 'deleted' where id = ${id}`)
      refused = expect(capture(id, '1')).rejects.toEqual(invalid)
      await gateway.untilBlocked(1)
    })
    await refused
  })
})

test('a deletion waits for a capture in progress, which still counts', async () => {
  const { id } = await alice.issue({ creditLimit: '1' })
  const deleted = await gateway.deps.db.transaction(async tx => {
    await drawCapture(tx, { secretId: id, amount: parseUsdc('0.25') })
    const answer = alice.ask('DELETE', `/secrets/provider/${id}`)
    await gateway.untilBlocked(1)
    return { answer }
  })
  const { status, body } = await deleted.answer
  expect(status).toBe(200)
  expect(body.secret).toMatchObject({ status: 'deleted', capturedUsdc: '0.250000' })
})
