import { expect, test } from 'vitest'
import { fold } from './folding-rules.ts'

test.each([
  ['plain text', 'It is 7 o-clock.', 'It is 7 o-clock.'],
  ['nothing', '', ''],
  ['invisible characters', 'a\u200b\u00ad\ufe0fb', 'ab'],
  ['dashes', '\u2010\u2011\u2014\u2212\uff0d', '-----'],
  ['spaces', 'a\u00a0b\u2009c\u3000d', 'a b c d'],
  ['the Ogham space', 'a\u1680b', 'a b'],
  ['numbers in one character', '\u2469\u00bd', '101\u20442'],
  ['the ideographic full stop', 'a\u3002b', 'a.b'],
  ['full-width letters and ligatures', '\uff21\ufb01\u{1d400}', 'AfiA'],
  ['bold digits', '\u{1d7ce}\u{1d7d7}', '09'],
  ['Arabic digits', '\u0660\u0661\u0662\u0663\u0664\u0665\u0666\u0667\u0668\u0669', '0123456789'],
  ['Devanagari digits', '\u0966\u096f', '09'],
  ['digits beyond the basic plane', '\u{1e950}\u{1e959}', '09'],
  ['percent-encoding', 'a%20%3A%252540%0ab%C3%A9c%7F%2', 'a :@ b\ufffd\ufffdc %2'],
  ['letters of other scripts', '\u00e4\u6f22\u{1f600}', '\u00e4\u6f22\u{1f600}'],
])('%s: folds %s to %s', (_, source, text) => {
  expect(fold(source).text).toBe(text)
})

test('folds the digits of every script to ASCII', () => {
  const written = Intl.supportedValuesOf('numberingSystem')
    .map(system => Intl.NumberFormat('en', { numberingSystem: system, useGrouping: false }))
    .map(format => format.format(9_876_543_210))
    .filter(digits => /^\p{Nd}+$/u.test(digits))
  expect(written.length).toBeGreaterThan(60)
  for (const digits of written) expect(fold(digits).text).toBe('9876543210')
})

test('maps a folded range back to all of its source characters', () => {
  const { text, sourceOf } = fold('a\u200b\ufb01\u{1d7ce}z')
  expect(text).toBe('afi0z')
  const found = [...text].map((_, at) => sourceOf({ start: at, end: at + 1 }))
  expect(found).toEqual([
    { start: 0, end: 1 },
    // One character that folds to two letters.
    { start: 2, end: 3 },
    { start: 2, end: 3 },
    { start: 3, end: 5 },
    { start: 5, end: 6 },
  ])
  expect(sourceOf({ start: 0, end: 5 })).toEqual({ start: 0, end: 6 })
  expect(sourceOf({ start: 5, end: 5 })).toEqual({ start: 6, end: 6 })
  expect(sourceOf({ start: 0, end: 0 })).toEqual({ start: 0, end: 0 })
})
