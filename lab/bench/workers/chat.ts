import type { Script } from './messages.ts'

/** Bound on the output that every request sends along. */
const MAX_TOKENS = 512

/** A request to the bench's model, about as long as a short question is. */
export function chatRequest(script: Script, number: number) {
  return {
    model: 'bench',
    messages: [
      { role: 'system', content: 'You are the purser of a ferry and answer in one sentence.' },
      { role: 'user', content: 'What does the crossing cost, and will the books balance tonight?' },
    ],
    max_tokens: MAX_TOKENS,
    number,
    bench: script,
  }
}

/** Members that the gateway adds to such a request; a direct caller sends them itself. */
export const STREAMED = { stream: true, stream_options: { include_usage: true } } as const
