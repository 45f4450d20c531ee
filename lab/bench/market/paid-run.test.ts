import { usdc, ZERO } from '@farebox/money'
import { expect, test } from 'vitest'
import type { Accounts } from './books.ts'
import { findingsOf, isSound, openBooks } from './paid-run.ts'

/** Closes the books of a run without calls. */
async function closed({ errorSamples = [] as string[], broken = [] as string[] }) {
  const balance = { available: usdc(1n), held: ZERO, receivable: ZERO, feesPaid: ZERO }
  const accounts: Accounts = {
    readOwners: async () => [balance],
    readProviders: async () => [balance],
    reconcile: async () => broken,
  }
  const books = await openBooks(accounts, () => undefined)
  books.note({ errors: errorSamples.length, errorSamples })
  return books.close()
}

test('a run is sound if its books are exact and no answer was wrong', async () => {
  const soundness = await closed({})
  expect(isSound(soundness)).toBe(true)
  expect(findingsOf(soundness, 'calls')).toEqual([expect.stringContaining('books exact')])
})

test.each([
  ['an answer was wrong', { errorSamples: ['500 broken'] }, '1 wrong answers, the first: 500 broken'],
  ['an invariant of the books is broken', { broken: ['BROKEN ledger-sum'] }, 'BROKEN ledger-sum'],
])('a run is unsound when %s, and its findings report it', async (_, faults, finding) => {
  const soundness = await closed(faults)
  expect(isSound(soundness)).toBe(false)
  expect(findingsOf(soundness, 'calls').at(-1)).toContain(finding)
})
