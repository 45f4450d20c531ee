import { expect, test } from 'vitest'
import { judgeProof } from './target-proof-rules.ts'

const WALLET = `0x${'ab'.repeat(20)}`
const OTHER = `0x${'cd'.repeat(20)}`
const JSON_TYPE = 'application/json; charset=utf-8'
const judge = (text: string, contentType = JSON_TYPE, status = 200) =>
  judgeProof({ status, contentType, text }, WALLET)

test.each([
  ['the wallet', { providers: [WALLET] }],
  ['it in capitals, among others', { providers: [OTHER, WALLET.toUpperCase().replace('0X', '0x')] }],
  ['it beside members of other use', { providers: [1, null, WALLET], version: 2 }],
])('a file that names %s proves the wallet', (_, file) => {
  expect(judge(JSON.stringify(file))).toBe('named')
  expect(judge(`\ufeff${JSON.stringify(file)}`, 'text/plain')).toBe('named')
})

test.each([
  ['nobody', '{"providers":[]}'],
  ['another', JSON.stringify({ providers: [OTHER] })],
  ['a wallet that begins like it', JSON.stringify({ providers: [`${WALLET}00`] })],
  ['no list', JSON.stringify({ providers: WALLET })],
  ['malformed JSON', `{"providers":["${WALLET}"],}`],
])('a file that names %s does not prove the wallet', (_, text) => {
  expect(judge(text)).toBe('other')
})

test.each([
  ['an HTML page', '<html>"providers"</html>', 'text/html', 200],
  ['other JSON', '{"ok":true}', JSON_TYPE, 200],
  ['a list', '[]', JSON_TYPE, 200],
  ['nothing', '', JSON_TYPE, 200],
  ['an error that quotes a file', JSON.stringify({ providers: [OTHER] }), JSON_TYPE, 404],
  ['a redirect', JSON.stringify({ providers: [OTHER] }), JSON_TYPE, 302],
])('%s is not a proof file', (_, text, contentType, status) => {
  expect(judge(text, contentType, status)).toBe('absent')
})
