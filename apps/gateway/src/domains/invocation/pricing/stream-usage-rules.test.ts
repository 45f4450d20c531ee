import { readdirSync, readFileSync } from 'node:fs'
import { TOKENS_MAX } from '@farebox/wire/invocation'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createEventSplitter } from '../stream/event-splitter.ts'
import { createUsageMeter, isDone, type UsageMeter } from './stream-usage-rules.ts'
import type { Usage } from './usage-rules.ts'

const RECORDED = new URL('../../../../test/recorded/', import.meta.url)

type Event = { readonly name: string; readonly data: string }

/** Usage with these token counts, cached or not. */
const usage = (inputTokens: number, outputTokens: number): Usage =>
  expect.objectContaining({ inputTokens, outputTokens, totalTokens: inputTokens + outputTokens })

/** Expected usage of each sample, and whether it ends properly. */
const STREAMS: Readonly<Record<string, readonly [Usage | null, boolean]>> = {
  'anthropic-cache-thinking': [usage(428 + 2_051 + 18_624, 189), true],
  'anthropic-late-input': [usage(311 + 1_152, 22), true],
  'anthropic-overloaded': [null, false],
  'anthropic-refusal': [usage(564, 4), true],
  'anthropic-text': [usage(25, 15), true],
  'anthropic-web-search': [usage(10_682, 510), true],
  'azure-chat': [usage(24, 5), true],
  'azure-chat-async-filter': [usage(24, 3), true],
  'deepseek-chat': [usage(143, 207), true],
  'gemini-chat': [usage(14, 8), true],
  // Its total counts thoughts that neither side has.
  'gemini-chat-thoughts': [usage(14, 4), true],
  'groq-chat': [usage(46, 9), true],
  'groq-chat-x-groq-only': [usage(46, 9), true],
  'mistral-chat': [usage(93, 4), true],
  'openai-chat': [usage(1_309, 37), true],
  'openai-chat-no-usage': [null, true],
  'openai-chat-reasoning': [usage(2_006, 1_300), true],
  'openai-chat-refusal': [usage(81, 12), true],
  'openai-chat-tool-calls': [usage(88, 46), true],
  'openai-chat-two-choices': [usage(19, 7), true],
  'openai-responses': [usage(1_362, 215), true],
  'openai-responses-error': [null, false],
  'openai-responses-failed': [null, false],
  'openai-responses-function-call': [usage(402, 23), true],
  'openai-responses-incomplete': [usage(57, 64), true],
  'openrouter-chat': [usage(1_894, 74), true],
  'openrouter-error': [null, false],
  'spaced-chat': [usage(11, 2), true],
  'vllm-chat-running': [usage(21, 3), true],
}

const recorded = (name: string): readonly Event[] =>
  createEventSplitter({ eventBytesMax: 1_000_000 }).push(readFileSync(new URL(`${name}.sse`, RECORDED)))

function meterOf(events: readonly Event[]): UsageMeter {
  const meter = createUsageMeter()
  for (const event of events) meter.see(event)
  return meter
}

const chat = (...messages: readonly unknown[]): Event[] =>
  messages.map(message => ({ name: '', data: message === '[DONE]' ? '[DONE]' : JSON.stringify(message) }))

const typed = (
  ...messages: readonly { readonly type: string; readonly [member: string]: unknown }[]
): Event[] => messages.map(message => ({ name: message.type, data: JSON.stringify(message) }))

const text = (content: string, index = 0) => ({
  choices: [{ index, delta: { content }, finish_reason: null }],
})
const finish = (index = 0) => ({ choices: [{ index, delta: {}, finish_reason: 'stop' }] })
const counts = (prompt: number, completion: number) => ({
  usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
})
const alone = (prompt: number, completion: number) => ({ choices: [], ...counts(prompt, completion) })

test('reads the exact usage of every recorded stream, or none', () => {
  const names = readdirSync(RECORDED).filter(name => name.endsWith('.sse'))
  const read = names.map(file => {
    const name = file.replace('.sse', '')
    const meter = meterOf(recorded(name))
    return [name, [meter.usage, meter.isWhole]]
  })
  expect(Object.fromEntries(read)).toEqual(STREAMS)
})

test.each(Object.entries(STREAMS))(
  '%s, cut after any event, has its final usage or none, and is not complete',
  (name, [final]) => {
    const meter = createUsageMeter()
    for (const event of recorded(name)) {
      // Complete only after the last event.
      expect(meter.isWhole).toBe(false)
      expect([null, final]).toContainEqual(meter.usage)
      meter.see(event)
    }
  },
)

test.each(Object.keys(STREAMS))('%s yields the same result without event names', name => {
  const [final, isWhole] = STREAMS[name] ?? []
  const meter = meterOf(recorded(name).map(({ data }) => ({ name: '', data })))
  expect([meter.usage, meter.isWhole]).toEqual([final, isWhole])
})

test('distinguishes [DONE] from anything else', () => {
  const meter = createUsageMeter()
  expect([isDone('[DONE]'), meter.isDone('[DONE] '), isDone('"[DONE]"'), isDone('{}'), isDone('')]).toEqual([
    true,
    true,
    false,
    false,
    false,
  ])
})

test('accepts up to nine trailing spaces after [DONE]', () => {
  expect(isDone(`[DONE]${' '.repeat(9)}`)).toBe(true)
  expect(isDone(`[DONE]${' '.repeat(10)}`)).toBe(false)
})

test('a stream of only [DONE] is complete, and an empty one is not', () => {
  expect(meterOf(chat('[DONE]')).isWhole).toBe(true)
  expect(meterOf([]).isWhole).toBe(false)
})

test('events before the format is known do not determine it', () => {
  const first = start({ input_tokens: 10, output_tokens: 1 })
  const meter = meterOf(typed({ type: 'ping' }, first, delta({ output_tokens: 7 }), STOP))
  expect([meter.usage, meter.isWhole]).toEqual([usage(10, 7), true])
})

test('reads usage from a chunk without choices, even the first one', () => {
  expect(meterOf(chat(counts(9, 1), '[DONE]')).usage).toEqual(usage(9, 1))
})

test('reads usage with whitespace around JSON colons', () => {
  const spaced = JSON.stringify(alone(9, 1)).replaceAll(':', ' \t:\r\n ')
  expect(meterOf([...chat(text('a')), { name: '', data: spaced }]).usage).toEqual(usage(9, 1))
})

test('ignores an event without data, whatever its name', () => {
  expect(meterOf([...chat(text('a')), { name: 'error', data: '' }, ...chat('[DONE]')]).isWhole).toBe(true)
})

test('a choice without an index counts as the first', () => {
  const choices = [{ delta: {}, finish_reason: 'stop' }]
  expect(meterOf(chat(text('a'), { choices, ...counts(9, 1) })).usage).toEqual(usage(9, 1))
})

test('reports an event that is too large to read, and discards the usage', () => {
  const meter = createUsageMeter()
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
  const see = (message: object) => meter.see({ name: '', data: JSON.stringify(message) })
  see({ choices: [{ index: 0, delta: { content: 'a' }, finish_reason: 'stop' }] })
  see({ choices: [], usage })
  expect(meter.usage).not.toBeNull()
  see({ choices: [], usage, rest: Array.from({ length: 200_000 }, () => []) })
  expect(meter.usage).not.toBeNull()
  expect(meter.hasUnread).toBe(false)
  see({ choices: [], usage, rest: Array.from({ length: 500_000 }, () => []) })
  expect(meter.usage).toBeNull()
  expect(meter.hasUnread).toBe(true)
})

test('ignores an empty finish reason', () => {
  const choices = [{ index: 0, delta: {}, finish_reason: '' }]
  expect(meterOf(chat(text('a'), { choices, ...counts(9, 1) })).usage).toBeNull()
})

test('a finished choice stays finished', () => {
  const choices = [{ index: 0, delta: {}, finish_reason: null }]
  expect(meterOf(chat(text('a'), finish(), { choices, ...counts(9, 1) })).usage).toEqual(usage(9, 1))
})

test('the text of legacy completions counts as content', () => {
  const piece = (content: string) => ({ choices: [{ index: 0, text: content, finish_reason: null }] })
  const first = { ...piece('a'), ...counts(9, 1) }
  expect(meterOf(chat(first, piece('b'), '[DONE]')).usage).toBeNull()
  expect(meterOf(chat(first, piece(''), '[DONE]')).usage).toEqual(usage(9, 1))
})

test.each([
  ['its role', { role: 'assistant' }, true],
  ['nothing', {}, true],
  ['content that is null', { content: null }, true],
  ['content that is empty', { role: 'assistant', content: '' }, true],
  ['an empty list', { tool_calls: [] }, true],
  ['content', { role: 'assistant', content: 'b' }, false],
  ['a refusal', { content: null, refusal: 'no' }, false],
  ['a call of a tool', { content: '', tool_calls: [{}] }, false],
  ['something else', { index: 0 }, false],
])('usage before a chunk with %s is final at [DONE] (%j: %s)', (_, more, isFinal) => {
  const chunk = { choices: [{ index: 0, delta: more, finish_reason: null }] }
  const meter = meterOf(chat({ ...text('a'), ...counts(9, 1) }, chunk, '[DONE]'))
  expect(meter.usage).toEqual(isFinal ? usage(9, 1) : null)
})

test('usage in a chunk without choices is final after content, but not after a role alone', () => {
  const role = { choices: [{ index: 0, delta: { role: 'assistant' }, finish_reason: null }] }
  expect(meterOf(chat(role, alone(9, 0))).usage).toBeNull()
  expect(meterOf(chat(role, text('a'), alone(9, 1))).usage).toEqual(usage(9, 1))
})

test('text that looks like usage is not read as usage', () => {
  const posing = '"usage":{"prompt_tokens":1,"completion_tokens":1},"finish_reason":"stop","message_stop"'
  const meter = meterOf(chat(text(posing), text('usage'), text('message_stop'), text('response.completed')))
  expect([meter.usage, meter.isWhole]).toEqual([null, false])
  meter.see({ name: '', data: JSON.stringify({ ...finish(), nested: { usage: { prompt_tokens: 1 } } }) })
  expect(meter.usage).toBeNull()
})

test('running usage is final only after every choice has finished', () => {
  const meter = createUsageMeter()
  const steps: readonly (readonly [unknown, Usage | null])[] = [
    [{ ...text('a'), ...counts(5, 1) }, null],
    [{ ...text('b', 1), ...counts(5, 2) }, null],
    [{ ...finish(1), ...counts(5, 3) }, null],
    [{ ...text('c'), ...counts(5, 4) }, null],
    [{ ...finish(), ...counts(5, 5) }, usage(5, 5)],
    [alone(5, 6), usage(5, 6)],
  ]
  for (const [message, expected] of steps) {
    for (const event of chat(message)) meter.see(event)
    expect(meter.usage).toEqual(expected)
  }
})

test('usage is not final while a second choice is open, with or without usage in its chunks', () => {
  const meter = meterOf(chat(text('a'), text('b', 1), { ...finish(1), ...counts(5, 3) }))
  expect(meter.usage).toBeNull()
  // Seen in a chunk without usage only.
  expect(meterOf(chat(text('a'), text('b', 1), { ...finish(), ...counts(5, 3) })).usage).toBeNull()
  const late = meterOf(chat(text('a'), { ...finish(), ...counts(5, 3) }, text('b', 1)))
  expect(late.usage).toBeNull()
  for (const event of chat(finish(1))) late.see(event)
  expect(late.usage).toBeNull()
})

test('usage reported before the content it counts is not final, even at [DONE]', () => {
  expect(meterOf(chat(alone(9, 0))).usage).toBeNull()
  expect(meterOf(chat(alone(9, 0), text('a'), finish(), '[DONE]')).usage).toBeNull()
  expect(meterOf(chat(text('a'), alone(9, 1), text('b'))).usage).toBeNull()
  expect(meterOf(chat(text('a'), alone(9, 1))).usage).toEqual(usage(9, 1))
  expect(meterOf(chat({ ...text('a'), ...counts(9, 1) }, finish())).usage).toEqual(usage(9, 1))
  expect(meterOf(chat({ ...text('a'), ...counts(9, 1) }, '[DONE]')).usage).toEqual(usage(9, 1))
})

test.each([
  ['an invalid one', { choices: [], usage: { prompt_tokens: 5, completion_tokens: -1 } }],
  ['one that is no object', { choices: [], usage: 7 }],
  ['one with falling output', alone(5, 2)],
  ['one with falling input', alone(4, 3)],
  ['one whose total is no count', { choices: [], usage: { ...alone(5, 3).usage, total_tokens: -9 } }],
])('valid usage followed by %s is discarded', (_, later) => {
  const meter = meterOf(chat(text('a'), finish(), alone(5, 3)))
  expect(meter.usage).toEqual(usage(5, 3))
  for (const event of chat(later)) meter.see(event)
  expect(meter.usage).toBeNull()
  for (const event of chat('[DONE]')) meter.see(event)
  expect([meter.usage, meter.isWhole]).toEqual([null, true])
})

test('a truncated usage block discards the usage', () => {
  const meter = meterOf(chat(text('a'), finish(), alone(5, 3)))
  meter.see({ name: '', data: '{"choices":[{"index":1' })
  expect(meter.usage).toEqual(usage(5, 3))
  meter.see({ name: '', data: '{"choices":[],"usage":{"prompt_tok' })
  expect(meter.usage).toBeNull()
})

test('a stream with a provider error is never complete', () => {
  const error = { error: { message: 'Overloaded', code: 502 } }
  expect(meterOf(chat(text('a'), error, '[DONE]')).isWhole).toBe(false)
  expect(meterOf(chat(error, '[DONE]')).isWhole).toBe(false)
  expect(meterOf(chat({ ...text('a'), error: null }, finish(), '[DONE]')).isWhole).toBe(true)
  expect(meterOf([...chat(text('a')), { name: 'error', data: 'gone' }, ...chat('[DONE]')]).isWhole).toBe(
    false,
  )
})

const response = (status: string, block: unknown) => ({ object: 'response', status, usage: block })
const responseUsage = (input: number, output: number) => ({
  input_tokens: input,
  output_tokens: output,
  total_tokens: input + output,
})

test('a failed response is never complete, even after response.completed', () => {
  const created = { type: 'response.created', response: response('in_progress', null) }
  const done = { type: 'response.completed', response: response('completed', responseUsage(3, 4)) }
  for (const type of ['error', 'response.failed']) {
    // As at OpenAI: the error is in the event itself.
    const meter = meterOf(chat(created, { type, message: 'gone', response: response('failed', null) }, done))
    expect([meter.usage, meter.isWhole]).toEqual([usage(3, 4), false])
  }
})

test('a response takes its usage from its terminal event', () => {
  const created = { type: 'response.created', response: response('in_progress', responseUsage(1, 1)) }
  const early = meterOf(typed(created))
  early.see({ name: '', data: '[DONE]' })
  expect([early.usage, early.isWhole]).toEqual([null, false])
  const done = { type: 'response.completed', response: response('completed', responseUsage(3, 4)) }
  const meter = meterOf([...typed(created, done), ...chat('[DONE]')])
  expect([meter.usage, meter.isWhole]).toEqual([usage(3, 4), true])
  const failed = { type: 'response.failed', response: response('failed', responseUsage(3, 2)) }
  const failure = meterOf(typed(created, failed))
  expect([failure.usage, failure.isWhole]).toEqual([usage(3, 2), false])
  const unclear = meterOf(
    typed(created, done, { type: 'response.completed', response: response('completed', {}) }),
  )
  expect(unclear.usage).toBeNull()
  expect(meterOf([...typed(created), { name: 'response.completed', data: '{"type":"resp' }]).isWhole).toBe(
    false,
  )
})

const start = (block: unknown) => ({ type: 'message_start', message: { type: 'message', usage: block } })
const delta = (block: unknown, reason: string | null = 'end_turn') => ({
  type: 'message_delta',
  delta: { stop_reason: reason },
  usage: block,
})
const STOP = { type: 'message_stop' }

test('a message takes the latest of each count, final at its stop reason or message_stop', () => {
  const first = start({ input_tokens: 10, cache_read_input_tokens: 5, output_tokens: 1 })
  const meter = meterOf(typed(first, delta({ output_tokens: 7 }, null)))
  expect(meter.usage).toBeNull()
  const stopped = meterOf(typed(first, delta({ output_tokens: 7 }, null), STOP))
  expect([stopped.usage, stopped.isWhole]).toEqual([usage(15, 7), true])
  for (const event of typed(delta({ output_tokens: 9, input_tokens: 12 }))) meter.see(event)
  expect([meter.usage, meter.isWhole]).toEqual([usage(17, 9), false])
})

test.each([
  ['without usage in its deltas', [start({ input_tokens: 10, output_tokens: 1 }), delta(undefined), STOP]],
  ['without any delta', [start({ input_tokens: 10, output_tokens: 1 }), STOP]],
  ['without input', [start(undefined), delta({ output_tokens: 5 }), STOP]],
  ['with falling output', [start({ input_tokens: 10, output_tokens: 6 }), delta({ output_tokens: 5 }), STOP]],
  [
    'with falling input',
    [start({ input_tokens: 10, output_tokens: 1 }), delta({ input_tokens: 9, output_tokens: 5 })],
  ],
  [
    'with a falling cache',
    [
      start({ input_tokens: 1, cache_read_input_tokens: 9, output_tokens: 1 }),
      delta({ cache_read_input_tokens: 8, output_tokens: 5 }),
    ],
  ],
  [
    'with a broken start',
    [start({ input_tokens: -1, output_tokens: 1 }), delta({ input_tokens: 4, output_tokens: 5 })],
  ],
  [
    'with a start that does not add up',
    [
      start({ input_tokens: 1, cache_creation: { ephemeral_5m_input_tokens: 2 } }),
      delta({ output_tokens: 5 }),
    ],
  ],
  ['with a usage that is no object', [start(7), delta({ input_tokens: 4, output_tokens: 5 })]],
  [
    'that starts twice',
    [start({ input_tokens: 1 }), start({ input_tokens: 2 }), delta({ output_tokens: 5 })],
  ],
  [
    'with an invalid delta after a valid one',
    [start({ input_tokens: 1 }), delta({ output_tokens: 5 }), delta({ output_tokens: 5.5 })],
  ],
  [
    'with output that falls from delta to delta',
    [start({ input_tokens: 1 }), delta({ output_tokens: 7 }, null), delta({ output_tokens: 5 }), STOP],
  ],
  [
    'with a delta that has no output',
    [start({ input_tokens: 1 }), delta({ output_tokens: 5 }), delta({ input_tokens: 1 }), STOP],
  ],
  [
    'with counts that cannot be compared',
    [start({ input_tokens: 1 }), delta({ output_tokens: { toString: 1, valueOf: 1 } }), STOP],
  ],
])('a message %s has no usage', (_, messages) => {
  expect(meterOf(typed(...messages)).usage).toBeNull()
})

test('tolerates a malformed message_start', () => {
  const meter = meterOf(typed(start({ input_tokens: 10 })))
  meter.see({ name: 'message_start', data: '{' })
  expect(meter.usage).toBeNull()
})

test('a message is final from its stop reason on, whatever follows', () => {
  const first = start({ input_tokens: 10, output_tokens: 1 })
  const messages = [first, delta({ output_tokens: 5 }), delta({ output_tokens: 6 }, null)]
  expect(meterOf(typed(...messages)).usage).toEqual(usage(10, 6))
})

test('a message without usage in its start takes it from its deltas', () => {
  const messages = [start(null), delta({ input_tokens: 10, output_tokens: 5 })]
  expect(meterOf(typed(...messages)).usage).toEqual(usage(10, 5))
  const halves = [start({ input_tokens: 10 }), delta({ output_tokens: 5 })]
  expect(meterOf(typed(...halves)).usage).toEqual(usage(10, 5))
})

test('null counts in a later event keep the earlier ones', () => {
  const messages = [
    start({ input_tokens: 10, output_tokens: 1 }),
    delta({ input_tokens: null, output_tokens: 5 }),
    STOP,
  ]
  expect(meterOf(typed(...messages)).usage).toEqual(usage(10, 5))
})

const someCount = fc.oneof(
  { weight: 4, arbitrary: fc.nat(9) },
  fc.constantFrom(null, -1, 0.5, '3', 1e12, [], {}),
)
const someBlock = fc.oneof(
  fc.record(
    {
      prompt_tokens: someCount,
      completion_tokens: someCount,
      total_tokens: someCount,
      input_tokens: someCount,
      output_tokens: someCount,
      cache_read_input_tokens: someCount,
    },
    { requiredKeys: [] },
  ),
  fc.jsonValue(),
)
const someMessage = fc.oneof(
  fc.record(
    {
      type: fc.constantFrom(
        'message_start',
        'message_delta',
        'message_stop',
        'response.completed',
        'error',
        'ping',
      ),
      message: fc.record({ usage: someBlock }),
      response: fc.oneof(fc.record({ usage: someBlock }), fc.jsonValue()),
      delta: fc.oneof(fc.record({ stop_reason: fc.constantFrom('end_turn', null) }), fc.jsonValue()),
      choices: fc.oneof(
        fc.constantFrom(finish().choices, text('a', 1).choices, []),
        fc.array(fc.jsonValue()),
      ),
      usage: someBlock,
    },
    { requiredKeys: [] },
  ),
  fc.jsonValue(),
)
const someEvent = fc.record({
  name: fc.constantFrom('', '', 'message_delta', 'message_stop', 'response.completed', 'error'),
  data: fc.oneof(
    { weight: 4, arbitrary: someMessage.map(message => JSON.stringify(message)) },
    fc.constantFrom('[DONE]', '', '{"usage":', '"usage" : {', '{"a":"\\"usage\\":{"}'),
    fc.string(),
  ),
})

test('usage is null or integer counts that add up, whatever a provider streams', () => {
  fc.assert(
    fc.property(fc.array(someEvent, { maxLength: 12 }), events => {
      const meter = createUsageMeter()
      for (const event of events) {
        meter.see(event)
        const found = meter.usage
        if (found === null) continue
        const { inputTokens, outputTokens, totalTokens } = found
        for (const tokens of [inputTokens, outputTokens, totalTokens]) {
          expect(Number.isInteger(tokens) && tokens >= 0 && tokens <= TOKENS_MAX).toBe(true)
        }
        expect(totalTokens).toBe(inputTokens + outputTokens)
      }
    }),
    { numRuns: 3_000 },
  )
})

test('no more choices are kept than there can be', () => {
  const many = Array.from({ length: 129 }, (_, index) => ({ ...finish(index), ...counts(5, index) }))
  expect(meterOf(chat(...many.slice(0, 128))).usage).toEqual(usage(5, 127))
  expect(meterOf(chat(...many)).usage).toBeNull()
})

/** More members than are built. */
const LOGPROBS = Array.from({ length: 12_000 }, () => ({ token: 'a' }))

test.each<[string, Event[]]>([
  [
    'a response',
    typed({
      type: 'response.completed',
      response: { ...response('completed', responseUsage(9, 4)), output: LOGPROBS },
    }),
  ],
  [
    'a chat whose only chunk has everything',
    chat(
      { choices: [{ ...text('a').choices[0], finish_reason: 'stop', logprobs: LOGPROBS }], ...counts(9, 4) },
      '[DONE]',
    ),
  ],
  [
    'a chat',
    chat(
      text('a'),
      { choices: [{ ...text('a').choices[0], logprobs: LOGPROBS }] },
      finish(),
      alone(9, 4),
      '[DONE]',
    ),
  ],
  [
    'a message',
    typed(
      { ...start({ input_tokens: 9, output_tokens: 1 }), rest: LOGPROBS },
      { ...delta({ output_tokens: 4 }), rest: LOGPROBS },
      STOP,
    ),
  ],
])('the usage of %s is read from an event that is too expensive to build', (_, events) => {
  const meter = meterOf(events)
  expect([meter.usage, meter.isWhole, meter.hasUnread]).toEqual([usage(9, 4), true, false])
})

test('a large chunk of content after the usage makes it stale', () => {
  const large = { choices: [{ ...text('a').choices[0], logprobs: LOGPROBS }], error: null }
  expect(meterOf(chat(text('a'), alone(9, 1), large, '[DONE]')).usage).toBeNull()
})

test('an error is known in an event that is too expensive to build', () => {
  const failed = { error: { rest: LOGPROBS }, choices: [] }
  expect(meterOf(chat(text('a'), failed, '[DONE]')).isWhole).toBe(false)
})
