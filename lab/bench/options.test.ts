import { expect, test } from 'vitest'
import { PARTS, readOptions } from './options.ts'

test('without flags everything runs, and the results are kept', () => {
  const { parts, callers, owners, out } = readOptions([], '/results')
  expect([...parts]).toEqual([...PARTS])
  expect([callers, owners, out]).toEqual([[1, 64, 256, 1_024], 10_000, '/results'])
})

test('a run of some parts does not replace the results of a whole one', () => {
  const { parts, out } = readOptions(['--only', 'rest,memory'], '/results')
  expect([...parts]).toEqual(['rest', 'memory'])
  expect(out).toBeNull()
  expect(readOptions(['--only', 'calls', '--out', '/elsewhere'], '/results').out).toBe('/elsewhere')
})

test('the figures of the core are the parts that measure them', () => {
  const { parts } = readOptions(['--only', 'figures'], '/results')
  expect([...parts]).toEqual(['core', 'several', 'first-byte', 'life', 'rest', 'memory'])
})

test('a quick run is smaller where no flag says otherwise, and is not kept', () => {
  const quick = readOptions(['--quick', '--rounds', '5'], '/results')
  const whole = readOptions([], '/results')
  expect(quick.parts.size).toBeLessThan(whole.parts.size)
  expect(quick.seconds).toBeLessThan(whole.seconds)
  expect([quick.rounds, quick.out]).toEqual([5, null])
  expect([...readOptions(['--quick', '--only', 'life'], '/results').parts]).toEqual(['life'])
})

test.each([
  [['--only', 'everything']],
  [['--rounds', '0']],
  [['--minutes', 'long']],
  [['--callers', '1,x']],
  [['--owners', '1000000']],
])('%j is refused', args => {
  expect(() => readOptions(args, '')).toThrow(/--/)
})
