import { expect, test } from 'vitest'
import { createOutputTally } from './output-tally.ts'

const tokensOf = (...events: readonly unknown[]): number => {
  const tally = createOutputTally()
  for (const event of events) tally.see(typeof event === 'string' ? event : JSON.stringify(event))
  return tally.tokens
}
const chunk = (delta: object) => ({ choices: [{ index: 0, delta, finish_reason: null }] })

test.each([
  ['a chat completion', [chunk({ role: 'assistant', content: '' }), chunk({ content: 'Nine chars' })], 4],
  ['reasoning', [chunk({ reasoning_content: 'abc' }), chunk({ reasoning_content: 'def' })], 2],
  [
    'a tool call',
    [chunk({ tool_calls: [{ index: 0, id: 'call_1', function: { arguments: '{"a":1}' } }] })],
    3,
  ],
  ['a response', [{ type: 'response.output_text.delta', delta: 'abcdef' }], 2],
  ['a message', [{ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'abcd' } }], 2],
  ['the end of a message', [{ type: 'message_delta', delta: { stop_reason: 'end_turn' } }], 0],
  ['text that is not ASCII, by its bytes', [chunk({ content: 'äöü' })], 2],
  ['short events, by their number', [chunk({ content: 'a' }), chunk({ content: 'b' })], 2],
  ['comments and nonsense', ['', '[DONE]', '"delta"', '{"delta"'], 0],
  ['an event too long to be parsed, in full', [chunk({ content: 'x'.repeat(90_000) })], 30_023],
] as const)('counts %s', (_, events, tokens) => {
  expect(tokensOf(...events)).toBe(tokens)
})
