import type { EventStream } from '@farebox/client'
import { GatewayError } from '@farebox/client/errors'
import { api } from '../../api.ts'
import { isObject } from './schema-fields.ts'
import type { Model } from './service-kinds.ts'

/** Parameters of a model; empty ones are not sent. */
export type Parameters = {
  readonly system: string
  readonly maxTokens: number | null
  readonly temperature: number | null
  readonly topP: number | null
}

/** A message of the conversation. */
export type Said = { readonly role: 'user' | 'assistant'; readonly content: string }

/** Returns the request body for the API of the model. */
export function bodyOf(model: Model, said: readonly Said[], parameters: Parameters) {
  const { system, maxTokens, temperature, topP } = parameters
  const isAnthropic = model.llmDialect === 'anthropic'
  const hasSystem = system.trim() !== ''
  const common = {
    model: model.agentToolName,
    stream: true,
    ...(temperature !== null && { temperature }),
    ...(topP !== null && { top_p: topP }),
  }
  if (isAnthropic)
    return {
      ...common,
      // The Anthropic API requires this member.
      max_tokens: maxTokens ?? model.defaultMaxOutputTokens,
      ...(hasSystem && { system }),
      messages: said,
    }
  return {
    ...common,
    ...(maxTokens !== null && { max_tokens: maxTokens }),
    messages: hasSystem ? [{ role: 'system' as const, content: system }, ...said] : said,
  }
}

/** Sends a conversation to a model. Read the answer with {@link textsOf}. */
export function askModel(
  model: Model,
  body: ReturnType<typeof bodyOf>,
  how: { credential: string; key: string; signal: AbortSignal },
): Promise<EventStream> {
  const input = {
    body: { ...body, messages: [...body.messages] },
    credential: how.credential,
    idempotencyKey: how.key,
    signal: how.signal,
  }
  return model.llmDialect === 'anthropic'
    ? api.stream('createMessage', input)
    : api.stream('createChatCompletion', input)
}

/**
 * Yields the text of an answer as it arrives.
 *
 * @throws GatewayError the error that ends the stream, if any
 */
export async function* textsOf(stream: EventStream): AsyncGenerator<string, void, void> {
  for await (const { data } of stream) {
    if (data === '[DONE]') return
    const message = parse(data)
    if (message === null) continue
    if (message.type === 'message_stop') return
    const text = textOf(message)
    if (text !== '') yield text
  }
  throw new GatewayError('UPSTREAM_ERROR', 'The response was cut off.')
}

function textOf(message: Record<string, unknown>): string {
  const { delta } = message
  // Anthropic: content_block_delta.
  if (isObject(delta)) return typeof delta.text === 'string' ? delta.text : ''
  const [choice] = Array.isArray(message.choices) ? message.choices : []
  if (!isObject(choice) || !isObject(choice.delta)) return ''
  return typeof choice.delta.content === 'string' ? choice.delta.content : ''
}

function parse(data: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(data)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}
