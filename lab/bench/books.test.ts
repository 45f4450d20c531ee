import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { createApi } from './api.ts'
import { readBalance } from './balance.ts'
import { checkBooks, readBalances } from './books.ts'
import type { Accounts } from './market.ts'

/** A gateway whose books can be put out of order at will, which a real one is made not to allow. */
type Books = { available: string; held: string; receivable: string; broken: string[] }

/** Three calls of 0.0001 USDC. */
const DUE = { calls: 3, spent: [300n], earned: [300n] }
const sound: Books = {
  available: '1.000000',
  held: '0.000000',
  receivable: '0.000000',
  broken: [],
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
    const { available, held, receivable } = books
    const balance = {
      consumer_available_balance: isOwner ? available : '0.000000',
      consumer_held_balance: isOwner ? held : '0.000000',
      provider_receivable_balance: isOwner ? '0.000000' : receivable,
      protocol_fee_balance: '0.000000',
    }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(balance))
  })
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port.')
  const api = createApi(`http://127.0.0.1:${address.port}`)
  const market: Accounts = {
    api,
    providerTokens: ['provider'],
    readOwners: async () => [await readBalance(api, 'owner')],
    reconcile: async () => books.broken,
  }
  const before = await readBalances(market)
  books = after
  return checkBooks(market, { before, due: { ...DUE, held }, patienceMs: 0 })
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
  ['an invariant that the gateway finds broken', { ...paid, broken: ['BROKEN ledger-sum'] }],
])('%s is a finding', async (_, books) => {
  const { isExact, findings } = await checked(books)
  expect(isExact).toBe(false)
  expect(findings).not.toHaveLength(0)
})
