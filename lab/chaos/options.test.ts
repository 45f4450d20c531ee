import { expect, test } from 'vitest'
import { readOptions } from './options.ts'

test('some rounds of a seed that is told, unless it is given', () => {
  const { seed, rounds, out } = readOptions([])
  expect(seed).toMatch(/^[0-9a-f]{8}$/)
  expect(rounds).toEqual([1, 2, 3, 4, 5])
  expect(out).toBeNull()
})

test('so many rounds, or one of them', () => {
  expect(readOptions(['--rounds', '2', '--seed', 's', '--out', 'd'])).toEqual({
    seed: 's',
    rounds: [1, 2],
    out: 'd',
  })
  expect(readOptions(['--round', '7', '--seed', 's']).rounds).toEqual([7])
})

test.each([[['--rounds', '0']], [['--rounds', 'many']], [['--round', '1', '--rounds', '2']], [['--what']]])(
  '%j is refused',
  args => {
    expect(() => readOptions(args)).toThrow()
  },
)
