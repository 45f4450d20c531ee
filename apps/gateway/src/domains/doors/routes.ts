import { modelPathIn, modelsIn } from '@farebox/wire/doors'
import { type ErrorCode, GatewayError } from '@farebox/wire/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../app.ts'
import { asGatewayError, logFailure } from '../../http/errors.ts'
import type { Agent, AgentGuard } from '../credentials/require-agent.ts'
import type { InvocationDeps } from '../invocation/invoke-service.ts'
import { answerCall } from './answer-call.ts'
import { messagesDoor } from './anthropic-door.ts'
import { anthropicModel, pageOfModels } from './anthropic-rules.ts'
import type { Door } from './door.ts'
import { failureOf } from './failure-rules.ts'
import { findModel, listModels } from './list-models.ts'
import { chatDoor, responsesDoor } from './openai-doors.ts'
import { openAiModel } from './openai-rules.ts'
import { sendFailure } from './send-failure.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The credential that pays for a call through a door. */
    payer?: Agent
    /** Set once such a call is on its way: what fails from then on is no fault of its body. */
    isModelCallRead?: boolean
  }
}

const METHODS = ['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT'] as const

/**
 * The doors of existing clients, below `/v1`: whoever calls a model by OpenAI's or Anthropic's API finds the same here,
 * errors included. Everything that moves money is the one use-case of invocation.
 */
export function doorRoutes(app: App, deps: InvocationDeps & { agents: AgentGuard }): void {
  const requirePayer = async (request: FastifyRequest) => {
    request.payer = await deps.agents.authenticate(request.headers)
  }
  app.addHook('onRequest', async (request, reply) => {
    reply.header('request-id', request.id)
  })
  app.setErrorHandler((thrown, request, reply) => {
    const error = asGatewayError(thrown)
    logFailure(deps.log, error, request.id)
    return refuse(request, reply, error)
  })
  app.setNotFoundHandler((request, reply) => {
    const path = pathOf(request)
      .replace(/\/$/, '')
      .replace(/^(\/v1\/models)\/[^/]+$/, '$1/:id')
    const allowed = METHODS.filter(method => app.hasRoute({ method, url: path }))
    if (allowed.length > 0) reply.header('allow', allowed.join(', '))
    const code: ErrorCode = allowed.length > 0 ? 'METHOD_NOT_ALLOWED' : 'NOT_FOUND'
    return refuse(request, reply, new GatewayError(code))
  })

  const modelRoute = (path: string, door: Door) =>
    app.post(
      path,
      {
        onRequest: requirePayer,
        errorHandler: async (error, request, reply) => {
          if (request.payer === undefined || request.isModelCallRead === true) throw error
          const visit = { request, reply, agent: request.payer, unread: asGatewayError(error) }
          return answerCall(deps, door, visit)
        },
      },
      async (request, reply) => {
        const { payer: agent } = request
        if (agent === undefined) throw new GatewayError('CREDENTIAL_INVALID')
        request.isModelCallRead = true
        return answerCall(deps, door, { request, reply, agent })
      },
    )
  modelRoute('/chat/completions', chatDoor)
  modelRoute('/responses', responsesDoor)
  modelRoute('/messages', messagesDoor)

  app.get('/models', { onRequest: requirePayer, schema: { querystring: modelsIn } }, async request => {
    const { payer: agent } = request
    if (agent === undefined) throw new GatewayError('CREDENTIAL_INVALID')
    const { dialect } = doorOf(request)
    const models = await listModels(deps, { dialect, agent })
    if (dialect === 'openai') return { object: 'list', data: models.map(openAiModel) }
    return pageOfModels(models.map(anthropicModel), request.query)
  })

  app.get('/models/:id', { onRequest: requirePayer, schema: { params: modelPathIn } }, async request => {
    const { dialect } = doorOf(request)
    const model = await findModel(deps, { dialect, model: request.params.id })
    return dialect === 'openai' ? openAiModel(model) : anthropicModel(model)
  })
}

function refuse(request: FastifyRequest, reply: FastifyReply, error: GatewayError): FastifyReply {
  return sendFailure(reply, request, { failure: failureOf(error), tellFailure: doorOf(request).tellFailure })
}

/** The API that a client of a request speaks: Anthropic's clients always tell the version that they were made for. */
function doorOf(request: FastifyRequest): Door {
  const isAnthropic = request.headers['anthropic-version'] !== undefined
  if (pathOf(request).startsWith('/v1/messages')) return messagesDoor
  return isAnthropic && pathOf(request).startsWith('/v1/models') ? messagesDoor : chatDoor
}

function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] ?? ''
}
