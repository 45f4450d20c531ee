import { chatIn, completionsIn, embeddingsIn, responsesIn } from '@farebox/wire/compat'
import type { CompatApi } from './compat-api.ts'
import { type StreamGrammar, typeOf } from './event-sink.ts'
import type { Failure } from './failure-rules.ts'
import { isErrorChunk, isUsageChunk, openAiError, responsesErrorEvent } from './openai-rules.ts'
import { chatEvents, completionEvents, responsesEvents } from './whole-answer-rules.ts'

/** Events that complete a stream of the Responses API, and events that fail it. */
const RESPONSES_LAST: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete'])
const RESPONSES_FAILED: ReadonlySet<string> = new Set(['response.failed', 'error'])

/** Formats a failure for OpenAI's API. */
function formatOpenAiError(failure: Failure, requestId: string): { status: number; body: object } {
  const { status, error } = openAiError(failure, requestId)
  return { status, body: { error } }
}

/** `POST /v1/chat/completions`. */
export const chatApi: CompatApi = {
  dialect: 'openai',
  shape: 'chat',
  bodyIn: chatIn,
  formatFailure: formatOpenAiError,
  streaming: {
    grammarFor: (body, requestId) =>
      chatGrammar(chatIn.parse(body).stream_options?.include_usage === true, requestId),
    eventsOf: chatEvents,
  },
}

/** `POST /v1/completions`. */
export const completionsApi: CompatApi = {
  dialect: 'openai',
  shape: 'completions',
  bodyIn: completionsIn,
  formatFailure: formatOpenAiError,
  streaming: {
    grammarFor: (body, requestId) =>
      chatGrammar(completionsIn.parse(body).stream_options?.include_usage === true, requestId),
    eventsOf: completionEvents,
  },
}

/** `POST /v1/embeddings`. */
export const embeddingsApi: CompatApi = {
  dialect: 'openai',
  shape: 'embeddings',
  bodyIn: embeddingsIn,
  formatFailure: formatOpenAiError,
  streaming: null,
}

/** `POST /v1/responses`. */
export const responsesApi: CompatApi = {
  dialect: 'openai',
  shape: 'responses',
  bodyIn: responsesIn,
  formatFailure: formatOpenAiError,
  streaming: {
    grammarFor: (_body, requestId) => responsesGrammar(requestId),
    eventsOf: responsesEvents,
  },
}

function chatGrammar(wantsUsage: boolean, requestId: string): StreamGrammar {
  return {
    kindOf({ data }) {
      if (!wantsUsage && isUsageChunk(data)) return 'unasked'
      return isErrorChunk(data) ? 'failed' : 'more'
    },
    endMark: 'data: [DONE]\n\n',
    failureEvent: failure => `data: ${JSON.stringify(formatOpenAiError(failure, requestId).body)}\n\n`,
  }
}

function responsesGrammar(requestId: string): StreamGrammar {
  return {
    kindOf(event) {
      const type = typeOf(event)
      if (RESPONSES_LAST.has(type)) return 'last'
      return RESPONSES_FAILED.has(type) ? 'failed' : 'more'
    },
    endMark: '',
    failureEvent(failure, last) {
      const event = responsesErrorEvent(openAiError(failure, requestId).error, last)
      return `event: error\ndata: ${JSON.stringify(event)}\n\n`
    },
  }
}
