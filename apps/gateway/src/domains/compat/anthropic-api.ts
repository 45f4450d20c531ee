import { messagesIn } from '@farebox/wire/compat'
import { anthropicError } from './anthropic-rules.ts'
import type { CompatApi } from './compat-api.ts'
import { typeOf } from './event-sink.ts'
import { messageEvents } from './whole-answer-rules.ts'

/** `POST /v1/messages`. */
export const messagesApi: CompatApi = {
  dialect: 'anthropic',
  bodyIn: messagesIn,
  formatFailure: anthropicError,
  grammarFor: (_body, requestId) => ({
    kindOf(event) {
      const type = typeOf(event)
      if (type === 'message_stop') return 'last'
      return type === 'error' ? 'failed' : 'more'
    },
    endMark: '',
    failureEvent: failure =>
      `event: error\ndata: ${JSON.stringify(anthropicError(failure, requestId).body)}\n\n`,
  }),
  eventsOf: messageEvents,
}
