import { expect, test } from 'vitest'
import { runSeeds } from './run-seeds.ts'

test('10,000 other histories keep every promise of the ledger', { timeout: 1_200_000 }, async () => {
  expect(await runSeeds(10_001, 20_000)).toEqual([])
})
