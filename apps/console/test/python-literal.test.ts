import { expect, test } from 'vitest'
import { pythonOf } from '../src/ui/services/python-literal.ts'

test('a JSON value becomes one of Python, also in lists, and texts stay as they are', () => {
  const value = {
    flags: [true, false, null],
    isDaily: true,
    note: 'say "x: true, y: null"\nfalse',
    left: null,
  }
  expect(pythonOf(value).replaceAll(/\s+/g, ' ')).toBe(
    String.raw`{ "flags": [ True, False, None ], "isDaily": True, "note": "say \"x: true, y: null\"\nfalse", "left": None }`,
  )
  expect(pythonOf(null)).toBe('None')
})
