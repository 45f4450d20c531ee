import { hash } from 'node:crypto'
import { z } from 'zod'
import { TURNS_MAX, turnOf } from './ask-parts.ts'
import { chatCompletions } from './chat-completions.ts'
import { type Ask, type Dialect, parseBody } from './dialect.ts'

const DIMENSIONS_DEFAULT = 256
const DIMENSIONS_MAX = 1_536
const WORD = /[\p{L}\p{N}]+/gu

const body = z.looseObject({
  model: z.string().min(1),
  input: z.union(
    [z.string().min(1), z.array(z.string().min(1)).min(1).max(TURNS_MAX)],
    'Must be text, or a list of it.',
  ),
  encoding_format: z.enum(['float', 'base64']).nullish(),
  dimensions: z.int().min(1).max(DIMENSIONS_MAX).nullish(),
})

type EmbeddingsAsk = Ask & { readonly dimensions: number; readonly isBase64: boolean }

/** OpenAI Embeddings, `POST /v1/embeddings`: texts with the same words are near to each other. */
export const embeddings: Dialect = {
  path: '/v1/embeddings',
  read(given): EmbeddingsAsk {
    const { model, input, encoding_format, dimensions } = parseBody(body, given)
    return {
      model,
      turns: [input].flat().map(text => turnOf('user', text)),
      tools: [],
      toolChoice: 'none',
      tokensMax: null,
      stops: [],
      isStream: false,
      isSilent: true,
      includeUsage: false,
      dimensions: dimensions ?? DIMENSIONS_DEFAULT,
      isBase64: encoding_format === 'base64',
    }
  },
  whole({ ask, inputTokens }) {
    const { turns, model, dimensions, isBase64 } = ask as EmbeddingsAsk
    const vectors = turns.map(({ text }) => vectorOf(text, dimensions))
    const data = vectors.map((vector, index) => ({
      object: 'embedding',
      index,
      embedding: isBase64 ? Buffer.from(vector.buffer).toString('base64') : [...vector],
    }))
    return {
      object: 'list',
      data,
      model,
      usage: { prompt_tokens: inputTokens, total_tokens: inputTokens },
    }
  },
  events: () => [],
  error: chatCompletions.error,
}

/** A unit vector of a text: each word points in a direction of its own. */
function vectorOf(text: string, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions)
  for (const [word] of text.toLowerCase().matchAll(WORD)) {
    const digest = hash('sha256', word, 'buffer')
    const at = digest.readUInt32BE(0) % dimensions
    vector[at] = (vector[at] ?? 0) + ((digest[4] ?? 0) % 2 === 0 ? 1 : -1)
  }
  const length = Math.hypot(...vector) || 1
  return vector.map(value => value / length)
}
