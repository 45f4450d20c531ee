import { type Answer, post } from '../network/http.ts'
import type { LlmCall } from '../provider/llm-provider.ts'
import type { LlmMarket } from './llm-market.ts'

const TEXT = 'What does the ferry cost?'

/** An API of models: its service, request and members of usage. */
export type Shape = {
  readonly name: 'chat' | 'responses' | 'messages'
  readonly service: (market: LlmMarket) => string
  readonly body: (more?: Record<string, unknown>) => Record<string, unknown>
  readonly usage: { readonly input: string; readonly output: string }
}

/** All shapes. */
export const SHAPES: readonly Shape[] = [
  {
    name: 'chat',
    service: market => market.chat,
    body: more => ({
      model: 'test-model',
      messages: [{ role: 'user', content: TEXT }],
      max_tokens: 40,
      ...more,
    }),
    usage: { input: 'prompt_tokens', output: 'completion_tokens' },
  },
  {
    name: 'responses',
    service: market => market.chat,
    body: more => ({ model: 'test-model', input: TEXT, max_output_tokens: 40, ...more }),
    usage: { input: 'input_tokens', output: 'output_tokens' },
  },
  {
    name: 'messages',
    service: market => market.messages,
    body: more => ({
      model: 'test-model',
      messages: [{ role: 'user', content: TEXT }],
      max_tokens: 40,
      ...more,
    }),
    usage: { input: 'input_tokens', output: 'output_tokens' },
  },
]

/** The answer to a usage report. */
export type Reported = {
  readonly status: string
  readonly code: string
  readonly detail: Record<string, unknown>
  readonly invocation: Record<string, unknown>
}

/** Reports the usage of a call with a provider secret. */
export function report(
  on: { readonly url: string },
  secret: string,
  sent: { readonly invocationId: string; readonly usage: Record<string, unknown> },
): Promise<Answer<Reported>> {
  return post<Reported>(on, `/provider/invocations/${sent.invocationId}/usage`, {
    token: secret,
    body: sent.usage,
  })
}

/** Returns the token counts of a call, as the model counted them. */
export function tokensOf(call: LlmCall): { input: number; output: number } {
  if (call.tokens === null) throw new Error('The model counted nothing.')
  return call.tokens
}
