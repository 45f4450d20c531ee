import type { z } from 'zod'
import type { Piece } from './tokenizer.ts'

/** One turn of a conversation, as text. */
export type Turn = {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly text: string
  /** Parts that are no text (images, sounds, files). */
  readonly otherParts: number
}

/** A function that the caller offers. `schema` is the JSON Schema of its arguments. */
export type OfferedTool = { readonly name: string; readonly schema: unknown }

/** Whether a tool is to be called: as the sample likes, never, any, or the one of this name. */
export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string }

/** A request for a completion, whatever API it came by. */
export type Ask = {
  readonly model: string
  readonly turns: readonly Turn[]
  readonly tools: readonly OfferedTool[]
  readonly toolChoice: ToolChoice
  /** Most tokens of the answer; null when the caller sets no limit. */
  readonly tokensMax: number | null
  /** Texts before which the answer ends. */
  readonly stops: readonly string[]
  readonly isStream: boolean
  /** OpenAI chat: a last chunk tells the usage. */
  readonly includeUsage: boolean
}

/** What the sample model says. */
export type Reply = {
  /** Null: it answers with text; otherwise it calls this tool and the pieces are its arguments as JSON. */
  readonly toolName: string | null
  readonly pieces: readonly Piece[]
  /** Why it ends: it was done, it met a stop text, or the limit of tokens. */
  readonly end: 'done' | 'stop' | 'length'
  /** The stop text that it met. */
  readonly stop: string | null
}

/** A reply with what goes around it. */
export type Completion = {
  readonly ask: Ask
  readonly reply: Reply
  /** Random, for the ids of the answer. */
  readonly id: string
  /** Unix seconds. */
  readonly createdAt: number
  readonly inputTokens: number
  readonly outputTokens: number
}

/** One event of a stream. */
export type LlmEvent = {
  /** Its `event:` line; null: none. */
  readonly name: string | null
  readonly data: object | '[DONE]'
  /** Tokens of the completion that it brings. */
  readonly tokens: number
  /** `usage` on the event with the final usage, `end` on one that closes the stream after it. */
  readonly part: 'body' | 'usage' | 'end'
}

/** An API of models: how its requests are read and its answers are shaped. */
export type Dialect = {
  /** Path of its endpoint. */
  readonly path: string
  /** @throws Refusal when the body is none of its requests */
  read(body: unknown): Ask
  /** The answer in one piece. */
  whole(completion: Completion): object
  /** The answer in events. */
  events(completion: Completion): Iterable<LlmEvent>
  /** An error in its shape. */
  error(refusal: Refusal): object
}

/** A request that gets an error. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: number
  /** The member at fault, `messages.0.role`; null when it is none in particular. */
  readonly param: string | null

  constructor(status: number, message: string, param: string | null = null) {
    super(message)
    this.status = status
    this.param = param
  }
}

/**
 * Reads a body by its schema.
 *
 * @throws Refusal 400 with the first fault
 */
export function parseBody<Output>(schema: z.ZodType<Output>, body: unknown): Output {
  const { success, data, error } = schema.safeParse(body)
  if (success) return data
  const [issue] = error.issues
  const param = issue?.path.join('.') || null
  throw new Refusal(400, `${param === null ? 'The body' : `'${param}'`}: ${issue?.message}`, param)
}

/** The text of all pieces. */
export const textOf = (pieces: readonly Piece[]): string => pieces.map(({ text }) => text).join('')
