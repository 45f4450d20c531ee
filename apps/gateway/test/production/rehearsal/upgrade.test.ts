import { parseUsdc } from '@farebox/money'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { send } from '../../kit/network/http.ts'
import { startProvider } from '../../kit/provider/provider.ts'
import { until } from '../../kit/until.ts'
import { balanceOf, type Person } from '../../kit/world/world.ts'
import { callAgain, loadRelease, type Made, signInAgain } from './older-release.ts'
import { openRecovery } from './recovery.ts'
import { openSite, type Site, WAIT_MS } from './site.ts'

/** Timeout of the steps, in ms. */
const STEP_MS = 240_000
/** Keeps the answers of the release, however old they are. */
const RETENTION = { REPLAY_RETENTION_DAYS: '36500' }
/** The last event of a replayed stream says that it is one. */
const REPLAYED = ',"replayed":true'

let site: Site
let made: Made
let owner: Person
let provider: Person

beforeAll(async () => {
  site = await openSite()
  await site.makeDatabase()
  made = await loadRelease(site)
}, STEP_MS)
afterAll(() => site.end(), STEP_MS)

const available = async (person: Person) => (await balanceOf(site.on(), person)).available

test(
  'a database of release 0.1.0 is backed up, migrated by the role that owned it, and served by a role that does not',
  async () => {
    const recovery = openRecovery(site.machine)
    await recovery.archive()
    await recovery.makeRole()
    await recovery.backUp('before')
    const migrated = await site.migrate()
    expect(migrated).toMatch(/^Applied 0022-/m)
    expect(migrated).toContain('The role farebox_gateway has the rights that a gateway needs.')
    await site.startGateways(RETENTION)
    await site.untilServed()
    owner = await signInAgain(site, made, 'owner')
    provider = await signInAgain(site, made, 'provider')
  },
  STEP_MS,
)

test(
  'after the upgrade its calls replay byte for byte, the one in flight is released, and balances are unchanged',
  async () => {
    for (const { request, status, text } of made.calls) {
      const again = await callAgain(site, made, request)
      const given = { status: again.status, text: again.text.replace(REPLAYED, '') }
      expect([request.idempotencyKey, given]).toEqual([request.idempotencyKey, { status, text }])
    }
    const before = BigInt(made.balances.owner.available)
    await until('its hold is released', async () => (await available(owner)) === before, WAIT_MS)
    expect(await callAgain(site, made, made.inFlight)).toMatchObject({
      text: expect.stringContaining('GATEWAY_INTERRUPTED'),
    })
    const { receivable, locked } = made.balances.provider
    expect(await balanceOf(site.on(), provider)).toMatchObject({
      receivable: BigInt(receivable),
      locked: BigInt(locked),
    })
  },
  STEP_MS,
)

test(
  'earlier deposits, seen or missed, are credited, and its services keep selling',
  async () => {
    for (const [name, amount] of [
      ['depositor', '5'],
      ['late', '4'],
    ] as const) {
      const person = await signInAgain(site, made, name)
      const isCredited = async () => (await available(person)) === parseUsdc(amount)
      await until(`${amount} USDC are credited`, isCredited, WAIT_MS)
    }
    const upstream = await startProvider()
    site.atEnd(() => upstream.stop())
    const invoke = { method: 'POST', targets: [{ url: upstream.url, weight: 1 }] }
    const path = `/api/v1/services/${made.service}`
    const moved = await send(site.front.url, path, { method: 'PUT', token: provider.token, body: { invoke } })
    expect(moved.status).toBe(200)
    const before = await available(owner)
    const request = { serviceId: made.service, costUsdc: '0.25', payload: { body: { q: 'new' } } }
    expect(await callAgain(site, made, request)).toMatchObject({ status: 200 })
    expect(await available(owner)).toBe(before - parseUsdc('0.25'))
    expect(upstream.calls).toHaveLength(1)
  },
  STEP_MS,
)

test(
  'its ticket is redeemed, its withdrawal in review is approved and paid, and a new one gets a ticket',
  async () => {
    const open = await site.ticketFor(provider, '0.5', 'open')
    expect(open).toEqual(made.withdrawals.open.ticket)
    const { withdrawalId: WITHDRAWAL } = made.withdrawals.review
    const approved = await site.ask('$WITHDRAWAL/approve', { WITHDRAWAL })
    expect(approved).toMatchObject({ status: 'success' })
    const reviewed = await site.ticketFor(provider, '1.5', 'review')
    await site.redeem(provider, open, reviewed, await site.ticketFor(provider, '0.1'))
    const { address } = provider.account
    expect(await site.chain.usdcOf(address)).toBe(parseUsdc('2.6'))
    await site.gateways[0].assertBooks()
  },
  STEP_MS,
)
