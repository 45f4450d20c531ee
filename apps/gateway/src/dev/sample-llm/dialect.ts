import type { z } from 'zod'
import type { Piece } from './tokenizer.ts'

/** One turn of a conversation, as text. */
export type Turn = {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly text: string
  /** Number of parts that are not text (images, sounds, files). */
  readonly otherParts: number
}

/** A function offered by the caller. `schema` is the JSON Schema of its arguments. */
export type OfferedTool = { readonly name: string; readonly schema: unknown }

/** Whether to call a tool: optional, never, any, or this one. */
export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string }

/** A request for a completion, from any API. */
export type Ask = {
  readonly model: string
  readonly turns: readonly Turn[]
  readonly tools: readonly OfferedTool[]
  readonly toolChoice: ToolChoice
  /** JSON Schema that a text answer has to match. Absent: free text. */
  readonly answerSchema?: unknown
  /** Maximum tokens of the answer; null: no limit. */
  readonly tokensMax: number | null
  /** Stop texts. */
  readonly stops: readonly string[]
  readonly isStream: boolean
  /** Returns no text; only the prompt counts. Absent: no. */
  readonly isSilent?: true
  /** OpenAI: a final chunk with the usage. */
  readonly includeUsage: boolean
}

/** A reply of the sample model. */
export type Reply = {
  /** Null: text; otherwise the name of the called tool, with its JSON arguments as pieces. */
  readonly toolName: string | null
  readonly pieces: readonly Piece[]
  /** Why it ended: finished, a stop text, or the token limit. */
  readonly end: 'done' | 'stop' | 'length'
  /** The matched stop text. */
  readonly stop: string | null
}

/** A reply with its metadata. */
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
  /** Number of completion tokens in it. */
  readonly tokens: number
  /** `usage` for the event with the final usage, `end` for one that closes the stream after it. */
  readonly part: 'body' | 'usage' | 'end'
}

/** A model API: parses its requests and formats its answers. */
export type Dialect = {
  /** Path of its endpoint. */
  readonly path: string
  /** @throws Refusal for an invalid body */
  read(body: unknown): Ask
  /** Returns the complete answer. */
  whole(completion: Completion): object
  /** Returns the events of a streamed answer. */
  events(completion: Completion): Iterable<LlmEvent>
  /** Returns an error in its format. */
  error(refusal: Refusal): object
}

/** A request that is answered with an error. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: number
  /** The faulty member, such as `messages.0.role`, or null. */
  readonly param: string | null

  constructor(status: number, message: string, param: string | null = null) {
    super(message)
    this.status = status
    this.param = param
  }
}

/**
 * Parses a body by its schema.
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

/** Returns the text of all pieces. */
export const textOf = (pieces: readonly Piece[]): string => pieces.map(({ text }) => text).join('')
