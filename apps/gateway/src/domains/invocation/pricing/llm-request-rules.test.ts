import { GatewayError } from '@farebox/wire/errors'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type LlmRequest, prepareLlmRequest, targetFor } from './llm-request-rules.ts'

const OPENAI = {
  ...({
    dialect: 'openai',
    defaultMaxOutputTokens: 256,
    upstreamModel: null,
    outputLimitField: null,
  } as const),
  mediaTokens: 2_000,
  contextTokens: null,
  targets: [{ url: 'http://127.0.0.2/v1/chat/completions' }],
}
const ANTHROPIC = { ...OPENAI, dialect: 'anthropic' as const }
const SYNC = { canStream: true, wantsStream: false }

const messages = [{ role: 'user', content: 'Hi' }]
const prepare = (
  body: Record<string, unknown>,
  offer: Parameters<typeof prepareLlmRequest>[0] = OPENAI,
  ask: Parameters<typeof prepareLlmRequest>[2] = SYNC,
) => prepareLlmRequest(offer, body, ask)
const bodyOf = (request: LlmRequest) => JSON.parse(request.body) as Record<string, unknown>

function refusalOf(
  body: Record<string, unknown> | undefined,
  offer: Parameters<typeof prepareLlmRequest>[0] = OPENAI,
  ask: Parameters<typeof prepareLlmRequest>[2] = SYNC,
): GatewayError {
  try {
    prepareLlmRequest(offer, body, ask)
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
  throw new Error('It was not refused.')
}

describe('the output token limit', () => {
  const shapes = [
    ['chat', OPENAI, { messages }, 'max_tokens'],
    ['responses', OPENAI, { input: 'Hi' }, 'max_output_tokens'],
    ['messages', ANTHROPIC, { messages }, 'max_tokens'],
  ] as const

  test.each(shapes)(
    'of %s defaults to that of the service when the caller omits it or sends null',
    (shape, offer, given, name) => {
      for (const body of [given, { ...given, [name]: null }]) {
        const request = prepare(body, offer)
        expect(request).toMatchObject({ shape, maxOutputTokens: 256, choices: 1 })
        expect(bodyOf(request)).toEqual({ ...given, [name]: 256 })
      }
    },
  )

  test.each(shapes)('of %s is the one that the caller sets', (_, offer, given, name) => {
    const request = prepare({ ...given, [name]: 7 }, offer)
    expect(request.maxOutputTokens).toBe(7)
    expect(bodyOf(request)).toEqual({ ...given, [name]: 7 })
  })

  test('of chat is accepted as max_completion_tokens, without adding max_tokens', () => {
    const request = prepare({ messages, max_completion_tokens: 9 })
    expect(request.maxOutputTokens).toBe(9)
    expect(bodyOf(request)).toEqual({ messages, max_completion_tokens: 9 })
  })

  test.each(['o3', 'o4-mini', 'gpt-5', 'gpt-5.1-codex', 'openai/gpt-5-mini'])(
    'of chat defaults to max_completion_tokens for %s, which rejects max_tokens',
    model => {
      expect(bodyOf(prepare({ messages, model }))).toEqual({ messages, model, max_completion_tokens: 256 })
      const set = bodyOf(prepare({ messages }, { ...OPENAI, upstreamModel: model }))
      expect(set).toEqual({ messages, model, max_completion_tokens: 256 })
      expect(bodyOf(prepare({ messages, model, max_tokens: 7 }))).toEqual({ messages, model, max_tokens: 7 })
    },
  )

  test('of chat is sent as max_completion_tokens to api.openai.com, and as max_tokens elsewhere', () => {
    const targets = [{ url: 'https://api.openai.com/v1/chat/completions' }]
    expect(bodyOf(prepare({ messages }, { ...OPENAI, targets }))).toEqual({
      messages,
      max_completion_tokens: 256,
    })
    for (const model of ['llama-3', 'gpt-4o', 'olmo-2', 'some/o-model'])
      expect(bodyOf(prepare({ messages, model }))).toEqual({ messages, model, max_tokens: 256 })
  })

  test('of chat is sent under the field name set in the manifest, regardless of target and model', () => {
    const offer = { ...OPENAI, outputLimitField: 'max_tokens' as const }
    const targets = [{ url: 'https://api.openai.com/v1/chat/completions' }]
    const model = 'gpt-5'
    expect(bodyOf(prepare({ messages, model }, { ...offer, targets }))).toEqual({
      messages,
      model,
      max_tokens: 256,
    })
    const newer = { ...OPENAI, outputLimitField: 'max_completion_tokens' as const }
    expect(bodyOf(prepare({ messages }, newer))).toEqual({ messages, max_completion_tokens: 256 })
    expect(bodyOf(prepare({ input: 'Hi' }, newer))).toEqual({ input: 'Hi', max_output_tokens: 256 })
  })

  test('is the larger value when both fields are set, so that the hold covers either', () => {
    expect(prepare({ messages, max_tokens: 5, max_completion_tokens: 50 }).maxOutputTokens).toBe(50)
    expect(prepare({ messages, max_tokens: 50, max_completion_tokens: 5 }).maxOutputTokens).toBe(50)
  })

  test('is multiplied by the number of choices of a chat completion', () => {
    expect(prepare({ messages, max_tokens: 5, n: 4 })).toMatchObject({ maxOutputTokens: 20, choices: 4 })
    expect(prepare({ messages, n: 2 })).toMatchObject({ maxOutputTokens: 512, choices: 2 })
    expect(prepare({ messages, n: null }).choices).toBe(1)
  })

  test('ignores `n` in the Responses and Messages APIs', () => {
    expect(prepare({ input: 'Hi', n: 4 }).maxOutputTokens).toBe(256)
    expect(prepare({ messages, n: 4 }, ANTHROPIC).maxOutputTokens).toBe(256)
  })

  test('is always in the forwarded body, regardless of other fields', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.option(fc.integer({ min: 1, max: 10_000 }), { nil: undefined }),
        fc.constantFrom(...shapes),
        (extra, bound, [, offer, given, name]) => {
          const { stream: _, n: __, N: ___, ...rest } = extra
          const request = prepare({ ...rest, ...given, ...(bound !== undefined && { [name]: bound }) }, offer)
          expect(bodyOf(request)[name]).toBe(bound ?? 256)
          expect(request.maxOutputTokens).toBe(bound ?? 256)
          expect(request.promptTokens).toBe(Math.ceil(Buffer.byteLength(request.body) / 3) + 16)
        },
      ),
    )
  })

  test.each([0, -1, 1.5, '40', true, [], {}, 10_000_001, Number.MAX_SAFE_INTEGER])(
    'is rejected with its path unless it is an integer in range: %j',
    value => {
      const refused = refusalOf({ messages, max_tokens: value })
      expect(refused.code).toBe('INVALID_PAYLOAD')
      expect(refused.context.issues).toMatchObject([{ path: 'payload.body.max_tokens' }])
    },
  )

  test.each([0, -3, 1.5, '2', 129, {}])('is rejected with the path of `n` when `n` is invalid: %j', value => {
    expect(refusalOf({ messages, n: value }).context.issues).toMatchObject([{ path: 'payload.body.n' }])
  })

  test('has a maximum across all choices', () => {
    expect(refusalOf({ messages, max_tokens: 10_000_000, n: 2 }).code).toBe('INVALID_PAYLOAD')
    expect(prepare({ messages, max_tokens: 5_000_000, n: 2 }).maxOutputTokens).toBe(10_000_000)
  })

  test('cannot be bypassed with __proto__', () => {
    const body = JSON.parse('{"messages":[],"__proto__":{"max_tokens":1},"max_tokens":300}') as Record<
      string,
      unknown
    >
    expect(prepare(body)).toMatchObject({ maxOutputTokens: 300 })
    const inherited = JSON.parse('{"messages":[],"__proto__":{"max_tokens":1}}') as Record<string, unknown>
    const request = prepare(inherited)
    expect(request.maxOutputTokens).toBe(256)
    expect(bodyOf(request).max_tokens).toBe(256)
  })
})

describe('the forwarded body', () => {
  test('preserves all other fields in order, as compact JSON, with any text', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue()), extra => {
        const { stream: _, n: __, N: ___, ...rest } = extra
        const given = { ...rest, messages, max_tokens: 3 }
        const { body } = prepare(given)
        expect(body).toBe(JSON.stringify(given))
      }),
    )
  })

  test("carries the model set by the service, or else the caller's", () => {
    const offer = { ...OPENAI, upstreamModel: 'big-1' }
    expect(bodyOf(prepareLlmRequest(offer, { model: 'x', messages }, SYNC)).model).toBe('big-1')
    expect(bodyOf(prepare({ model: 'x', messages })).model).toBe('x')
    expect(bodyOf(prepare({ messages }))).not.toHaveProperty('model')
  })

  test('is required', () => {
    expect(refusalOf(undefined).context.issues).toMatchObject([{ path: 'payload.body' }])
  })
})

describe('a member that a provider may read differently', () => {
  const input = 'Hi'
  test.each<[string, Record<string, unknown>, typeof OPENAI | typeof ANTHROPIC]>([
    ['n_predict', { messages, max_tokens: 1, n_predict: 9 }, OPENAI],
    ['n_predict', { messages, max_tokens: 1, n_predict: null }, OPENAI],
    ['max_output_tokens', { messages, max_tokens: 1, max_output_tokens: 9 }, OPENAI],
    ['maxOutputTokens', { messages, maxOutputTokens: 9 }, OPENAI],
    ['num_predict', { messages, num_predict: 9 }, OPENAI],
    ['max_new_tokens', { input, max_new_tokens: 9 }, OPENAI],
    ['max_tokens', { input, max_output_tokens: 1, max_tokens: 9 }, OPENAI],
    ['max_completion_tokens', { prompt: 'Hi', max_tokens: 1, max_completion_tokens: 9 }, OPENAI],
    ['max_tokens_to_sample', { messages, max_tokens_to_sample: 9 }, ANTHROPIC],
    ['max_completion_tokens', { messages, max_completion_tokens: 9 }, ANTHROPIC],
    ['options.num_predict', { messages, options: { num_predict: 9 } }, OPENAI],
    ['extra_body.max_tokens', { messages, max_tokens: 1, extra_body: { max_tokens: 9 } }, OPENAI],
    ['extra_body.n', { messages, n: 1, extra_body: { n: 9 } }, OPENAI],
    ['parameters.best_of', { messages, parameters: { best_of: 9 } }, OPENAI],
    ['sampling_params.N', { messages, sampling_params: { N: 1 } }, OPENAI],
    ['extra_body.messages', { messages, extra_body: { messages: [] } }, OPENAI],
    ['extra_body.previous_response_id', { input, extra_body: { previous_response_id: 'resp_1' } }, OPENAI],
    [
      'extra_body.stream_options',
      { messages, stream: true, extra_body: { stream_options: { include_usage: false } } },
      OPENAI,
    ],
    ['generationConfig.maxOutputTokens', { messages, generationConfig: { maxOutputTokens: 9 } }, OPENAI],
    ['MAX_TOKENS', { messages, max_tokens: 1, MAX_TOKENS: 9 }, OPENAI],
    ['MAX_TOKENS', { messages, max_tokens: 1, MAX_TOKENS: null }, OPENAI],
    ['Model', { messages, model: 'a', Model: 'b' }, OPENAI],
    ['N', { messages, N: 9 }, OPENAI],
    ['Best_Of', { prompt: 'Hi', Best_Of: 9 }, OPENAI],
    ['Stream', { messages, Stream: true }, OPENAI],
    ['STREAM_OPTIONS', { messages, stream: true, STREAM_OPTIONS: { include_usage: false } }, OPENAI],
    ['stream_options.Include_Usage', { messages, stream_options: { Include_Usage: false } }, OPENAI],
    ['Messages', { messages, Messages: [] }, OPENAI],
    ['System', { messages, System: 'x' }, ANTHROPIC],
    ['Previous_Response_Id', { input, Previous_Response_Id: 'resp_1' }, OPENAI],
  ])('is refused: %s', (name, body, offer) => {
    const refused = refusalOf(body, offer)
    expect(refused.code).toBe('INVALID_PAYLOAD')
    expect(refused.context.issues).toMatchObject([{ path: `payload.body.${name}` }])
  })

  test.each(['', 'options', 'extra_body', 'stream_options'])(
    'is not searched for in over 1,000: %s',
    nest => {
      const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`n${index}`, index]))
      const refused = refusalOf(nest === '' ? { messages, ...many } : { messages, [nest]: many })
      const path = nest === '' ? 'payload.body' : `payload.body.${nest}`
      expect(refused.context.issues).toEqual([{ path, message: 'Must have at most 1000 members.' }])
    },
  )

  test('names the bound of the API', () => {
    expect(refusalOf({ messages, n_predict: 9 }).message).toContain('max_tokens or max_completion_tokens')
    expect(refusalOf({ messages, Max_Tokens: 9 }).message).toContain('Did you mean "max_tokens"?')
  })

  test.each([
    { messages, min_tokens: 1, max_tokens: 2, max_completion_tokens: 2, top_k: 4, logit_bias: { 1: 2 } },
    { messages, reasoning: { max_tokens: 9 }, thinking: { budget_tokens: 9 }, metadata: { Model: 'a' } },
    { input, max_output_tokens: 3, max_tool_calls: 4, truncation: 'auto', options: { num_ctx: 5 } },
    { prompt: 'Hi', n: 2, best_of: 3, suffix: 'x', max_tokens: 3 },
    { messages, sampling_params: { n: 1, top_k: 4 }, extra_body: { best_of: null, top_k: 4 } },
  ])('is not any other: %j', body => {
    expect(bodyOf(prepare(body))).toMatchObject(body)
  })
})

describe('a member that chooses another model or a dearer one', () => {
  const pinned = { ...OPENAI, upstreamModel: 'small-1' }
  const input = 'Hi'
  const messagesApi = { ...ANTHROPIC, upstreamModel: 'small-1' }
  test.each<[string, Record<string, unknown>, typeof pinned | typeof messagesApi]>([
    ['models', { messages, models: ['big-1'] }, pinned],
    ['Models', { messages, Models: ['big-1'] }, pinned],
    ['models', { messages, models: ['big-1'] }, messagesApi],
    ['models', { input, models: ['big-1'] }, pinned],
    ['route', { messages, route: 'fallback' }, pinned],
    ['fallbacks', { messages, fallbacks: [{ model: 'big-1' }] }, pinned],
    ['provider', { messages, provider: { order: ['dear'] } }, pinned],
    ['providerOptions', { messages, providerOptions: { gateway: { models: ['big-1'] } } }, pinned],
    ['preset', { messages, preset: 'big' }, pinned],
    ['extra_body.models', { messages, extra_body: { models: ['big-1'] } }, pinned],
    ['extra_body.model', { messages, extra_body: { model: 'big-1' } }, pinned],
    ['options.Model', { messages, options: { Model: 'big-1' } }, pinned],
    ['service_tier', { messages, service_tier: 'priority' }, pinned],
    ['serviceTier', { messages, serviceTier: 'auto' }, pinned],
    ['speed', { messages, speed: 'fast' }, messagesApi],
    ['inference_geo', { messages, inference_geo: 'us' }, messagesApi],
  ])('is refused where the service sets the model: %s', (name, body, offer) => {
    expect(refusalOf(body, offer).context.issues).toMatchObject([{ path: `payload.body.${name}` }])
    expect(bodyOf(prepare(body, { ...offer, upstreamModel: null }))).toMatchObject(body)
  })

  test.each([
    { messages, models: null, provider: null, extra_body: { models: null } },
    { messages, service_tier: 'auto' },
    { messages, service_tier: 'flex', speed: 'standard' },
    { messages, metadata: { models: ['a'], provider: 'b' }, user: 'models' },
  ])('is not any other: %j', body => {
    expect(bodyOf(prepare(body, pinned))).toMatchObject(body)
  })
})

describe('streaming', () => {
  test('is requested in the body or with the response mode', () => {
    expect(prepare({ messages, stream: true }).isStreamed).toBe(true)
    const request = prepare({ messages }, OPENAI, { canStream: true, wantsStream: true })
    expect(request.isStreamed).toBe(true)
    expect(bodyOf(request).stream).toBe(true)
    for (const stream of [false, null, undefined])
      expect(prepare({ messages, stream }).isStreamed).toBe(false)
  })

  test("of chat completions requests usage and keeps the caller's other stream options", () => {
    const usage = { include_usage: true }
    expect(bodyOf(prepare({ messages, stream: true })).stream_options).toEqual(usage)
    const options = { include_usage: false, other: 1 }
    expect(bodyOf(prepare({ messages, stream: true, stream_options: options })).stream_options).toEqual({
      ...usage,
      other: 1,
    })
    for (const odd of [null, 'x', 7])
      expect(bodyOf(prepare({ messages, stream: true, stream_options: odd })).stream_options).toEqual(usage)
  })

  test('of the other APIs adds no stream_options', () => {
    expect(bodyOf(prepare({ input: 'Hi', stream: true }))).not.toHaveProperty('stream_options')
    expect(bodyOf(prepare({ messages, stream: true }, ANTHROPIC))).not.toHaveProperty('stream_options')
  })

  test("is turned off in the body when the caller's API cannot stream", () => {
    const request = prepare({ messages, stream: true }, OPENAI, { canStream: false, wantsStream: true })
    expect(request.isStreamed).toBe(false)
    expect(bodyOf(request).stream).toBe(false)
  })

  test.each(['true', 1, {}])('is rejected when `stream` is %j', stream => {
    expect(refusalOf({ messages, stream }).context.issues).toMatchObject([{ path: 'payload.body.stream' }])
  })
})

describe('the API of a request', () => {
  test('is detected from the field of its prompt', () => {
    expect(prepare({ messages }).shape).toBe('chat')
    expect(prepare({ input: [] }).shape).toBe('responses')
    expect(prepare({ input: [], messages }).shape).toBe('chat')
    expect(prepare({}).shape).toBe('chat')
    expect(prepare({ input: 'Hi' }, ANTHROPIC).shape).toBe('messages')
  })

  test.each([
    ['https://a.test/v1/chat/completions', 'chat', 'https://a.test/v1/chat/completions'],
    ['https://a.test/v1/chat/completions', 'responses', 'https://a.test/v1/responses'],
    ['https://a.test/v1/responses', 'chat', 'https://a.test/v1/chat/completions'],
    ['https://a.test/v1/responses', 'responses', 'https://a.test/v1/responses'],
    ['https://a.test/chat/completions/', 'responses', 'https://a.test/responses'],
    ['https://a.test/chat/completions?api-version=1', 'responses', 'https://a.test/responses?api-version=1'],
    [
      'https://a.test/responses/?a=/chat/completions#x',
      'chat',
      'https://a.test/chat/completions?a=/chat/completions#x',
    ],
    ['https://a.test/complete', 'responses', 'https://a.test/complete'],
    ['https://a.test/my-responses', 'chat', 'https://a.test/my-responses'],
    ['https://a.test/x?y=/responses', 'chat', 'https://a.test/x?y=/responses'],
    ['https://a.test/v1/chat/completions', 'messages', 'https://a.test/v1/chat/completions'],
    ['https://a.test/v1/chat/completions', 'embeddings', 'https://a.test/v1/embeddings'],
  ] as const)('determines the path of the target: %s for %s', (target, shape, url) => {
    expect(targetFor(target, shape)).toBe(url)
  })

  const nameless = { ...OPENAI, targets: [{ url: 'http://127.0.0.2/generate' }] }
  const embedding = { ...OPENAI, targets: [{ url: 'http://127.0.0.2/v1/embeddings' }] }
  const asEmbeddings = { ...SYNC, shape: 'embeddings' } as const
  const input = 'Hi'
  test.each<[string, Record<string, unknown>, typeof OPENAI, LlmRequest['shape']]>([
    ['body.messages', { input, messages }, nameless, 'embeddings'],
    ['body.prompt', { input, prompt: 'Hi' }, nameless, 'embeddings'],
    ['body.max_tokens', { input, max_tokens: 9 }, nameless, 'embeddings'],
    ['body.messages', { input, messages }, nameless, 'responses'],
    ['body.prompt', { input, prompt: 'Hi' }, nameless, 'responses'],
    ['body.input', { messages, input }, nameless, 'chat'],
    ['body.prompt', { messages, prompt: 'Hi' }, nameless, 'chat'],
    ['body.messages', { prompt: 'Hi', messages }, nameless, 'completions'],
    ['body.messages', { input, messages }, embedding, 'embeddings'],
    ['body', { messages }, embedding, 'chat'],
    ['body', { input }, embedding, 'responses'],
    ['body', { prompt: 'Hi' }, embedding, 'completions'],
  ])('is not chosen by the caller: %s of %j', (member, body, offer, shape) => {
    const refused = refusalOf(body, offer, { ...SYNC, shape })
    expect(refused.code).toBe('INVALID_PAYLOAD')
    expect(refused.context.issues).toMatchObject([{ path: `payload.${member}` }])
  })

  test('is embeddings only at a target of embeddings', () => {
    for (const body of [{ input }, {}]) expect(prepare(body, embedding).shape).toBe('embeddings')
    for (const body of [{ messages }, { prompt: 'Hi' }, { input, messages }])
      expect(refusalOf(body, embedding).code).toBe('INVALID_PAYLOAD')
  })

  test('allows a stored prompt of a response, and null, at a URL that names no API', () => {
    const offer = { ...nameless, contextTokens: 9 }
    expect(prepare({ input, prompt: { id: 'pmpt_1' } }, offer).shape).toBe('responses')
    expect(prepare({ messages, input: null, prompt: null }, offer).shape).toBe('chat')
  })

  test('is held for output of embeddings where the URL names no API, and forwards no bound', () => {
    const request = prepare({ input }, nameless, asEmbeddings)
    expect(request).toMatchObject({ shape: 'embeddings', maxOutputTokens: 256 })
    expect(bodyOf(request)).toEqual({ input })
    expect(prepare({ input }, embedding, asEmbeddings).maxOutputTokens).toBe(0)
    expect(prepare({ input }, OPENAI, asEmbeddings).maxOutputTokens).toBe(0)
  })

  test('never changes the origin of the target', () => {
    fc.assert(
      fc.property(
        fc.webUrl({ withQueryParameters: true, withFragments: true }),
        fc.boolean(),
        (url, isChat) => {
          for (const target of [
            url,
            `${url.split(/[?#]/)[0]}/chat/completions`,
            `${url.split(/[?#]/)[0]}/responses`,
          ])
            expect(new URL(targetFor(target, isChat ? 'chat' : 'responses')).origin).toBe(
              new URL(target).origin,
            )
        },
      ),
    )
  })
})
