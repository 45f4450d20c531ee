import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { codePoint } from '../../../../test/kit/code-point.ts'
import { correctionsOf, foldText, isCorrectable, majoritiesOf, wordsOf } from './search-rules.ts'

const words = (text: string) => wordsOf(text).map(({ word }) => word.toLowerCase())

describe('the words of a text', () => {
  test.each([
    ['Weather forecast', ['weather', 'forecast']],
    ['  the WEATHER in Paris!  ', ['weather', 'paris']],
    ['I need an API for translating text', ['api', 'translating', 'text']],
    ['Café-Ünïcode', ['cafe', 'unicode']],
    ['a_b%c\\d', ['b', 'c', 'd']],
    ["weather' | !forecast & (a <-> b):*", ['weather', 'forecast', 'b']],
    ['api.example.com', ['api', 'example', 'com']],
    ['weather weather Weather', ['weather']],
    ['погода', ['погода']],
    ['%_ - “”', []],
    ['the of', ['the', 'of']],
  ])('of %j are %j', (text, expected) => {
    expect(words(text)).toEqual(expected)
  })

  test('are bounded in number, not empty, and free of query syntax', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint, maxLength: 500 }), text => {
        const found = words(text)
        expect(found.length).toBeLessThanOrEqual(16)
        for (const word of found) expect(word).not.toMatch(/[\s'"\\&|!:*()<>%_-]|^$/)
      }),
    )
  })

  test('match whole words only when short', () => {
    expect(wordsOf('ai pdf')).toEqual([
      { word: 'ai', isPrefix: false },
      { word: 'pdf', isPrefix: true },
    ])
  })
})

describe('a misspelt word', () => {
  const known = [
    'weather',
    'whether',
    'leather',
    'forecast',
    'translate',
    'translation',
    'image',
    'images',
    'mage',
  ]
  test.each([
    ['wether', ['weather', 'whether', 'leather']],
    ['weahter', ['weather', 'leather']],
    ['forcast', ['forecast']],
    ['trnslate', ['translate']],
    ['imge', ['image']],
    ['zzzzzz', []],
    ['weather', ['leather', 'whether']],
  ])('%s is corrected to %j', (word, expected) => {
    expect(correctionsOf(word, known)).toEqual(expected)
  })

  test('is not corrected when it has digits, or is too short or long', () => {
    const isOne = (word: string) => isCorrectable({ word, isPrefix: true })
    expect(['abc', 'job42x', 'x'.repeat(33)].map(isOne)).toEqual([false, false, false])
    expect(isOne('wether')).toBe(true)
  })

  test('with one typo finds the intended word', () => {
    const slip = fc.record({
      word: fc.string({ unit: fc.constantFrom(...'abcdefghij'), minLength: 5, maxLength: 12 }),
      at: fc.nat(11),
      how: fc.constantFrom('drop', 'double', 'replace', 'swap'),
    })
    fc.assert(
      fc.property(slip, ({ word, at: place, how }) => {
        const at = place % (word.length - 1)
        const [a = '', b = ''] = [word[at], word[at + 1]]
        const typed = {
          drop: word.slice(0, at) + word.slice(at + 1),
          double: word.slice(0, at) + a + word.slice(at),
          replace: `${word.slice(0, at)}z${word.slice(at + 1)}`,
          swap: word.slice(0, at) + b + a + word.slice(at + 2),
        }[how]
        expect(correctionsOf(typed, [word])).toEqual(typed === word ? [] : [word])
      }),
    )
  })
})

test('folding is idempotent', () => {
  fc.assert(
    fc.property(fc.string({ unit: codePoint, maxLength: 200 }), text => {
      expect(foldText(foldText(text))).toBe(foldText(text))
    }),
  )
})

test.each([
  [1, [[0]]],
  [2, [[0, 1]]],
  [
    3,
    [
      [0, 1],
      [0, 2],
      [1, 2],
    ],
  ],
])('the majorities of %i are %j', (count, expected) => {
  expect(majoritiesOf(count)).toEqual(expected)
})

test('six words have fifteen majorities', () => {
  expect(majoritiesOf(6)).toHaveLength(15)
})
