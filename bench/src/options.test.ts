import { expect, test } from 'vitest'
import { readOptions } from './options.ts'

test('without flags all parts run and the results are kept', () => {
  const { parts, streams, chunks, out } = readOptions([], '/results')
  expect([...parts]).toEqual(['calls', 'first-byte', 'full', 'cuts', 'llm', 'life', 'search'])
  expect([streams, chunks, out]).toEqual([1_000, 200, '/results'])
})

test('a run of some parts does not replace the results of a whole one', () => {
  const { parts, out } = readOptions(['--only', 'streams,llm'], '/results')
  expect([...parts]).toEqual(['first-byte', 'full', 'cuts', 'llm'])
  expect(out).toBeNull()
  expect(readOptions(['--only', 'calls', '--out', '/elsewhere'], '/results').out).toBe('/elsewhere')
})

test.each([
  [['--only', 'everything']],
  [['--streams', '0']],
  [['--chunks', '1']],
  [['--pace', 'fast']],
  [['--callers', '1,x']],
])('%j is refused', args => {
  expect(() => readOptions(args, '')).toThrow(/--/)
})
