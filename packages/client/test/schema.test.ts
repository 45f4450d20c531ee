import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { errorTable } from '@farebox/wire/errors'
import { expect, expectTypeOf, test } from 'vitest'
import { describeOperations } from '../scripts/describe-operations.ts'
import { describePackage } from '../scripts/document.ts'
import type { ErrorCode } from '../src/errors.ts'
import { readEvents } from '../src/events.ts'

const CONTRACT = join(import.meta.dirname, '../../../apps/gateway/openapi.json')
const DOCS = join(import.meta.dirname, '../docs')
const SCHEMA = join(import.meta.dirname, '../src/schema.gen.ts')

test('the types match the contract', async () => {
  const [contract, schema] = await Promise.all([readFile(CONTRACT, 'utf8'), readFile(SCHEMA, 'utf8')])
  const made = await describeOperations(contract)
  expect(made === schema, 'packages/client/src/schema.gen.ts is out of date: run `npm run contract`').toBe(
    true,
  )
}, 60_000)

test('the documentation matches the comments and the contract', async () => {
  const described = await describePackage()
  const kept = await readdir(DOCS)
  expect(kept.toSorted()).toEqual([...described.keys()].toSorted())
  for (const [name, text] of described) {
    const isKept = (await readFile(join(DOCS, name), 'utf8')) === text
    expect(isKept, `packages/client/docs/${name} is out of date: run \`npm run contract\``).toBe(true)
  }
}, 60_000)

test('the error codes match the closed table', () => {
  expectTypeOf<ErrorCode>().toEqualTypeOf<keyof typeof errorTable>()
})

/** Events of a stream, however it is split. */
async function eventsOf(text: string, size: number): Promise<string[]> {
  const bytes = new TextEncoder().encode(text)
  let at = 0
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= bytes.length) controller.close()
      else controller.enqueue(bytes.slice(at, at + size))
      at += size
    },
  })
  const reported: string[] = []
  const remark = (comment: string) => reported.push(`(${comment})`)
  for await (const { event, data } of readEvents(body, remark)) reported.push(`${event}: ${data}`)
  return reported
}

test.each([1, 2, 3, 7, 1_000])('events are read from pieces of %i bytes', async size => {
  const text = ': a remark\n\n:\nevent: gateway\ndata: {"a":\ndata: "ü"}\n\ndata:1\r\n\r\ndata: [DONE]\n\n'
  expect(await eventsOf(text, size)).toEqual([
    '(a remark)',
    '()',
    'gateway: {"a":\n"ü"}',
    'message: 1',
    'message: [DONE]',
  ])
})
