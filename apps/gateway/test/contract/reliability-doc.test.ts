import { resolve } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { faultsOf, type Promises, readPromises } from './named-tests.ts'

// Holds docs/reliability.md against the tests that it names.

/** Lines of what may go wrong of the first release; there are more. */
const LINES_MIN = 78

let document: Promises
beforeAll(async () => {
  document = await readPromises(resolve(import.meta.dirname, '../../../../docs/reliability.md'))
})

test('every line names an existing test', async () => {
  expect(await faultsOf(document)).toEqual([])
})

test('lines are numbered without gaps or duplicates', () => {
  const numbers = document.rows.map(({ cells }) => Number(cells[0]))
  expect(numbers.length).toBeGreaterThan(LINES_MIN)
  expect(numbers).toEqual(numbers.map((_, index) => index + 1))
})
