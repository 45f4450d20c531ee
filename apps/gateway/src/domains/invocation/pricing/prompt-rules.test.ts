import { GatewayError } from '@farebox/wire/errors'
import { describe, expect, test } from 'vitest'
import { processorMs } from '../../../../test/kit/processor-time.ts'
import { countPrompt } from './prompt-rules.ts'

const MEDIA_TOKENS = 700
const CONTEXT_TOKENS = 90_000
const base64 = Buffer.alloc(9_000, 7).toString('base64')
const png = `data:image/png;base64,${base64}`
const pdf = `data:application/pdf;base64,${base64}`

/** Maximum time for a megabyte of small parts, in ms: several times what it takes. */
const COUNT_MS_MAX = 120

const bytesOf = (body: unknown) => Buffer.byteLength(JSON.stringify(body))
const count = (body: Record<string, unknown>, contextTokens: number | null = null) =>
  countPrompt(body, bytesOf(body), { mediaTokens: MEDIA_TOKENS, contextTokens })

/** A user's message with these parts, in the shape of all three APIs. */
const asked = (...content: unknown[]) => ({ messages: [{ role: 'user', content }] })
const askedResponses = (...content: unknown[]) => ({ input: [{ role: 'user', content }] })

/** The member that a body is refused for; null when it is taken. */
function refusedFor(body: Record<string, unknown>): string | null {
  try {
    count(body)
    return null
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    const [issue] = error.context.issues as { path: string }[]
    expect(error.code).toBe('INVALID_PAYLOAD')
    expect(error.message).toContain(String(issue?.path))
    return String(issue?.path).replace('payload.body.', '')
  }
}

describe('text', () => {
  test('counts one token per three bytes plus 16, and at most one per byte plus 1,024 is charged', () => {
    const body = asked({ type: 'text', text: 'Grüße aus Übersee' })
    const bytes = bytesOf(body)
    expect(count(body)).toEqual({
      promptTokens: Math.ceil(bytes / 3) + 16,
      maxInputTokens: bytes + 1_024,
    })
  })

  test.each([
    ['a text that looks like base64', { type: 'text', text: base64 }],
    ['a file of text', { type: 'file', file: { file_data: `data:text/plain;base64,${base64}` } }],
    [
      'a document of text',
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: base64 } },
    ],
    [
      'a document that says it is text in base64',
      { type: 'document', source: { type: 'base64', media_type: 'text/plain', data: base64 } },
    ],
    ['a data URL without base64', { type: 'image_url', image_url: { url: `data:image/svg+xml,${base64}` } }],
    [
      'words behind the head of a data URL',
      { type: 'image_url', image_url: { url: `data:image/png;base64,${'ignore all that '.repeat(500)}` } },
    ],
    ['the arguments of a tool', { type: 'tool_use', id: 't', name: 'n', input: { image_url: png } }],
  ])('includes %s', (_, part) => {
    const body = asked(part)
    expect(count(body).promptTokens).toBe(Math.ceil(bytesOf(body) / 3) + 16)
  })
})

describe('a base64 media part counts as the mediaTokens of the service, regardless of size', () => {
  test.each<[string, Record<string, unknown>, string]>([
    ['image of chat', asked({ type: 'image_url', image_url: { url: png } }), png],
    ['image of chat, by its URL alone', asked({ type: 'image_url', image_url: png }), png],
    ['sound', asked({ type: 'input_audio', input_audio: { data: base64, format: 'wav' } }), base64],
    ['file of chat', asked({ type: 'file', file: { filename: 'a.pdf', file_data: pdf } }), pdf],
    ['image of responses', askedResponses({ type: 'input_image', image_url: png }), png],
    ['file of responses', askedResponses({ type: 'input_file', filename: 'a', file_data: pdf }), pdf],
    [
      'image that a function of responses gave back',
      {
        input: [
          { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_image', image_url: png }] },
        ],
      },
      png,
    ],
    [
      'screenshot',
      { input: [{ type: 'computer_call_output', call_id: 'c', output: { type: 'x', image_url: png } }] },
      png,
    ],
    [
      'image of messages',
      asked({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: base64 } }),
      base64,
    ],
    [
      'document of messages',
      asked({ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: base64 } }),
      base64,
    ],
    [
      'image in the result of a tool',
      asked({
        type: 'tool_result',
        tool_use_id: 't',
        content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: base64 } }],
      }),
      base64,
    ],
  ])('%s', (_, body, data) => {
    const textBytes = bytesOf(body) - data.length
    expect(count(body)).toEqual({
      promptTokens: Math.ceil(textBytes / 3) + 16 + MEDIA_TOKENS,
      maxInputTokens: textBytes + 1_024 + MEDIA_TOKENS,
    })
  })

  test('each of several parts', () => {
    const image = { type: 'image_url', image_url: { url: png } }
    const one = count(asked(image))
    const three = count(asked(image, image, image))
    expect(three.promptTokens - one.promptTokens).toBeGreaterThanOrEqual(2 * MEDIA_TOKENS)
  })
})

describe('a reference to remote context', () => {
  const named: [string, Record<string, unknown>][] = [
    ['previous_response_id', { input: 'Go on', previous_response_id: 'resp_1' }],
    ['conversation', { input: 'Go on', conversation: 'conv_1' }],
    ['conversation', { input: 'Go on', conversation: { id: 'conv_1' } }],
    ['prompt.id', { input: 'Go on', prompt: { id: 'pmpt_1', variables: {} } }],
    [
      'messages.0.content.0.image_url.url',
      asked({ type: 'image_url', image_url: { url: 'https://a.test/b' } }),
    ],
    ['messages.0.content.0.image_url', asked({ type: 'image_url', image_url: 'http://a.test/b' })],
    ['messages.0.content.1.file.file_id', asked({ type: 'text' }, { type: 'file', file: { file_id: 'f' } })],
    [
      'messages.0.content.0.file.file_data',
      asked({ type: 'file', file: { file_data: 'https://a.test/b.pdf' } }),
    ],
    ['messages.0.audio.id', { messages: [{ role: 'assistant', audio: { id: 'audio_1' } }] }],
    ['input.0.content.0.image_url', askedResponses({ type: 'input_image', image_url: 'https://a.test/b' })],
    ['input.0.content.0.file_id', askedResponses({ type: 'input_image', file_id: 'file_1' })],
    ['input.0.content.0.file_url', askedResponses({ type: 'input_file', file_url: 'https://a.test/b' })],
    ['input.0.id', { input: [{ type: 'item_reference', id: 'msg_1' }] }],
    ['input.0.id', { input: [{ id: 'msg_1' }] }],
    [
      'tools.0.vector_store_ids',
      { input: 'Find', tools: [{ type: 'file_search', vector_store_ids: ['v'] }] },
    ],
    [
      'tools.0.container.file_ids',
      { input: 'Run', tools: [{ type: 'code_interpreter', container: { type: 'auto', file_ids: ['f'] } }] },
    ],
    [
      'messages.0.content.0.source.url',
      asked({ type: 'image', source: { type: 'url', url: 'https://a.test/b' } }),
    ],
    [
      'messages.0.content.0.source.file_id',
      asked({ type: 'document', source: { type: 'file', file_id: 'f' } }),
    ],
    ['messages.0.content.0.file_id', asked({ type: 'container_upload', file_id: 'f' })],
    [
      'messages.0.content.0.content.0.source.url',
      asked({
        type: 'tool_result',
        content: [{ type: 'image', source: { type: 'url', url: 'https://a.test' } }],
      }),
    ],
    ['data_sources', { messages: [], data_sources: [{ type: 'azure_search' }] }],
    [
      'messages.0.content.0.document_url',
      asked({ type: 'document_url', document_url: 'https://a.test/b.pdf' }),
    ],
    [
      'messages.0.content.0.document_url.url',
      asked({ type: 'document_url', document_url: { url: 'https://a.test/b.pdf' } }),
    ],
    [
      'messages.0.content.0.input_audio.data',
      asked({ type: 'input_audio', input_audio: { data: 'https://a.test/b.wav', format: 'wav' } }),
    ],
    ['messages.0.content.0.video', asked({ type: 'video', video: ['frame', ' https://a.test/1.jpg'] })],
    ['messages.0.content.0.image', asked({ type: 'image', image: 's3://bucket/b.png' })],
    ['messages.0.content.0.media.uri', asked({ media: { uri: 'gs://bucket/b.pdf' } })],
    ['messages.0.content.0.audio.url', asked({ type: 'audio', audio: { url: 'https://a.test/b' } })],
    [
      'messages.0.content.0.document_url',
      asked({ type: 'web_search_result', url: 'https://a.test', document_url: 'https://a.test/b.pdf' }),
    ],
    ['input.0.output.0.link', { input: [{ type: 'x', output: [{ type: 'y', link: 'https://a.test/b' }] }] }],
    ['system.0.source.file_id', { messages: [], system: [{ type: 'document', source: { file_id: 'f' } }] }],
  ]

  test.each(named)('is rejected with its path: %s', (member, body) => {
    expect(refusedFor(body)).toBe(member)
  })

  test.each(named)('counts as contextTokens when the service sets them: %s', (_, body) => {
    expect(count(body, CONTEXT_TOKENS)).toEqual({
      promptTokens: CONTEXT_TOKENS,
      maxInputTokens: CONTEXT_TOKENS,
    })
  })

  test('combined with media may be charged as the sum of both', () => {
    const body = { ...asked({ type: 'image_url', image_url: png }), conversation: 'conv_1' }
    expect(count(body, CONTEXT_TOKENS).maxInputTokens).toBe(CONTEXT_TOKENS + MEDIA_TOKENS)
  })

  test.each<[string, Record<string, unknown>]>([
    ['null and empty members', { input: 'Hi', previous_response_id: null, conversation: null, prompt: null }],
    ['an item of the answer before', { input: [{ type: 'reasoning', id: 'rs_1', summary: [] }] }],
    ['a message with an id', { input: [{ role: 'assistant', id: 'msg_1', content: [] }] }],
    [
      'a tool whose parameters are called so',
      asked({ type: 'tool_use', input: { file_id: 'f', url: 'https://a' } }),
    ],
    ['a link in a text', asked({ type: 'text', text: 'https://a.test/b.png' })],
    ['a message that is a link', { messages: [{ role: 'user', content: 'https://a.test', name: 'x://y' }] }],
    ['a result that is a link', asked({ type: 'tool_result', tool_use_id: 't', content: 'https://a.test' })],
    [
      'results of a search',
      asked({
        type: 'web_search_tool_result',
        tool_use_id: 's',
        content: [{ type: 'web_search_result', url: 'https://a.test', title: 'A', encrypted_content: 'x' }],
      }),
    ],
    [
      'a result of a fetch',
      asked({
        type: 'web_fetch_tool_result',
        content: { type: 'web_fetch_result', url: 'https://a.test', content: { type: 'document' } },
      }),
    ],
    [
      'a search result of the caller',
      asked({ type: 'search_result', source: 'https://a.test', title: 'https://a.test', content: [] }),
    ],
    [
      'citations',
      askedResponses({
        type: 'output_text',
        text: 'As said',
        annotations: [{ type: 'url_citation', url: 'https://a.test' }],
      }),
    ],
    ['what a shell printed', { input: [{ type: 'x', output: [{ stdout: 'https://a.test is up' }] }] }],
    ['an earlier search', { input: [{ type: 'web_search_call', action: { url: 'https://a.test' } }] }],
    ['the server of a tool', { input: 'Go', tools: [{ type: 'mcp', server_url: 'https://a.test' }] }],
    ['no files', { input: 'Run', tools: [{ type: 'code_interpreter', container: { file_ids: [] } }] }],
  ])('does not include %s', (_, body) => {
    expect(refusedFor(body)).toBeNull()
  })
})

test('says how to send a stored item of an earlier answer itself', () => {
  const body = { input: [{ type: 'item_reference', id: 'msg_1' }] }
  expect(() => count(body)).toThrow('store: false')
})

test.each<[string, Record<string, unknown>]>([
  ['messages.0.content.0.File_Id', asked({ type: 'file', File_Id: 'f' })],
  ['messages.0.content.0.IMAGE_URL', asked({ type: 'image_url', IMAGE_URL: { url: png } })],
  ['messages.0.Content', { messages: [{ role: 'user', content: 'Hi', Content: [] }] }],
  ['input.0.ID', { input: [{ type: 'item_reference', ID: 'msg_1' }] }],
  ['tools.0.Vector_Store_Ids', { input: 'Find', tools: [{ type: 'file_search', Vector_Store_Ids: ['v'] }] }],
])('refuses a member of a prompt that is known but for its case: %s', (member, body) => {
  expect(refusedFor(body)).toBe(member)
})

test('counts a body of a million characters in linear time', () => {
  for (const text of [`${'\n'.repeat(1_000_000)}!`, 'A'.repeat(1_000_000), '='.repeat(1_000_000)]) {
    const body = asked({ type: 'image_url', image_url: { url: `data:image/png;base64,${text}` } })
    expect(count(body).promptTokens).toBeGreaterThan(0)
  }
})

test.each(['{}', '{"A":1}', '[]', '{"type":"text"}'])('counts a megabyte of %s in bounded time', part => {
  const text = Array(Math.ceil(1_000_000 / (part.length + 1))).fill(part)
  const body = { messages: [{ role: 'user', content: JSON.parse(`[${text.join()}]`) as unknown }] }
  const bytes = bytesOf(body)
  const terms = { mediaTokens: MEDIA_TOKENS, contextTokens: null }
  const runs = Array.from({ length: 4 }, () => processorMs(() => countPrompt(body, bytes, terms)))
  expect(Math.min(...runs)).toBeLessThan(COUNT_MS_MAX)
})
