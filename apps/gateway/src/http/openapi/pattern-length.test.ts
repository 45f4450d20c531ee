import { expect, test } from 'vitest'
import { longestMatch } from './pattern-length.ts'

test.each([
  ['^0x[0-9a-fA-F]{40}$', 42],
  ['^cred_[0-9A-Za-z]{1,64}$', 69],
  ['^-?\\d{1,18}\\.\\d{6}$', 26],
  ['^(0|[1-9][0-9]{0,11})([.][0-9]{1,6})?$', 19],
  ['^(?:a|bcd|ef){2}$', 6],
  ['^(?!x)[\\]a]{3}$', 3],
  ['^$', 0],
])('%s allows %i characters', (pattern, length) => {
  expect(longestMatch(pattern)).toBe(length)
})

test.each(['^a+$', '^(?:ab*)$', '^a{2,}$', 'a{3}', '^a{3}'])('%s allows any length', pattern => {
  expect(longestMatch(pattern)).toBeNull()
})
