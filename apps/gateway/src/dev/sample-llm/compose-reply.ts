import { composeAfterTool, composeText, keyWordsOf } from './compose-text.ts'
import type { Ask, OfferedTool, Reply, Turn } from './dialect.ts'
import type { Piece, Tokenizer } from './tokenizer.ts'
import { type Stuff, valueOfSchema } from './value-of-schema.ts'

/** Maximum tokens of an answer without a limit. */
const TOKENS_MAX = 4_096

/**
 * Composes the reply: a tool call if the user's last message names an offered tool or the caller requires one,
 * otherwise text, or JSON if its schema is given. The token limit is exact.
 *
 * @param text replaces the composed text
 * @returns the reply and its tokens
 */
export function composeReply(
  ask: Ask,
  tokenizer: Tokenizer,
  text?: string,
): { reply: Reply; tokens: number } {
  const tokensMax = Math.min(ask.tokensMax ?? TOKENS_MAX, TOKENS_MAX)
  const last = ask.turns.findLast(turn => turn.role === 'user' || turn.role === 'tool')
  const prompt = ask.turns.findLast(turn => turn.role === 'user')?.text ?? ''
  const tool = text === undefined && last?.role !== 'tool' ? toolToCall(ask, prompt) : undefined
  if (tool !== undefined) {
    const nameTokens = tokenizer.count(tool.name)
    if (nameTokens < tokensMax) {
      const pieces = tokenizer.pieces(JSON.stringify(argumentsOf(tool, prompt)))
      const { kept, tokens, isCut } = cut(pieces, tokensMax - nameTokens)
      const reply = { toolName: tool.name, pieces: kept, end: isCut ? 'length' : 'done', stop: null } as const
      return { reply, tokens: tokens + nameTokens }
    }
  }
  return textReply(ask, tokenizer.pieces, { text: text ?? ownText(ask, prompt, last), tokensMax })
}

function ownText({ answerSchema }: Ask, prompt: string, last: Turn | undefined): string {
  if (answerSchema !== undefined)
    return JSON.stringify(valueOfSchema(answerSchema, stuffOf(prompt, keyWordsOf(prompt))))
  return last?.role === 'tool' ? composeAfterTool(prompt, last.text) : composeText(prompt)
}

function textReply(ask: Ask, pieces: Tokenizer['pieces'], given: { text: string; tokensMax: number }) {
  const { text, tokensMax } = given
  const stops = ask.stops
    .map(stop => ({ stop, at: text.indexOf(stop) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at)
  const [first] = stops
  const { kept, tokens, isCut } = cut(pieces(text.slice(0, first?.at)), tokensMax)
  const end = isCut ? 'length' : first === undefined ? 'done' : 'stop'
  const reply: Reply = {
    toolName: null,
    pieces: kept,
    end,
    stop: end === 'stop' ? (first?.stop ?? null) : null,
  }
  return { reply, tokens }
}

/** Returns the pieces that fit into `tokensMax`. */
function cut(pieces: readonly Piece[], tokensMax: number) {
  let tokens = 0
  let count = 0
  for (const piece of pieces) {
    if (tokens + piece.tokens > tokensMax) break
    tokens += piece.tokens
    count += 1
  }
  return { kept: pieces.slice(0, count), tokens, isCut: count < pieces.length }
}

function toolToCall({ tools, toolChoice }: Ask, prompt: string): OfferedTool | undefined {
  if (toolChoice === 'none') return undefined
  if (typeof toolChoice === 'object') return tools.find(({ name }) => name === toolChoice.name)
  const said = prompt.toLowerCase()
  const named = tools.find(({ name }) =>
    [name, name.replaceAll(/[_-]/g, ' ')].some(form => said.includes(form.toLowerCase())),
  )
  return named ?? (toolChoice === 'required' ? tools[0] : undefined)
}

/** Returns arguments by the tool's schema, from the prompt without the tool's name. */
function argumentsOf(tool: OfferedTool, prompt: string): unknown {
  const nameWords = tool.name.toLowerCase().split(/[_-]/)
  const words = keyWordsOf(prompt).filter(
    word => ![tool.name.toLowerCase(), ...nameWords].includes(word.toLowerCase()),
  )
  const value = valueOfSchema(tool.schema, stuffOf(prompt, words))
  return typeof value === 'object' && value !== null ? value : {}
}

function stuffOf(prompt: string, words: readonly string[]): Stuff {
  const number = /-?\d+(\.\d+)?/.exec(prompt)?.[0]
  return { words, number: number === undefined ? null : Number(number) }
}
