import { usdc } from '@farebox/money'
import type { LedgerEntry } from '@farebox/wire/balance'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type MoneyGateway, startMoneyGateway, USDC } from '../../../test/kit/gateway/money-gateway.ts'
import { postMovements } from '../../../test/kit/ledger/post-movements.ts'
import { send } from '../../../test/kit/network/http.ts'
import { openTicket } from '../../../test/kit/world/withdrawals.ts'

let gateway: MoneyGateway

beforeAll(async () => {
  gateway = await startMoneyGateway({ requiredConfirmations: 1 })
})
afterAll(() => gateway.stop())

type Page = { entries: LedgerEntry[]; nextCursor: string | null }

test('an empty balance is zero under every name', async () => {
  const alice = await gateway.member()
  const { status, body } = await alice.send('/balance')
  const zero = '0.000000'
  expect(status).toBe(200)
  expect(body).toEqual({
    status: 'success',
    consumer_available_balance: zero,
    consumer_held_balance: zero,
    provider_receivable_balance: zero,
    provider_locked_balance: zero,
    protocol_fee_balance: zero,
    balance: {
      ownerBalance: zero,
      consumerAvailableBalance: zero,
      consumerHeldBalance: zero,
      providerReceivable: zero,
      providerLocked: zero,
      platformFeeAccrued: zero,
    },
  })
})

test('a balance has the available, held, earned and locked amounts', async () => {
  const alice = await gateway.member()
  await gateway.earn(alice, usdc(5n * USDC))
  await openTicket(alice, '2')
  await gateway.chain.deposit(alice.address, usdc(3n * USDC))
  await gateway.deps.db.transaction(tx =>
    postMovements(tx, [
      { kind: 'deposit', wallet: alice.wallet, amount: usdc(3n * USDC), reference: 'a deposit' },
      { kind: 'hold', wallet: alice.wallet, provider: '0xb', amount: usdc(1n), reference: 'a call' },
    ]),
  )
  expect((await alice.send('/balance')).body).toMatchObject({
    consumer_available_balance: '2.999999',
    consumer_held_balance: '0.000001',
    provider_receivable_balance: '3.000000',
    provider_locked_balance: '2.000000',
    balance: { ownerBalance: '2.999999', providerLocked: '2.000000' },
  })
})

test('pages of entries explain the balance of a wallet, and hold its own entries only', async () => {
  const [alice, bob] = [await gateway.member(), await gateway.member()]
  for (const amount of [1n, 2n, 3n]) await gateway.earn(alice, usdc(amount))
  const first = await alice.send<Page>('/balance/ledger?limit=2')
  const second = await alice.send<Page>(`/balance/ledger?limit=2&cursor=${first.body.nextCursor}`)
  const entries = [...first.body.entries, ...second.body.entries]
  expect(entries.map(entry => entry.amountUsdc)).toEqual(['0.000003', '0.000002', '0.000001'])
  expect(second.body.nextCursor).toBeNull()
  expect(entries[0]).toEqual({
    entryId: expect.stringMatching(/^\d+$/),
    movementId: `capture:${entries[0]?.reference}`,
    kind: 'capture',
    account: 'provider',
    amountUsdc: '0.000003',
    reference: expect.stringMatching(/^inv_/),
    createdAt: expect.stringMatching(/Z$/),
  })
  expect((await bob.send<Page>('/balance/ledger')).body.entries).toEqual([])
  for (const cursor of ['!!', Buffer.from('12x').toString('base64url')]) {
    expect((await alice.send(`/balance/ledger?cursor=${cursor}`)).body.code).toBe('INVALID_REQUEST')
  }
})

test('serves the ledger as CSV on request, with a link to the next page', async () => {
  const alice = await gateway.member()
  for (const amount of [1n, 2n]) await gateway.earn(alice, usdc(amount))
  const { body } = await alice.send<Page>('/balance/ledger?limit=1')
  const answer = await csvOf(alice, '/balance/ledger?limit=1')
  expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  const [entry] = body.entries
  expect(await answer.text()).toBe(
    `entryId,movementId,kind,account,amountUsdc,reference,createdAt\r\n${Object.values(entry ?? {}).join(',')}\r\n`,
  )
  const link = answer.headers.get('link') ?? ''
  expect(link).toMatch(/^<\/api\/v1\/balance\/ledger\?limit=1&cursor=[\w-]+>; rel="next"$/)
  const next = await csvOf(alice, link.slice('</api/v1'.length, link.indexOf('>')))
  expect(await next.text()).toContain(',0.000001,')
  expect(next.headers.get('link')).toBeNull()
})

test('both require a session', async () => {
  for (const path of ['/balance', '/balance/ledger']) {
    const { status, body } = await send(gateway.url, `/api/v1${path}`)
    expect([status, body.code]).toEqual([401, 'UNAUTHORIZED'])
  }
})

/** Asks for CSV with the session of a wallet. */
async function csvOf(of: { token: string }, path: string): Promise<Response> {
  return fetch(`${gateway.url}/api/v1${path}`, {
    headers: { accept: 'text/csv', authorization: `Bearer ${of.token}` },
  })
}
