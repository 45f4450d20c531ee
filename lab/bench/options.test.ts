import { expect, test } from 'vitest'
import { PARTS, readOptions } from './options.ts'

test('runs every part and only prints by default', () => {
  const { parts, callers, owners, out } = readOptions([])
  expect([...parts]).toEqual([...PARTS])
  expect([callers, owners, out]).toEqual([[1, 64, 256, 1_024], 10_000, null])
})

test('runs some parts and writes the results to a folder on request', () => {
  const { parts, out } = readOptions(['--only', 'rest,memory', '--out', '/elsewhere'])
  expect([...parts]).toEqual(['rest', 'memory'])
  expect(out).toBe('/elsewhere')
})

test('selects the parts that measure the core for its figures', () => {
  const { parts } = readOptions(['--only', 'figures'])
  expect([...parts]).toEqual(['core', 'several', 'first-byte', 'life', 'rest', 'memory'])
})

test.each([
  [['--only', 'everything']],
  [['--rounds', '0']],
  [['--minutes', 'long']],
  [['--callers', '1,x']],
  [['--owners', '1000000']],
])('rejects %j', args => {
  expect(() => readOptions(args)).toThrow(/--/)
})
