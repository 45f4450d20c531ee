import { afterAll, beforeAll, expect, test } from 'vitest'
import { get, post } from '../kit/network/http.ts'
import { balanceOf } from '../kit/world/world.ts'
import { type Production, startProduction, TEST_TIMEOUT_MS } from './kit.ts'
import { restoring } from './restore.ts'

const REVIEWED = ['PENDING_REVIEW', 'PENDING_REVIEW']

let production: Production

beforeAll(async () => {
  production = await startProduction()
}, TEST_TIMEOUT_MS)
afterAll(() => production.stop())

test(
  'a withdrawal paid after a copy of the data directory is not paid again from that copy, and is booked by an admin',
  async () => {
    const database = restoring(production)
    const { token } = production.admin
    const provider = await production.earner('6')
    const copy = await production.cluster.copy()
    await database.ticketing(provider)
    const { ticket } = await production.withdraw(production.one, provider, '3')
    if (ticket === null) throw new Error('There is no ticket.')
    const txHash = await production.redeem(ticket)
    // Its block is the newest: nothing confirmed shows it.
    await production.chain.client.setIntervalMining({ interval: 0 })
    await database.whileStopped(() => production.cluster.putBack(copy))

    expect(await balanceOf(production.one, provider)).toMatchObject({ receivable: 6_000_000n, locked: 0n })
    expect(await database.ask(provider)).toEqual(REVIEWED)
    await production.chain.client.setIntervalMining({ interval: 1 })
    await database.caughtUp()
    await database.checkedTwice()
    expect(await database.ask(provider)).toEqual(REVIEWED)

    type Findings = { findings: { findingId: string; kind: string; detail: Record<string, string> }[] }
    const { findings } = (await get<Findings>(production.two, '/admin/findings', { token })).body
    expect(findings).toMatchObject([{ kind: 'unexplained-redemption' }])
    expect(JSON.stringify(findings)).toContain(txHash)
    const adopted = await post(production.two, `/admin/findings/${findings[0]?.findingId}/adopt`, {
      token,
      body: { chargeTo: 'recipient', reason: 'Paid after the copy.' },
    })
    expect(adopted).toMatchObject({ status: 200 })
    await database.ticketing(provider)
    await production.checkedClean()
    const { receivable, locked } = await balanceOf(production.one, provider)
    expect(receivable + locked).toBe(3_000_000n)
    expect(await database.ask(provider)).toEqual(['APPROVED_AUTO', 'APPROVED_AUTO'])
  },
  TEST_TIMEOUT_MS,
)
