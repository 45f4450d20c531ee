import type { LlmDialect } from '@farebox/wire/model-kinds'
import type { z } from 'zod'
import type { Call } from '../invocation/invoke-service.ts'
import type { StreamGrammar } from './event-sink.ts'
import type { Failure } from './failure-rules.ts'
import type { ApiStreamEvent } from './whole-answer-rules.ts'

/** An API for calling models. */
export type CompatApi = {
  /** Dialect of the services that it calls. */
  readonly dialect: LlmDialect
  readonly shape: NonNullable<Call['shape']>
  /** Members of the request that the gateway reads. The request is forwarded unchanged. */
  readonly bodyIn: z.ZodType<{ model?: string | null | undefined; stream?: boolean | null | undefined }>
  readonly formatFailure: FormatFailure
  /** Null: its responses are never streamed. */
  readonly streaming: Streaming | null
}

/** How an API streams. */
export type Streaming = {
  /** Returns the stream grammar for a request that `bodyIn` accepts. */
  grammarFor(body: unknown, requestId: string): StreamGrammar
  /** Returns the events for a complete response, if the caller requested a stream. */
  eventsOf(answer: Readonly<Record<string, unknown>>): readonly ApiStreamEvent[]
}

/** Returns status and body of a failure in the format of an API. */
export type FormatFailure = (failure: Failure, requestId: string) => { status: number; body: object }
