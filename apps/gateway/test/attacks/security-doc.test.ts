import { resolve } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { faultsOf, type Promises, readPromises } from '../contract/named-tests.ts'

// Holds docs/security.md against the tests that it names.

let document: Promises
beforeAll(async () => {
  document = await readPromises(resolve(import.meta.dirname, '../../../../docs/security.md'))
})

test('every line names an existing test', async () => {
  expect(document.rows.length).toBeGreaterThan(20)
  expect(await faultsOf(document)).toEqual([])
})

test('each of the ten OWASP risks is listed once', () => {
  const numbers = document.rows.filter(({ section }) => section === '1').map(({ cells }) => cells[0])
  expect(numbers).toEqual(Array.from({ length: 10 }, (_, index) => `API${index + 1}`))
})
