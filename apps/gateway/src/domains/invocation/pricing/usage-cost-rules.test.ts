import { usdc } from '@farebox/money'
import { expect, test } from 'vitest'
import { processorMs } from '../../../../test/kit/processor-time.ts'
import { withCost, withOwnCost } from './usage-cost-rules.ts'

const event = (data: string, name = '') => ({
  name,
  data,
  raw: Buffer.from(`${name === '' ? '' : `event: ${name}\n`}id: 7\ndata: ${data}\n\n`),
})

test('replaces the cost in the usage of a provider and preserves all other bytes', () => {
  const text =
    '{"id":9007199254740993,"cost":1, "usage": {"prompt_tokens":3,"cost":999},"more":[1.0,{"cost":2}]}'
  expect(withOwnCost(text, usdc(610n))).toBe(
    '{"id":9007199254740993,"cost":1, "usage": {"prompt_tokens":3,"cost":0.00061},"more":[1.0,{"cost":2}]}',
  )
})

test('appends the cost to a usage without one and preserves all other bytes', () => {
  const text = '{"id":9007199254740993, "usage": {"prompt_tokens":3, "details":{} } ,"more":[1.0,{}]}'
  expect(withOwnCost(text, usdc(610n))).toBe(
    '{"id":9007199254740993, "usage": {"prompt_tokens":3, "details":{} ,"cost":0.00061} ,"more":[1.0,{}]}',
  )
})

test.each([
  [
    'chat',
    '{"choices":[],"usage":{"prompt_tokens":3}}',
    '{"choices":[],"usage":{"prompt_tokens":3,"cost":0.000001}}',
  ],
  [
    'a response',
    '{"type":"response.completed","response":{"output":[{"usage":{}}],"usage":{"input_tokens":1,"cost":9}}}',
    '{"type":"response.completed","response":{"output":[{"usage":{}}],"usage":{"input_tokens":1,"cost":0.000001}}}',
  ],
  [
    'a message',
    '{"type":"message_delta","delta":{},"usage":{"output_tokens":1}}',
    '{"type":"message_delta","delta":{},"usage":{"output_tokens":1,"cost":0.000001}}',
  ],
])('adds the cost to the event with the final usage of %s and preserves its other lines', (_, data, told) => {
  expect(withCost(event(data, 'x'), usdc(1n))).toEqual(event(told, 'x'))
})

test('rewrites an event with its data in a comment, so that no line keeps the cost of the provider', () => {
  const data = '{"usage":{"cost":9}}'
  const raw = Buffer.from(`: data: ${data}\ndata: ${data}\n\n`)
  expect(withCost({ name: '', data, raw }, null).raw.toString()).toBe('data: {"usage":{}}\n\n')
})

test.each([
  '{"text":"\\"usage\\":{\\"cost\\":5}","cost":5}',
  '{"usage":null,"cost":1}',
  '{"usage":"{\\"cost\\"}","cost":1}',
  'null',
])('changes nothing in %s', text => {
  expect(withOwnCost(text, usdc(1n))).toBe(text)
})

test.each([
  ['', '{"choices":[],"usage":{"prompt_tokens":3,"cost":9}}', '{"choices":[],"usage":{"prompt_tokens":3}}'],
  [
    'response.completed',
    '{"type":"response.completed","response":{"usage":{"cost":9,"input_tokens":1}}}',
    '{"type":"response.completed","response":{"usage":{"input_tokens":1}}}',
  ],
  [
    'message_start',
    '{"type":"message_start","message":{"usage":{"cost":9,"input_tokens":1}}}',
    '{"type":"message_start","message":{"usage":{"input_tokens":1}}}',
  ],
])(
  'removes the cost of the provider from an event (%s) and preserves its other lines',
  (name, data, without) => {
    const reported = withCost(event(data, name), null)
    expect(reported).toEqual(event(without, name))
  },
)

test('rewrites an event whose usage spans several lines', () => {
  const data = '{"usage":\n{"cost":9,\n"input_tokens":1}}'
  const raw = Buffer.from('event: a\ndata: {"usage":\ndata: {"cost":9,\ndata: "input_tokens":1}}\n\n')
  expect(withCost({ name: 'a', data, raw }, null).raw.toString()).toBe(
    'event: a\ndata: {"usage":\ndata: {"input_tokens":1}}\n\n',
  )
})

test('looks for the usage one level deep, so that nesting costs no more', () => {
  const nested = (depth: number) => {
    const usage = `{"pad":"${'x'.repeat(300_000)}","usage":{"cost":1}}`
    return `${'{"response":'.repeat(depth)}${usage}${'}'.repeat(depth)}`
  }
  expect(withOwnCost(nested(1), null)).not.toContain('"cost"')
  expect(withOwnCost(nested(2), null)).toBe(nested(2))
  const shallow = processorMs(() => withOwnCost(nested(1), null))
  expect(processorMs(() => withOwnCost(nested(60), null))).toBeLessThan(5 * shallow + 10)
})
