import { expect, test } from 'vitest'
import { posesAsStaff } from './staff-name-rules.ts'

test.each([
  ['farebox'],
  ['Farebox Labs'],
  ['FareboxHQ'],
  ['F a r e b o x'],
  ['fareb0x'],
  ['my_farebox_bot'],
  ['admin'],
  ['Admin123'],
  ['4dm1n'],
  ['@dmin'],
  ['a.d.m.i.n'],
  ['xX_admin_Xx'],
  ['adrnin'],
  ['Ada (Administrator)'],
  ['Moderator'],
  ['m0derat0r'],
  ['Support'],
  ['$upport'],
  ['Suppport'],
  ['AcmeSupport'],
  ['Customer Support Team'],
  ['support@acme'],
  ['Official'],
  ['0fficial'],
  ['offlcial'],
  ['Staff'],
  ['The Team'],
  ['TEAM'],
  ['Security'],
  ['SecurityTeam'],
  ['s-e-c-u-r-i-t-y'],
  ['System'],
  ['Help!'],
  ['Help Desk'],
  ['Mod Desk'],
  ['Billing'],
  ['\u0455\u0443\u0455\u0442\u0435\u043c'],
  ['\u0405\u0422\u0410\u0492\u0492'],
  ['\uff21\uff24\uff2d\uff29\uff2e'],
  ['\u{1d41a}\u{1d41d}\u{1d426}\u{1d422}\u{1d427}'],
  ['\u1d00\u1d05\u1d0d\u026a\u0274'],
  ['\u{1f150}\u{1f153}\u{1f15c}\u{1f158}\u{1f15d}'],
  ['\u{1f1e6}\u{1f1e9}\u{1f1f2}\u{1f1ee}\u{1f1f3}'],
  ['\u00e1dm\u00efn'],
])('%s imitates staff', name => {
  expect(posesAsStaff(name)).toBe(true)
})

test.each([
  ['Ada'],
  ['ada.lovelace'],
  ['Team Rocket'],
  ['Acme Security'],
  ['Weather Service'],
  ['Systematic Ada'],
  ['Supporter of Ada'],
  ['Admiral Grace'],
  ['Badminton'],
  ['Falstaff'],
  ['modular'],
  ['helpful-agent'],
  ['Officina'],
  ['fare collector'],
  ['\u041f\u043e\u0433\u043e\u0434\u0430 \u0432 \u041c\u043e\u0441\u043a\u0432\u0435'],
  ['\u6771\u4eac\u30bf\u30ef\u30fc'],
  ['0x1234\u2026abcd'],
  ['\u{1f642}'],
  ['1 2 3'],
])('%s does not', name => {
  expect(posesAsStaff(name)).toBe(false)
})

test('is fast on the longest name', () => {
  expect(posesAsStaff(`${'modsmod'.repeat(9)}x`)).toBe(false)
})
