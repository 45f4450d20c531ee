import { messagesIn } from '@farebox/wire/compat'
import { GatewayError } from '@farebox/wire/errors'
import type { FastifyRequest } from 'fastify'
import { invalidPayload } from '../../http/errors.ts'
import type { Rate } from '../credentials/draw-budgets.ts'
import type { Agent } from '../credentials/require-agent.ts'
import { takeCallPlaces } from '../invocation/admission/call-places.ts'
import type { InvocationDeps } from '../invocation/invoke-service.ts'
import { countPromptTokens, type TokenCount } from '../invocation/provider/count-prompt-tokens.ts'
import { anthropicError } from './anthropic-rules.ts'
import type { CompatApi } from './compat-api.ts'
import { typeOf } from './event-sink.ts'
import { ABSENT, noSuchModel, passedOnHeaders } from './read-model-call.ts'
import { messageEvents } from './whole-answer-rules.ts'

/** `POST /v1/messages`. */
export const messagesApi: CompatApi = {
  dialect: 'anthropic',
  shape: 'messages',
  bodyIn: messagesIn,
  formatFailure: anthropicError,
  streaming: {
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
  },
}

/**
 * `POST /v1/messages/count_tokens`: returns the input tokens of a message, by its provider or estimated. Free; counts
 * towards the rate limit of the credential only.
 *
 * @param onRate called with the rate once the request is counted
 * @throws GatewayError RATE_LIMITED, UNAVAILABLE, INVALID_PAYLOAD, SERVICE_NOT_FOUND, SERVICE_NOT_ALLOWED,
 *   UPSTREAM_ERROR
 */
export async function countTokens(
  deps: InvocationDeps,
  agent: Agent,
  request: Pick<FastifyRequest, 'body' | 'headers'>,
  onRate: (rate: Rate) => void,
): Promise<TokenCount> {
  const leave = takeCallPlaces(deps, { owner: agent.owner, isStream: false })
  if (leave instanceof GatewayError) throw leave
  try {
    onRate(await deps.calls.count(agent))
    const parsed = messagesIn.safeParse(request.body ?? {})
    if (!parsed.success) throw invalidPayload(parsed.error)
    const passedOn = passedOnHeaders(request.headers)
    if (passedOn instanceof GatewayError) throw passedOn
    const { model } = parsed.data
    const service = await deps.directory.find(model)
    if (service === null) throw noSuchModel(model, ABSENT)
    const { id, agentToolName, pricing } = service
    if (pricing.model === 'fixed') throw noSuchModel(model, 'is a service of another kind.')
    const { allowedServices: allowed } = agent
    const isAllowed = allowed === null || [id, agentToolName, model].some(name => allowed.has(name))
    if (!isAllowed) throw new GatewayError('SERVICE_NOT_ALLOWED', { serviceId: id })
    return await countPromptTokens(deps, {
      service: { ...service, pricing },
      owner: agent.owner,
      body: request.body as Readonly<Record<string, unknown>>,
      passedOn,
    })
  } finally {
    leave()
  }
}
