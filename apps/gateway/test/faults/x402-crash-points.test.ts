import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { CatchAt } from '../kit/network/database-proxy.ts'
import { sendJson } from '../kit/provider/provider.ts'
import { until } from '../kit/until.ts'
import { PRICE } from '../kit/world/sold-service.ts'
import {
  askTerms,
  decoded,
  giveGas,
  newSettler,
  newX402Payer,
  request,
  signPayment,
} from '../kit/world/x402-client.ts'
import { createAftermaths, type Fixture, HOLDS, SETTLEMENTS, startFixture } from './fixture.ts'

const settler = newSettler()
const TIMEOUT_MS = 60_000

let fixture: Fixture
const aftermaths = createAftermaths(() => fixture.on)

beforeAll(async () => {
  fixture = await startFixture(settler.env)
  await giveGas(fixture.on.chain, settler.address)
})
afterAll(() => fixture.stop())
afterEach(() => fixture.on.chain.resumeMining())

type Paying = Awaited<ReturnType<typeof signs>>

/** Returns a wallet with the price of one call, and its payment. */
async function signs() {
  const { upstream, on } = fixture
  upstream.respondWith((_, response) => sendJson(response, 200, { number: upstream.calls.length }))
  const account = await newX402Payer(on.chain, PRICE)
  const { header } = await signPayment(account, await askTerms(urlOf()))
  // The provider recognises the calls of this payment by their body.
  const body = { of: account.address }
  const calls = () => upstream.calls.filter(call => call.body.includes(account.address)).length
  return { account, header, body, calls }
}

const urlOf = () => `${fixture.on.url}/x402/${fixture.service}`

const send = ({ header, body }: Paying) => request(urlOf(), body, header)

/** Sends the request of a payment; null if the gateway was killed meanwhile. */
const sent = (paying: Paying) => send(paying).catch(() => null)

/** Returns what a payer can spend, in micro-USDC. */
async function available({ account }: Paying): Promise<bigint> {
  const { sql } = fixture.on
  await sql('select ledger_catch_up()')
  const [row] = await sql<{ available: string }>(
    'select (posted - reserved)::text as available from accounts where id = $1',
    [accountOf(account.address)],
  )
  return BigInt(row?.available ?? 0)
}

const accountOf = (address: string) => `consumer:${address.toLowerCase()}`

/** Time goes by: the leases of the dead gateway end, and its transactions may be sent again. */
async function letTimePass(): Promise<void> {
  await fixture.on.sql("update x402_payments set sent_at = sent_at - interval '1 minute'")
  await fixture.on.sql('update x402_senders set lease_until = now()')
  await fixture.on.sql('update vault_cursors set lease_until = now()')
}

/** The payer repeats the request: it has one call, one payment has moved, and nothing is left. */
async function expectOneCall(paying: Paying): Promise<void> {
  await letTimePass()
  const answer = await send(paying)
  expect([answer.status, answer.headers.get('farebox-charged-usdc')]).toEqual([200, '0.010000'])
  expect(decoded(answer.headers.get('payment-response'))).toMatchObject({ success: true })
  const again = await send(paying)
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
  expect(await again.json()).toEqual(await answer.json())
  expect(paying.calls()).toBe(1)
  await expectMoney(paying, 0n)
}

/** The call was given up before it was made: its money is the payer's, and the payment says so whenever it is sent. */
async function expectCredited(paying: Paying): Promise<void> {
  await until('the hold is released', async () => (await available(paying)) === PRICE)
  const answer = await send(paying)
  expect([answer.status, await answer.json()]).toMatchObject([503, { code: 'GATEWAY_INTERRUPTED' }])
  expect([answer.headers.get('idempotent-replayed'), answer.headers.get('farebox-balance-usdc')]).toEqual([
    null,
    null,
  ])
  expect(paying.calls()).toBe(0)
  await expectMoney(paying, PRICE)
}

/** The payment went into the vault and to its payer's account once. */
async function expectMoney(paying: Paying, left: bigint): Promise<void> {
  const { on } = fixture
  const { address } = paying.account
  expect([await on.chain.usdcOf(address), await available(paying)]).toEqual([0n, left])
  const credits = await on.sql('select amount from entries where account = $1 and amount > 0', [
    accountOf(address),
  ])
  expect(credits).toEqual([{ amount: String(PRICE) }])
}

test.each<[string, statement: string, CatchAt, (paying: Paying) => Promise<void>]>([
  ['before it is signed for the chain', 'insert into x402_payments', 'commit-answer', expectOneCall],
  ['signed and not broadcast', 'update x402_payments set transactions', 'commit-answer', expectOneCall],
  ['settled on chain and not credited', 'set credited_at', 'request', expectOneCall],
  ['credited and not marked', 'update x402_payments set settled_in', 'request', expectOneCall],
  ['credited to a payer who has no credential yet', 'insert into x402_payers', 'request', expectOneCall],
  ['settled and not held', HOLDS, 'request', expectOneCall],
  ['held and not yet at the provider', HOLDS, 'commit-answer', expectCredited],
  ['charged and not answered', SETTLEMENTS, 'commit-answer', expectOneCall],
])(
  'SIGKILL with a payment %s: one payment, one call at most',
  {
    timeout: TIMEOUT_MS,
  },
  async (_, statement, at, look) => {
    const paying = await signs()
    const trap = fixture.proxy.catchCommit(at, [statement])
    const lost = sent(paying)
    await trap.sprung
    await fixture.on.kill9()
    expect(await lost).toBeNull()
    await aftermaths.recover(() => look(paying))
  },
)

/** Sends a payment that stays in the pool of the node, and kills the gateway. */
async function killWhileBroadcast(): Promise<Paying> {
  const { chain } = fixture.on
  const paying = await signs()
  await chain.pauseMining()
  const pending = () => chain.client.getTransactionCount({ address: settler.address, blockTag: 'pending' })
  const before = await pending()
  const lost = sent(paying)
  await until('the payment is broadcast', async () => (await pending()) === before + 1)
  await fixture.on.kill9()
  expect(await lost).toBeNull()
  return paying
}

test('SIGKILL between the broadcast of a payment and its block: one call when it is sent again', {
  timeout: TIMEOUT_MS,
}, async () => {
  const paying = await killWhileBroadcast()
  await fixture.on.chain.mine()
  await aftermaths.recover(() => expectOneCall(paying))
})

test('a payment that stays in the mempool is pending, not refused, and never broadcast again', {
  timeout: TIMEOUT_MS,
}, async () => {
  const { chain, sql } = fixture.on
  const paying = await killWhileBroadcast()
  await fixture.on.restart()
  await letTimePass()
  const waiting = send(paying)
  await until('it has looked at the pool', async () => {
    const fresh = await sql("select 1 from x402_payments where sent_at > now() - interval '20 seconds'")
    return fresh.length === 1
  })
  await chain.mine()
  expect((await waiting).status).toBe(200)
  await expectOneCall(paying)
  const [row] = await sql<{ count: number }>(
    'select cardinality(transactions) as count from x402_payments where payer = $1',
    [paying.account.address.toLowerCase()],
  )
  expect(row?.count).toBe(1)
})

test('SIGKILL before a payment is credited, without a retry: it is credited, then pays for one call', {
  timeout: TIMEOUT_MS,
}, async () => {
  const paying = await killWhileBroadcast()
  await fixture.on.chain.mine()
  await fixture.on.restart()
  await letTimePass()
  await until('the follower credits it', async () => {
    await fixture.on.sql(
      "update vault_deposits set confirmed_at = confirmed_at - interval '2 hours' where credited_at is null",
    )
    return (await available(paying)) === PRICE
  })
  await expectMoney(paying, PRICE)
  await expectOneCall(paying)
  await fixture.on.assertBooks()
})

test(
  'a second crash changes nothing about the payments',
  {
    timeout: TIMEOUT_MS,
  },
  () => aftermaths.recoverAgain(),
)
