import { expect, test } from 'vitest'
import { shownName } from './names.ts'

const LENGTH_MAX = 80
const name = shownName(LENGTH_MAX)

test.each([
  ['Weather of Zürich'],
  ['OpenWeather 2.0'],
  ['Погода в Москве'],
  ['Weather Погода'],
  ['東京タワーの天気'],
  ['서울 天氣'],
  ['Hawaiʻi surf'],
  ['café 🙂'],
  ['α-β testing'],
  ['x'.repeat(LENGTH_MAX)],
])('accepts %s', text => {
  expect(name.parse(text)).toBe(text)
})

test('stores a name in the composed form', () => {
  expect(name.parse('Zu\u0308rich')).toBe('Z\u00fcrich')
})

test.each([
  ['a Cyrillic letter in a Latin word', 'Open\u0410I'],
  ['a Greek letter in a Latin word', 'g\u03c1t-4o'],
  ['a Cherokee letter in a Latin word', 'Sl\u13aack'],
  ['a zero-width space', 'Open\u200bAI'],
  ['a zero-width joiner', 'Open\u200dAI'],
  ['a soft hyphen', 'Open\u00adAI'],
  ['a direction override', 'abc\u202etxt.exe'],
  ['a direction isolate', '\u2066abc\u2069'],
  ['a byte order mark', '\ufeffname'],
  ['a control character', 'a\u0007b'],
  ['a line break', 'a\nb'],
  ['half of a surrogate pair', 'a\ud83d'],
  ['blanks', ' \u3000'],
  ['nothing', ''],
  ['a name that is too long', 'x'.repeat(LENGTH_MAX + 1)],
])('refuses %s', (_, text) => {
  expect(name.safeParse(text).success).toBe(false)
})
