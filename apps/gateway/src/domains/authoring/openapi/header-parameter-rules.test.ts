import { expect, test } from 'vitest'
import type { OperationFindings } from './document-rules.ts'
import { readHeader } from './header-parameter-rules.ts'

/** Reads a header parameter; returns what calls send of it, and the message beside. */
function read(node: object): [string | undefined, string | undefined] {
  const headers: Record<string, string> = {}
  const found: OperationFindings = { warnings: [], unsupported: [] }
  const resolve = (schema: unknown) => ({ node: schema, refs: [] })
  readHeader({ name: 'X-Region', in: 'header', ...node }, headers, { resolve, found })
  return [Object.values(headers)[0], [...found.warnings, ...found.unsupported][0]?.message]
}

const SENT = 'Every call sends this value: callers cannot choose it.'

test.each<[string, object, string]>([
  ['that is constant', { schema: { const: 3 } }, '3'],
  ['with a default', { schema: { default: true } }, 'true'],
  ['with a list as its default', { schema: { type: 'array', default: ['a', 'b'] } }, 'a,b'],
  ['of one value', { schema: { enum: ['eu'] } }, 'eu'],
  ['that is required, with an example', { required: true, example: 'eu' }, 'eu'],
  ['that is required, with named examples', { required: true, examples: { one: { value: 'eu' } } }, 'eu'],
  ['that is required, with an example in its schema', { required: true, schema: { examples: ['eu'] } }, 'eu'],
  ['that is described by a media type', { content: { 'text/plain': { schema: { default: 'eu' } } } }, 'eu'],
])('a header parameter %s is sent with every call', (_, node, value) => {
  expect(read(node)).toEqual([value, SENT])
})

test('a required header parameter with several allowed values sends the first and lists the others', () => {
  expect(read({ required: true, schema: { enum: ['eu', 'us', 'ap'] } })).toEqual([
    'eu',
    `${SENT} Also allowed: us, ap.`,
  ])
})

test('a required header parameter without a valid header value gets a placeholder', () => {
  const message = 'Enter the value that every call sends: callers cannot choose it.'
  for (const example of [undefined, { a: 1 }, 'two\nlines'])
    expect(read({ required: true, example })).toEqual(['<x-region>', message])
})

test.each<[string, object, string]>([
  ['optional, without a value', {}, 'Headers of callers are not forwarded.'],
  ['optional, of several values', { schema: { enum: ['eu', 'us'] } }, 'use upstreamHeaders'],
  ['the key of a retry', { name: 'Idempotency-Key', required: true }, 'The gateway sends its own'],
  ['of the connection', { name: 'Host', example: 'a' }, 'is not sent for providers'],
  ["with the gateway's prefix", { name: 'Farebox-Owner', example: 'a' }, 'is not sent for providers'],
])('a header parameter that is %s is omitted with the reason', (_, node, reason) => {
  const [value, message] = read(node)
  expect(value).toBeUndefined()
  expect(message).toContain(reason)
})
