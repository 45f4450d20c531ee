import { accountOf, describeFailure, type Failure } from './failure-rules.ts'

/** Error body of Anthropic's API, with the status for which its SDKs raise the right class. */
export type AnthropicError = {
  readonly status: number
  readonly body: {
    readonly type: 'error'
    readonly error: {
      readonly type: string
      readonly message: string
      readonly farebox: Readonly<Record<string, unknown>>
    }
    readonly request_id: string
  }
}

const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  409: 'conflict_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
}

/** Formats a failure for Anthropic's API (docs.anthropic.com/en/api/errors). */
export function anthropicError(failure: Failure, requestId: string): AnthropicError {
  const { status, message, own } = describeFailure(failure)
  const ownType = typeof own?.type === 'string' ? own.type : undefined
  const type = ownType ?? TYPES[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error')
  const error = { type, message, farebox: accountOf(failure, requestId) }
  return { status, body: { type: 'error', error, request_id: requestId } }
}

/** Formats a model for Anthropic's API. */
export function anthropicModel(entry: { agentToolName: string; serviceName: string; createdAt: Date }) {
  const { agentToolName, serviceName, createdAt } = entry
  const { id, display_name } = { id: agentToolName, display_name: serviceName }
  return { type: 'model', id, display_name, created_at: createdAt.toISOString() } as const
}

/** Position of a page of models; see docs.anthropic.com/en/api/models-list. */
export type ModelsPage = {
  readonly limit: number
  readonly after_id?: string | undefined
  readonly before_id?: string | undefined
}

/**
 * Returns a page of a complete list: the first models after `after_id`, or the last ones before `before_id`. An unknown
 * id counts as the place where it would be sorted.
 */
export function pageOfModels<Model extends { readonly id: string }>(
  models: readonly Model[],
  page: ModelsPage,
) {
  const { limit, after_id: after, before_id: before } = page
  const rest = models.filter(
    ({ id }) => (after === undefined || id > after) && (before === undefined || id < before),
  )
  const isBackwards = before !== undefined && after === undefined
  const data = isBackwards ? rest.slice(-limit) : rest.slice(0, limit)
  return {
    data,
    has_more: rest.length > data.length,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  }
}
