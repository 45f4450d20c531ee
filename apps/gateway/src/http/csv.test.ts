import type { FastifyReply } from 'fastify'
import { expect, test } from 'vitest'
import { sendCsv } from './csv.ts'

/** Returns the text that is sent for one cell. */
function sentFor(value: unknown): string {
  const sent: string[] = []
  const reply = { header: () => reply, send: (text: string) => sent.push(text) }
  sendCsv(reply as unknown as FastifyReply, ['name'], [{ name: value }])
  return sent.join('').slice('name\r\n'.length, -'\r\n'.length)
}

test.each([
  ['=1+1', "'=1+1"],
  ['a;=1+1', "a;'=1+1"],
  ['a\t@b', "a\t'@b"],
  ['a\n+b', '"a\n\'+b"'],
  ['\uff1d1+1', "'\uff1d1+1"],
  ['-1.5', '-1.5'],
  ['a=b; c-d', 'a=b; c-d'],
  ['a,"b"', '"a,""b"""'],
  [null, ''],
])('writes %j as %j, so that no spreadsheet evaluates it', (value, cell) => {
  expect(sentFor(value)).toBe(cell)
})
