import { parseUsdc, ZERO } from '@farebox/money'
import { expect, test } from 'vitest'
import type { Balance } from '../../kit/person.ts'
import { type Accounts, checkBooks, readBalances } from './books.ts'

/** Books that can be put out of order at will, which a gateway is made not to allow. */
type Books = { available: string; held: string; receivable: string; broken: string[] }

/** Three calls of 0.0001 USDC. */
const DUE = { calls: 3, spent: [300n], earned: [300n] }
const sound: Books = { available: '1', held: '0', receivable: '0', broken: [] }

/** Checks the books before the calls against those after them. */
async function checked(after: Books) {
  let books = sound
  const balance = (more: Partial<Balance>): Balance => {
    return { available: ZERO, held: ZERO, receivable: ZERO, feesPaid: ZERO, ...more }
  }
  const accounts: Accounts = {
    readOwners: async () => [balance({ available: parseUsdc(books.available), held: parseUsdc(books.held) })],
    readProviders: async () => [balance({ receivable: parseUsdc(books.receivable) })],
    reconcile: async () => books.broken,
  }
  const before = await readBalances(accounts)
  books = after
  return checkBooks(accounts, { before, due: DUE, patienceMs: 0 })
}

const paid: Books = { ...sound, available: '0.9997', receivable: '0.0003' }

test('the books are exact when owners have paid and providers have received exactly the calls', async () => {
  const amounts = { spentUsdc: '0.000300', earnedUsdc: '0.000300' }
  expect(await checked(paid)).toMatchObject({ isExact: true, paidCalls: 3, ...amounts, findings: [] })
})

test.each([
  ['an owner charged a micro too much', { ...paid, available: '0.999699' }],
  ['an owner charged a micro too little', { ...paid, available: '0.999701' }],
  ['a provider paid a micro too little', { ...paid, receivable: '0.000299' }],
  ['a hold that is never released', { ...paid, available: '0.9987', held: '0.001' }],
  ['an invariant that the gateway finds broken', { ...paid, broken: ['BROKEN ledger-sum'] }],
])('reports %s as a finding', async (_, books) => {
  const { isExact, findings } = await checked(books)
  expect(isExact).toBe(false)
  expect(findings).not.toHaveLength(0)
})
