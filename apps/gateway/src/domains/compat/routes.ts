import {
  anthropicErrorAnswer,
  modelAnswer,
  modelPathIn,
  modelsAnswer,
  modelsIn,
  openAiErrorAnswer,
} from '@farebox/wire/compat'
import { GatewayError } from '@farebox/wire/errors'
import type { LlmDialect } from '@farebox/wire/model-kinds'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { App } from '../../app.ts'
import { asGatewayError, logFailure } from '../../http/errors.ts'
import { type Contract, contract } from '../../http/openapi/contract.ts'
import { methodNotAllowed, notFoundAt } from '../../http/unknown-paths.ts'
import type { Agent, AgentGuard } from '../credentials/require-agent.ts'
import type { InvocationDeps } from '../invocation/invoke-service.ts'
import { rateOf, writeRate } from '../invocation/rate-headers.ts'
import { createFamilyRanking } from '../services/rank-family.ts'
import { answerCall } from './answer-call.ts'
import { countTokens, messagesApi } from './anthropic-api.ts'
import { anthropicModel, pageOfModels } from './anthropic-rules.ts'
import type { CompatApi } from './compat-api.ts'
import {
  chatContract,
  completionsContract,
  countTokensContract,
  embeddingsContract,
  messagesContract,
  modelExample,
  responsesContract,
} from './contracts.ts'
import { failureOf } from './failure-rules.ts'
import { findModel, listModels, type ModelEntry, marketFieldsOf } from './list-models.ts'
import { chatApi, completionsApi, embeddingsApi, responsesApi } from './openai-apis.ts'
import { openAiModel } from './openai-rules.ts'
import { createRefusedRequests } from './retries/refused-requests.ts'
import { sendFailure } from './send-failure.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The credential that pays for a call through a compatible API. */
    payer?: Agent
    /** True once the call is in progress; later errors are not about its body. */
    isModelCallRead?: boolean
  }
}

const METHODS = ['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT'] as const

/**
 * Registers the OpenAI and Anthropic compatible APIs below `/v1`, including their error formats. All calls go through
 * the invocation domain.
 */
export function compatRoutes(app: App, deps: InvocationDeps & { agents: AgentGuard }): void {
  const calling = { ...deps, families: createFamilyRanking(deps), refused: createRefusedRequests() }
  const payerOf = async (request: FastifyRequest) => {
    request.payer = await deps.agents.authenticate(request.headers)
    return request.payer
  }
  const requirePayer = async (request: FastifyRequest) => {
    await payerOf(request)
  }
  app.addHook('onRequest', async (request, reply) => {
    reply.header('request-id', request.id)
  })
  app.setErrorHandler((thrown, request, reply) => {
    const error = asGatewayError(thrown, request)
    logFailure(deps.log, error, request.id)
    return refuse(request, reply, error)
  })
  app.setNotFoundHandler((request, reply) => {
    const path = pathOf(request)
      .replace(/\/$/, '')
      .replace(/^(\/v1\/models)\/[^/]+$/, '$1/:id')
    const allowed = METHODS.filter(method => app.hasRoute({ method, url: path }))
    const error = allowed.length > 0 ? methodNotAllowed(reply, allowed) : notFoundAt(request)
    return refuse(request, reply, error)
  })

  const modelRoute = (path: string, api: CompatApi, about: Contract) =>
    app.post(
      path,
      {
        ...contract(about),
        onRequest: async (request, reply) => {
          const { owner } = await payerOf(request)
          const shed = deps.calls.shed(owner)
          return shed === null ? undefined : refuse(request, reply, shed)
        },
        errorHandler: async (error, request, reply) => {
          if (request.payer === undefined || request.isModelCallRead === true) throw error
          const visit = { request, reply, agent: request.payer, unread: asGatewayError(error, request) }
          return answerCall(calling, api, visit)
        },
      },
      async (request, reply) => {
        const { payer: agent } = request
        if (agent === undefined) throw new GatewayError('CREDENTIAL_INVALID')
        request.isModelCallRead = true
        return answerCall(calling, api, { request, reply, agent })
      },
    )
  modelRoute('/chat/completions', chatApi, chatContract)
  modelRoute('/responses', responsesApi, responsesContract)
  modelRoute('/completions', completionsApi, completionsContract)
  modelRoute('/embeddings', embeddingsApi, embeddingsContract)
  modelRoute('/messages', messagesApi, messagesContract)
  app.post(
    '/messages/count_tokens',
    { ...contract(countTokensContract), onRequest: requirePayer },
    async (request, reply) => {
      const { payer: agent } = request
      if (agent === undefined) throw new GatewayError('CREDENTIAL_INVALID')
      const { text, isEstimated } = await countTokens(deps, agent, request, rate => writeRate(reply, rate))
      if (isEstimated) reply.header('farebox-estimated', 'true')
      return reply.header('content-type', 'application/json; charset=utf-8').send(text)
    },
  )
  lists(app, deps, requirePayer)
}

function lists(
  app: App,
  deps: InvocationDeps,
  requirePayer: (request: FastifyRequest) => Promise<void>,
): void {
  const common = {
    tag: 'Discovery',
    access: 'agent',
    errorAnswer: z.union([openAiErrorAnswer, anthropicErrorAnswer]),
  } as const

  app.get(
    '/models',
    {
      ...contract(
        {
          ...common,
          id: 'listModels',
          summary: 'List the models that can be called',
          description:
            "In OpenAI's shape: all of them that the credential may call. In Anthropic's shape, with pages, for requests with `anthropic-version`.",
          answer: modelsAnswer,
          example: { object: 'list', data: [modelExample] },
        },
        { querystring: modelsIn },
      ),
      onRequest: requirePayer,
    },
    async request => {
      const { payer: agent } = request
      if (agent === undefined) throw new GatewayError('CREDENTIAL_INVALID')
      const { dialect } = compatApiOf(request)
      const models = await listModels(deps, { dialect, agent })
      const data = models.map(model => formatModel(dialect, model))
      return dialect === 'openai' ? { object: 'list', data } : pageOfModels(data, request.query)
    },
  )

  app.get(
    '/models/:id',
    {
      ...contract(
        {
          ...common,
          id: 'readModel',
          summary: 'Read a model',
          description: "In OpenAI's shape, or in Anthropic's for requests with `anthropic-version`.",
          errors: ['SERVICE_NOT_FOUND'],
          answer: modelAnswer,
          example: modelExample,
        },
        { params: modelPathIn },
      ),
      onRequest: requirePayer,
    },
    async request => {
      const { dialect } = compatApiOf(request)
      const found = await findModel(deps, { dialect, model: request.params.id })
      return formatModel(dialect, found)
    },
  )
}

/** Formats a model for the API of a dialect. */
function formatModel(dialect: LlmDialect, model: ModelEntry) {
  const own = dialect === 'openai' ? openAiModel(model) : anthropicModel(model)
  return { ...own, ...marketFieldsOf(model) }
}

function refuse(request: FastifyRequest, reply: FastifyReply, error: GatewayError): FastifyReply {
  writeRate(reply, rateOf({ error, rate: null }))
  return sendFailure(reply, request, {
    failure: failureOf(error),
    formatFailure: compatApiOf(request).formatFailure,
  })
}

/** Returns the API of a request's client. Anthropic's clients always send `anthropic-version`. */
function compatApiOf(request: FastifyRequest): CompatApi {
  const isAnthropic = request.headers['anthropic-version'] !== undefined
  if (pathOf(request).startsWith('/v1/messages')) return messagesApi
  return isAnthropic && pathOf(request).startsWith('/v1/models') ? messagesApi : chatApi
}

function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] ?? ''
}
