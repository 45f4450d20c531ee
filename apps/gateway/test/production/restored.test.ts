import { afterAll, beforeAll, expect, test } from 'vitest'
import { post } from '../kit/network/http.ts'
import { balanceOf } from '../kit/world/world.ts'
import { type Production, startProduction, TEST_TIMEOUT_MS } from './kit.ts'
import { restoring } from './restore.ts'

/** Longer than a ticket is good, in seconds of chain time. */
const TICKET_IS_OVER_SECONDS = 3_700

const ISSUED = ['APPROVED_AUTO', 'APPROVED_AUTO']
const REVIEWED = ['PENDING_REVIEW', 'PENDING_REVIEW']

let production: Production
let database: ReturnType<typeof restoring>

beforeAll(async () => {
  production = await startProduction()
  database = restoring(production)
}, TEST_TIMEOUT_MS)
afterAll(() => production.stop())

test(
  'after a restart of the database tickets wait until the chain has been followed, then resume automatically',
  async () => {
    const provider = await production.earner('1')
    await database.ticketing(provider)
    expect(await database.ask(provider)).toEqual(ISSUED)
    await production.cluster.stop()
    await production.cluster.start()
    expect(await database.ask(provider)).toEqual(REVIEWED)
    await database.ticketing(provider)
    expect(await database.ask(provider)).toEqual(ISSUED)
    expect(await database.restores()).toEqual([])
  },
  TEST_TIMEOUT_MS,
)

test(
  'a failover without loss raises a finding that resolves once the chain has been followed and everything checked',
  async () => {
    const provider = await production.earner('1')
    await production.cluster.failOver()
    expect(await database.ask(provider)).toEqual(REVIEWED)
    await database.ticketing(provider)
    expect(await database.restores()).toEqual(['gone'])
    expect(await database.ask(provider)).toEqual(ISSUED)
    await production.checkedClean()
  },
  TEST_TIMEOUT_MS,
)

test(
  'no ticket is issued while one that a restored database has forgotten may be redeemed',
  async () => {
    const provider = await production.earner('3')
    const copy = await production.cluster.copy()
    await database.ticketing(provider)
    await production.cluster.markMoment()
    const forgotten = await production.withdraw(production.one, provider, '2')
    expect(forgotten.statusLabel).toBe('APPROVED_AUTO')
    await database.whileStopped(() => production.cluster.recoverTo(copy))

    expect(await balanceOf(production.one, provider)).toMatchObject({ receivable: 3_000_000n, locked: 0n })
    await production.blocks(6)
    await database.checkedTwice()
    expect(await database.ask(provider)).toEqual(REVIEWED)
    expect(await database.restores()).toEqual(['gone', null])

    await production.chain.increaseTime(TICKET_IS_OVER_SECONDS)
    await database.ticketing(provider)
    expect(await database.ask(provider)).toEqual(ISSUED)
    expect(await database.restores()).toEqual(['gone', 'gone'])
  },
  TEST_TIMEOUT_MS,
)

test(
  'a withdrawal paid after the point in time of a restore is not paid again',
  async () => {
    const provider = await production.earner('6')
    const copy = await production.cluster.copy()
    await database.ticketing(provider)
    await production.cluster.markMoment()
    await database.withdrawAndRedeem(provider, '3')
    await database.whileStopped(() => production.cluster.recoverTo(copy))

    expect(await balanceOf(production.one, provider)).toMatchObject({ receivable: 6_000_000n, locked: 0n })
    expect(await database.ask(provider)).toEqual(REVIEWED)
    await production.chain.increaseTime(TICKET_IS_OVER_SECONDS)
    await database.caughtUp()
    await database.checkedTwice()
    expect(await database.ask(provider)).toEqual(REVIEWED)

    const { withdrawalId } = await production.withdraw(production.two, provider, '1')
    const approved = await post(production.two, `/admin/withdrawals/${withdrawalId}/approve`, {
      token: production.admin.token,
      body: {},
    })
    expect(approved).toMatchObject({ status: 503, body: { detail: { reason: expect.any(String) } } })
  },
  TEST_TIMEOUT_MS,
)
