import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { parseUsdc } from '@farebox/money'
import { afterEach, expect, test } from 'vitest'
import { createApi } from './api.ts'
import { checkBooks, dueOf, readBalances } from './books.ts'
import type { Accounts } from './market.ts'

/** A gateway whose books can be put out of order at will, which a real one is made not to allow. */
type Books = {
  available: string
  held: string
  receivable: string
  reserves: Record<string, unknown>
}

const PRICE = parseUsdc('0.000100')
const sound: Books = {
  available: '1.000000',
  held: '0.000000',
  receivable: '0.000000',
  reserves: {
    consistent: true,
    ledgerSumUsdc: '0.000000',
    vaultBalanceUsdc: '1.000000',
    liabilitiesUsdc: '1.000000',
  },
}
const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

/** Serves the books before the calls, then those after them; three calls are paid in between. */
async function checked(after: Books, held: readonly bigint[] | null = null) {
  let books = sound
  const server = createServer((request, response) => {
    const isOwner = request.headers.authorization === 'Bearer owner'
    const { available, held, receivable, reserves } = books
    const balance = {
      consumer_available_balance: isOwner ? available : '0.000000',
      consumer_held_balance: isOwner ? held : '0.000000',
      provider_receivable_balance: isOwner ? '0.000000' : receivable,
      protocol_fee_balance: '0.000000',
    }
    const lastReconciledAt = new Date(Date.now() + 60_000).toISOString()
    response.setHeader('content-type', 'application/json')
    response.end(
      JSON.stringify(request.url === '/api/v1/balance' ? balance : { ...reserves, lastReconciledAt }),
    )
  })
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port.')
  const market: Accounts = {
    api: createApi(`http://127.0.0.1:${address.port}`),
    ...{ ownerTokens: ['owner'], providerTokens: ['provider'] },
  }
  const before = await readBalances(market)
  books = after
  return checkBooks(market, { before, due: { ...dueOf({ byOwner: [3], byService: [3] }, PRICE), held } })
}

const paid: Books = { ...sound, available: '0.999700', receivable: '0.000300' }

test('books are exact when owners are poorer and providers richer by just the calls', async () => {
  expect(await checked(paid)).toMatchObject({
    isExact: true,
    paidCalls: 3,
    spentUsdc: '0.000300',
    findings: [],
  })
})

test('what waits for its usage is held and neither spent nor earned', async () => {
  const waiting = { ...paid, available: '0.998700', held: '0.001000' }
  expect(await checked(waiting, [1_000n])).toMatchObject({ isExact: true, heldUsdc: '0.001000' })
  const tooMuch = { ...paid, available: '0.998699', held: '0.001000' }
  expect((await checked(tooMuch, [1_000n])).isExact).toBe(false)
})

test.each([
  ['an owner charged a micro too much', { ...paid, available: '0.999699' }],
  ['an owner charged a micro too little', { ...paid, available: '0.999701' }],
  ['a provider paid a micro too little', { ...paid, receivable: '0.000299' }],
  [
    'a gateway that finds its own books inconsistent',
    { ...paid, reserves: { ...sound.reserves, consistent: false } },
  ],
  [
    'entries that do not add up to zero',
    { ...paid, reserves: { ...sound.reserves, ledgerSumUsdc: '0.000001' } },
  ],
  [
    'a vault that holds less than is owed',
    { ...paid, reserves: { ...sound.reserves, vaultBalanceUsdc: '0.999999' } },
  ],
])('%s is a finding', async (_, books) => {
  const { isExact, findings } = await checked(books)
  expect(isExact).toBe(false)
  expect(findings).not.toHaveLength(0)
})
