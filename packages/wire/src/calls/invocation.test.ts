import { expect, test } from 'vitest'
import { misplacedArgument } from './invocation.ts'

test('names an argument beside payload, and where it goes', () => {
  expect(misplacedArgument({ serviceId: 'echo', body: {} })).toBe(
    'Unknown member "body". The provider\'s body goes into payload.body. Nothing was charged.',
  )
  expect(misplacedArgument({ query: { q: 1 }, payload: { body: {} } })).toContain('goes into payload.query')
  expect(misplacedArgument({ params: {}, payload: null })).toContain('goes into payload.body')
})

test('accepts other unknown members, absent arguments, and those that payload has too', () => {
  for (const body of [{ note: 1 }, { body: null }, { input: 1, payload: { body: {} } }, null, 'x', [1]])
    expect(misplacedArgument(body)).toBeNull()
})
