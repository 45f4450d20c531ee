import type { FastifyReply } from 'fastify'
import { expect, test } from 'vitest'
import { acceptsCsv, sendCsv } from './csv.ts'

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

test.each([
  ['text/csv', true],
  ['TEXT/CSV; charset=utf-8', true],
  ['text/csv, application/json', true],
  ['application/json;q=0.5, text/csv;q=0.9', true],
  ['application/json, text/csv;q=0.1', false],
  ['text/csv;q=0', false],
  ['text/csvx, */*', false],
  ['', false],
  [undefined, false],
])('reads the Accept header %s: CSV %s', (accept, isCsv) => {
  expect(acceptsCsv({ headers: accept === undefined ? {} : { accept } })).toBe(isCsv)
})
