import { english } from 'viem/accounts'
import { expect, test } from 'vitest'
import { processorMs } from '../../../test/kit/processor-time.ts'
import { redactText } from './redaction-rules.ts'

/** Maximum time for a text of a hundred thousand characters, in ms; quadratic algorithms take minutes. */
const LONG_TEXT_MS_MAX = 3_000
const words: ReadonlySet<string> = new Set(english)

test.each([
  '@',
  'a@',
  'a@b.',
  '%40',
  '"',
  '1',
  '4 ',
  '1-',
  'a',
  'eyJ',
  'eyJaaaaaaa.',
  'sk-',
  'agt_',
  'FBX-',
  'abandon ',
  '0x',
  'f',
  '-----BEGIN A-----',
  'bearer ',
  'bearer a',
  'password:',
  'authorization: ',
  'Authorization: a',
  '://a:',
  '://a@',
  '[redacted:',
  'password: [redacted:jwt] ',
  `a@b.org tx 0x${'a1'.repeat(32)} `,
  'a (at) ',
  'a.',
  'tx 0x',
  '\u200b',
  'ﷺ',
])('redacts 100,000 characters of %j in bounded time', piece => {
  const text = piece.repeat(Math.ceil(100_000 / piece.length))
  const spent = processorMs(() => {
    redactText(text, words)
  })
  expect(spent).toBeLessThan(LONG_TEXT_MS_MAX)
})
