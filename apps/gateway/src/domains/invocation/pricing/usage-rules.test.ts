import { readdirSync, readFileSync } from 'node:fs'
import { TOKENS_MAX } from '@farebox/wire/invocation'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readUsage, readUsageBlock, type Usage } from './usage-rules.ts'

const RECORDED = new URL('../../../../test/recorded/', import.meta.url)

const usage = (inputTokens: number, outputTokens: number, more: Partial<Usage> = {}): Usage => ({
  inputTokens,
  outputTokens,
  totalTokens: inputTokens + outputTokens,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  ...more,
})

/** Expected usage of each sample. */
const WHOLE: Readonly<Record<string, Usage | null>> = {
  'anthropic-refusal': usage(564, 0),
  'anthropic-text': usage(12, 13),
  'anthropic-thinking': usage(61, 512),
  'anthropic-tool-use': usage(428 + 2_051 + 18_624, 131, {
    cacheReadTokens: 18_624,
    cacheWriteTokens: 2_051,
  }),
  'anthropic-web-search': usage(6_039, 931),
  'azure-chat': usage(24, 3),
  'deepseek-chat': usage(143, 207, { cacheReadTokens: 128 }),
  'gemini-chat': usage(14, 8),
  // The total has tokens that neither count has: reported, but not charged.
  'gemini-chat-thoughts': usage(14, 8, { statedTotalTokens: 571 }),
  'groq-chat': usage(78, 41),
  'mistral-chat': usage(93, 29, { cacheReadTokens: 64 }),
  'openai-chat-audio': usage(153, 84),
  'openai-chat-reasoning': usage(2_006, 1_300, { cacheReadTokens: 1_920 }),
  'openai-chat-refusal': usage(81, 12),
  'openai-chat-tool-calls': usage(1_117, 46, { cacheReadTokens: 1_024 }),
  'openai-responses-failed': null,
  'openai-responses-function-call': usage(1_362, 215, { cacheReadTokens: 1_280 }),
  'openai-responses-incomplete': usage(57, 64),
  'openai-responses-queued': null,
  'openai-responses-refusal': usage(94, 11),
  'openrouter-chat': usage(1_894, 74, { cacheReadTokens: 1_792 }),
  'vllm-chat': usage(21, 3),
  // Reasoning is counted beside the completion here, and the total says so.
  'xai-chat-thoughts': usage(32, 9 + 194, { cacheReadTokens: 6 }),
}

test('reads the exact usage of every recorded response, or none', () => {
  const names = readdirSync(RECORDED).filter(name => name.endsWith('.json'))
  const read = names.map(name => [
    name.replace('.json', ''),
    readUsage(JSON.parse(readFileSync(new URL(name, RECORDED), 'utf8'))),
  ])
  expect(Object.fromEntries(read)).toEqual(WHOLE)
})

test('reads an explicit zero as zero', () => {
  expect(readUsageBlock({ prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 })).toEqual(usage(0, 0))
  expect(readUsageBlock(JSON.parse('{"prompt_tokens":-0,"completion_tokens":-0}'))).toEqual(usage(0, 0))
})

test('cached tokens are part of the prompt count for OpenAI, and added to it for Anthropic', () => {
  const openai = { input_tokens: 100, output_tokens: 5, total_tokens: 105 }
  const read = { cacheReadTokens: 90 }
  expect(readUsageBlock({ ...openai, input_tokens_details: { cached_tokens: 90 } })).toEqual(
    usage(100, 5, read),
  )
  const chat = { prompt_tokens: 100, completion_tokens: 5 }
  expect(readUsageBlock({ ...chat, prompt_tokens_details: { cached_tokens: 90 } })).toEqual(
    usage(100, 5, read),
  )
  expect(readUsageBlock({ ...chat, prompt_cache_hit_tokens: 90 })).toEqual(usage(100, 5, read))
  const anthropic = { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 90 }
  expect(readUsageBlock(anthropic)).toEqual(usage(100, 5, read))
  expect(readUsageBlock({ ...anthropic, total_tokens: 105 })).toEqual(usage(100, 5, read))
  expect(readUsageBlock({ ...anthropic, cache_creation_input_tokens: 7 })).toEqual(
    usage(107, 5, { ...read, cacheWriteTokens: 7 }),
  )
})

test("Anthropic's cache fields beside OpenAI's counts are part of the prompt, or ignored", () => {
  const block = { prompt_tokens: 100, completion_tokens: 5 }
  const members = { cache_read_input_tokens: 60, cache_creation_input_tokens: 30 }
  expect(readUsageBlock({ ...block, ...members })).toEqual(
    usage(100, 5, { cacheReadTokens: 60, cacheWriteTokens: 30 }),
  )
  for (const beyond of [101, -1, 'many']) {
    expect(readUsageBlock({ ...block, cache_read_input_tokens: beyond })).toEqual(usage(100, 5))
  }
})

test('a total that excludes separate cached tokens shows that the input includes them', () => {
  const block = { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 9, total_tokens: 15 }
  expect(readUsageBlock(block)).toEqual(usage(10, 5, { cacheReadTokens: 9 }))
})

test.each([
  ['prompt_tokens', 'completion_tokens', 14],
  ['prompt_tokens', 'completion_tokens', 16],
  ['input_tokens', 'output_tokens', 0],
  ['input_tokens', 'output_tokens', 100],
])(
  'reports a total that differs from the sum of %s and %s, and keeps both counts',
  (input, output, total) => {
    expect(readUsageBlock({ [input]: 10, [output]: 5, total_tokens: total })).toEqual(
      usage(10, 5, { statedTotalTokens: total }),
    )
  },
)

test("inputTokens, the gateway's own field, includes cached tokens", () => {
  const block = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 6, cacheWriteTokens: 4 }
  expect(readUsageBlock(block)).toEqual(usage(10, 5, { cacheReadTokens: 6, cacheWriteTokens: 4 }))
  expect(readUsageBlock({ ...block, cacheReadTokens: 7 })).toBeNull()
  expect(readUsageBlock({ ...block, cacheWriteTokens: 'some' })).toBeNull()
})

test.each([
  ['both ways of telling the cache', { cache_read_input_tokens: 9, input_tokens_details: {} }],
  [
    'cache lifetimes that do not add up',
    { cache_creation_input_tokens: 9, cache_creation: { ephemeral_5m_input_tokens: 8 } },
  ],
  ['cache lifetimes without their sum', { cache_creation: { ephemeral_1h_input_tokens: 8 } }],
  ['a negative cache', { cache_read_input_tokens: -1 }],
  ['more cached than there is', { input_tokens_details: { cached_tokens: 11 } }],
  ['more reasoning than there is', { output_tokens_details: { reasoning_tokens: 6 } }],
  ['more thinking than there is', { output_tokens_details: { thinking_tokens: 6 } }],
  ['details that are no object', { input_tokens_details: 4 }],
  ['a breakdown that is no object', { cache_creation: [0] }],
  ['a total that is no count', { total_tokens: '15' }],
  ['another shape that disagrees', { prompt_tokens: 10, completion_tokens: 4 }],
  ['half of another shape', { completion_tokens: 5 }],
])('%s invalidates an input/output block', (_, members) => {
  expect(readUsageBlock({ input_tokens: 10, output_tokens: 5 })).toEqual(usage(10, 5))
  expect(readUsageBlock({ input_tokens: 10, output_tokens: 5, ...members })).toBeNull()
})

test.each([
  ['a negative total', { total_tokens: -1 }],
  ['more cached than there is', { prompt_tokens_details: { cached_tokens: 11 } }],
  ['a fraction of a cached token', { prompt_tokens_details: { cached_tokens: 0.5 } }],
  ['more audio than there is', { prompt_tokens_details: { audio_tokens: 11 } }],
  ['more reasoning than there is', { completion_tokens_details: { reasoning_tokens: 6 } }],
  [
    'more rejected predictions than there is',
    { completion_tokens_details: { rejected_prediction_tokens: 6 } },
  ],
  ['details that are a list', { completion_tokens_details: [] }],
  ['cache hits and misses that do not add up', { prompt_cache_hit_tokens: 6, prompt_cache_miss_tokens: 5 }],
  ['fewer cache hits and misses than there is', { prompt_cache_hit_tokens: 4, prompt_cache_miss_tokens: 5 }],
  ['more cache hits than there is', { prompt_cache_hit_tokens: 11 }],
  ['another shape that disagrees', { input_tokens: 0, output_tokens: 0 }],
])('%s invalidates a prompt/completion block', (_, members) => {
  const block = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
  expect(readUsageBlock(block)).toEqual(usage(10, 5))
  expect(readUsageBlock({ ...block, ...members })).toBeNull()
})

test('a detail may equal its total', () => {
  const block = { prompt_tokens: 10, completion_tokens: 5 }
  const parts = { prompt_tokens_details: { cached_tokens: 10 }, prompt_cache_hit_tokens: 10 }
  expect(readUsageBlock({ ...block, ...parts })).toEqual(usage(10, 5, { cacheReadTokens: 10 }))
})

test('cache hits or misses alone may be less than the prompt', () => {
  const block = { prompt_tokens: 10, completion_tokens: 5 }
  expect(readUsageBlock({ ...block, prompt_cache_hit_tokens: 4 })).toEqual(
    usage(10, 5, { cacheReadTokens: 4 }),
  )
  expect(readUsageBlock({ ...block, prompt_cache_miss_tokens: 4 })).toEqual(usage(10, 5))
})

test('only the lifetimes in a cache breakdown must add up', () => {
  const block = { input_tokens: 1, output_tokens: 5, cache_creation_input_tokens: 9 }
  const written = usage(10, 5, { cacheWriteTokens: 9 })
  expect(readUsageBlock({ ...block, cache_creation: {} })).toEqual(written)
  const other = { ephemeral_5m_input_tokens: 9, requests: 2, plan: 'a' }
  expect(readUsageBlock({ ...block, cache_creation: other })).toEqual(written)
})

test('treats null fields as absent', () => {
  const anthropic = {
    input_tokens: 7,
    output_tokens: 2,
    cache_creation: null,
    cache_creation_input_tokens: null,
  }
  expect(
    readUsageBlock({ ...anthropic, cache_read_input_tokens: null, output_tokens_details: null }),
  ).toEqual(usage(7, 2))
  const chat = { prompt_tokens: 7, completion_tokens: 2, total_tokens: null, prompt_tokens_details: null }
  expect(readUsageBlock({ ...chat, completion_tokens_details: { reasoning_tokens: null } })).toEqual(
    usage(7, 2),
  )
})

const SHAPES = [
  ['prompt_tokens', 'completion_tokens', 'total_tokens'],
  ['input_tokens', 'output_tokens', 'total_tokens'],
  ['inputTokens', 'outputTokens', 'totalTokens'],
] as const

test.each(SHAPES)('reads %s and %s with and without their total', (input, output, total) => {
  expect(readUsageBlock({ [input]: 3, [output]: 4 })).toEqual(usage(3, 4))
  expect(readUsageBlock({ [input]: 3, [output]: 4, [total]: 7 })).toEqual(usage(3, 4))
  expect(readUsageBlock({ [input]: 3, [output]: 4, [total]: 0.5 })).toBeNull()
  expect(readUsageBlock({ [input]: TOKENS_MAX, [output]: 0 })).toEqual(usage(TOKENS_MAX, 0))
  expect(readUsageBlock({ [input]: TOKENS_MAX, [output]: 1 })).toBeNull()
})

const NO_COUNTS = [
  undefined,
  null,
  -1,
  0.5,
  Number.NaN,
  Infinity,
  TOKENS_MAX + 1,
  1e300,
  '5',
  true,
  [5],
  {},
  5n,
]

test.each(SHAPES)('requires %s and %s to be counts', (input, output) => {
  for (const wrong of NO_COUNTS) {
    expect(readUsageBlock({ [input]: wrong, [output]: 5 })).toBeNull()
    expect(readUsageBlock({ [input]: 5, [output]: wrong })).toBeNull()
  }
})

test('a response without a usage object has no usage', () => {
  const answers = [null, undefined, 'text', 5, [], [{ usage: { input_tokens: 1, output_tokens: 1 } }], {}]
  for (const answer of answers) expect(readUsage(answer)).toBeNull()
  for (const block of [null, 5, '{}', [], {}]) expect(readUsage({ usage: block })).toBeNull()
})

test('an unfinished response has no usage, nor has one with tokens in fields of another format', () => {
  const response = { object: 'response', status: 'completed', usage: { input_tokens: 3, output_tokens: 4 } }
  expect(readUsage(response)).toEqual(usage(3, 4))
  expect(readUsage({ ...response, status: 'in_progress' })).toBeNull()
  expect(readUsage({ ...response, status: 'queued' })).toBeNull()
  expect(readUsage({ ...response, usage: { ...response.usage, cache_read_input_tokens: 3 } })).toBeNull()
  expect(readUsage({ ...response, usage: { ...response.usage, cache_read_input_tokens: 0 } })).toEqual(
    usage(3, 4),
  )
})

const NAMES = [
  ...SHAPES.flat(),
  'cache_creation_input_tokens',
  'cache_read_input_tokens',
  'prompt_cache_hit_tokens',
  'prompt_cache_miss_tokens',
]
const DETAILS = ['cache_creation', 'prompt_tokens_details', 'input_tokens_details', 'output_tokens_details']
const PARTS = ['cached_tokens', 'reasoning_tokens', 'ephemeral_5m_input_tokens', 'toString', '__proto__']
const someCount = fc.oneof({ weight: 3, arbitrary: fc.nat(9) }, fc.double(), fc.constantFrom(...NO_COUNTS))
const someDetails = fc.oneof(fc.dictionary(fc.constantFrom(...PARTS), someCount), fc.anything())

test('usage is null or integer counts that add up, whatever a provider sends', () => {
  const block = fc.oneof(
    fc.dictionary(fc.constantFrom(...NAMES), someCount),
    fc.record(
      Object.fromEntries([
        ...NAMES.map(name => [name, someCount]),
        ...DETAILS.map(name => [name, someDetails]),
      ]),
      {
        requiredKeys: [],
      },
    ),
    fc.anything(),
  )
  const answer = fc.record({
    object: fc.constantFrom('response', 'chat.completion', undefined),
    type: fc.constantFrom('message', undefined),
    x_groq: fc.oneof(fc.anything(), fc.record({ usage: block })),
    usage: block,
  })
  const hold = (found: Usage | null): void => {
    if (found === null) return
    const { inputTokens, outputTokens, totalTokens } = found
    for (const tokens of [inputTokens, outputTokens, totalTokens]) {
      expect(Number.isInteger(tokens) && tokens >= 0 && tokens <= TOKENS_MAX && !Object.is(tokens, -0)).toBe(
        true,
      )
    }
    expect(totalTokens).toBe(inputTokens + outputTokens)
    expect(found.cacheReadTokens + found.cacheWriteTokens).toBeLessThanOrEqual(inputTokens)
  }
  fc.assert(
    fc.property(block, value => hold(readUsageBlock(value))),
    { numRuns: 2_000 },
  )
  fc.assert(
    fc.property(fc.oneof(answer, fc.anything()), value => hold(readUsage(value))),
    { numRuns: 1_000 },
  )
})

test('reads the exact usage of any valid OpenAI or Anthropic block', () => {
  const parts = fc.tuple(fc.nat(40_000), fc.nat(40_000), fc.nat(40_000), fc.nat(40_000))
  fc.assert(
    fc.property(parts, ([fresh, read, written, output]) => {
      const input = fresh + read + written
      const total = input + output
      const details = { cached_tokens: read, cache_write_tokens: written }
      const cache = { cacheReadTokens: read, cacheWriteTokens: written }
      expect(
        readUsageBlock({
          prompt_tokens: input,
          completion_tokens: output,
          total_tokens: total,
          prompt_tokens_details: details,
        }),
      ).toEqual(usage(input, output, cache))
      expect(
        readUsageBlock({
          input_tokens: input,
          output_tokens: output,
          total_tokens: total,
          input_tokens_details: details,
        }),
      ).toEqual(usage(input, output, cache))
      expect(
        readUsageBlock({
          input_tokens: fresh,
          cache_read_input_tokens: read,
          cache_creation_input_tokens: written,
          cache_creation: { ephemeral_5m_input_tokens: written, ephemeral_1h_input_tokens: 0 },
          output_tokens: output,
        }),
      ).toEqual(usage(input, output, cache))
    }),
  )
})
