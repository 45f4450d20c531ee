import { expect, test } from 'vitest'
import { readOptions } from './options.ts'

test('runs five rounds with a random seed by default', () => {
  const { seed, rounds, out } = readOptions([])
  expect(seed).toMatch(/^[0-9a-f]{8}$/)
  expect(rounds).toEqual([1, 2, 3, 4, 5])
  expect(out).toBeNull()
})

test('runs the given number of rounds, or a single one', () => {
  expect(readOptions(['--rounds', '2', '--seed', 's', '--out', 'd'])).toEqual({
    seed: 's',
    rounds: [1, 2],
    out: 'd',
  })
  expect(readOptions(['--round', '7', '--seed', 's']).rounds).toEqual([7])
})

test.each([[['--rounds', '0']], [['--rounds', 'many']], [['--round', '1', '--rounds', '2']], [['--what']]])(
  'rejects %j',
  args => {
    expect(() => readOptions(args)).toThrow()
  },
)
