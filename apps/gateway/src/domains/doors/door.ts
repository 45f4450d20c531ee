import type { LlmDialect } from '@farebox/wire/llm-terms'
import type { z } from 'zod'
import type { StreamGrammar } from './event-sink.ts'
import type { Failure } from './failure-rules.ts'
import type { ToldEvent } from './whole-answer-rules.ts'

/** The face of an API by which models are called. */
export type Door = {
  /** The dialect of the services behind it. */
  readonly dialect: LlmDialect
  /** What of a request is read here; it goes on as it came. */
  readonly bodyIn: z.ZodType<{ model: string; stream?: boolean | null | undefined }>
  readonly tellFailure: TellFailure
  /** @param body a request that `bodyIn` takes */
  grammarFor(body: unknown, requestId: string): StreamGrammar
  /** The events of an answer that came whole although a stream was asked for. */
  eventsOf(answer: Readonly<Record<string, unknown>>): readonly ToldEvent[]
}

/** Status and body by which an API's clients are told of a failure. */
export type TellFailure = (failure: Failure, requestId: string) => { status: number; body: object }
