import { expect, test } from 'vitest'
import { PARTS, readOptions } from './options.ts'

test('without flags everything runs, and is only printed', () => {
  const { parts, callers, owners, out } = readOptions([])
  expect([...parts]).toEqual([...PARTS])
  expect([callers, owners, out]).toEqual([[1, 64, 256, 1_024], 10_000, null])
})

test('a run of some parts is written to a folder if asked', () => {
  const { parts, out } = readOptions(['--only', 'rest,memory', '--out', '/elsewhere'])
  expect([...parts]).toEqual(['rest', 'memory'])
  expect(out).toBe('/elsewhere')
})

test('the figures of the core are the parts that measure them', () => {
  const { parts } = readOptions(['--only', 'figures'])
  expect([...parts]).toEqual(['core', 'several', 'first-byte', 'life', 'rest', 'memory'])
})

test.each([
  [['--only', 'everything']],
  [['--rounds', '0']],
  [['--minutes', 'long']],
  [['--callers', '1,x']],
  [['--owners', '1000000']],
])('%j is refused', args => {
  expect(() => readOptions(args)).toThrow(/--/)
})
