import { randomUUID } from 'node:crypto'
import { composeReply } from './compose-reply.ts'
import type { Ask, Completion, Reply } from './dialect.ts'
import type { Tokenizer } from './tokenizer.ts'

/** Tokens that frame a turn, and those that start the answer, as counted by OpenAI's chat models. */
const TOKENS_PER_TURN = 3
const TOKENS_TO_BEGIN = 3
/** Tokens of a part that is not text: an image at low detail. */
const TOKENS_PER_OTHER_PART = 85

/**
 * Answers a request: composes the reply and counts input and output tokens.
 *
 * @param text replaces the composed text
 */
export function complete(ask: Ask, tokenizer: Tokenizer, text?: string): Completion {
  const isSilent = ask.isSilent === true
  const { reply, tokens } = isSilent ? SILENCE : composeReply(ask, tokenizer, text)
  return {
    ask,
    reply,
    id: randomUUID().replaceAll('-', ''),
    createdAt: Math.floor(Date.now() / 1_000),
    inputTokens: countInput(ask, tokenizer),
    outputTokens: tokens,
  }
}

const SILENCE: { reply: Reply; tokens: number } = {
  reply: { toolName: null, pieces: [], end: 'done', stop: null },
  tokens: 0,
}

function countInput(ask: Ask, tokenizer: Tokenizer): number {
  const turns = ask.turns.map(
    ({ role, text, otherParts }) =>
      TOKENS_PER_TURN + tokenizer.count(role) + tokenizer.count(text) + otherParts * TOKENS_PER_OTHER_PART,
  )
  const tools = ask.tools.length === 0 ? 0 : tokenizer.count(JSON.stringify(ask.tools))
  return turns.reduce((sum, tokens) => sum + tokens, TOKENS_TO_BEGIN + tools)
}
