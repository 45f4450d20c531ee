import { expect, test } from 'vitest'
import { runSeeds } from './run-seeds.ts'

test('5,000 histories keep every promise of the ledger', { timeout: 600_000 }, async () => {
  expect(await runSeeds(1, 5_000)).toEqual([])
})
