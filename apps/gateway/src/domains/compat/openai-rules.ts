import type { ErrorCode } from '@farebox/wire/errors'
import { accountOf, describeFailure, type Failure, parameterOf } from './failure-rules.ts'

/** Error object of OpenAI's API, with the status for which its SDKs raise the right class. */
export type OpenAiError = {
  readonly status: number
  readonly error: {
    readonly message: string
    readonly type: string
    readonly param: string | null
    readonly code: string | null
    readonly farebox: Readonly<Record<string, unknown>>
  }
}

/** OpenAI's names for the gateway's errors, where it has any. */
const NAMES: Readonly<Partial<Record<ErrorCode, { type: string; code: string; param?: string }>>> = {
  CREDENTIAL_INVALID: { type: 'invalid_request_error', code: 'invalid_api_key' },
  CREDENTIAL_INACTIVE: { type: 'invalid_request_error', code: 'invalid_api_key' },
  // OpenAI sends this code with 429, which SDKs retry. The gateway sends it with 402, as retries cannot succeed.
  INSUFFICIENT_BALANCE: { type: 'insufficient_quota', code: 'insufficient_quota' },
  BUDGET_EXHAUSTED: { type: 'insufficient_quota', code: 'insufficient_quota' },
  WALLET_SUSPENDED: { type: 'permission_error', code: 'wallet_suspended' },
  SERVICE_NOT_ALLOWED: { type: 'permission_error', code: 'service_not_allowed', param: 'model' },
  SERVICE_NOT_FOUND: { type: 'invalid_request_error', code: 'model_not_found', param: 'model' },
  RATE_LIMITED: { type: 'rate_limit_error', code: 'rate_limit_exceeded' },
  UPSTREAM_ERROR: { type: 'api_error', code: 'upstream_error' },
}

/** Types of relayed provider errors, by status. */
const RELAYED_TYPES: Readonly<Record<number, string>> = { 429: 'rate_limit_error', 529: 'server_error' }

/** Formats a failure for OpenAI's API (platform.openai.com/docs/guides/error-codes). */
export function openAiError(failure: Failure, requestId: string): OpenAiError {
  const { status, message, own } = describeFailure(failure)
  const farebox = accountOf(failure, requestId)
  if (status !== failure.status) {
    const type = textOf(own?.type) ?? RELAYED_TYPES[status] ?? 'invalid_request_error'
    const error = { message, type, param: textOf(own?.param), code: textOf(own?.code), farebox }
    return { status, error }
  }
  const byStatus = status >= 500 ? 'server_error' : 'invalid_request_error'
  const { type, code, param } = NAMES[failure.code] ?? {
    type: byStatus,
    code: failure.code.toLowerCase(),
    param: undefined,
  }
  return { status, error: { message, type, param: param ?? parameterOf(failure), code, farebox } }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

const EMPTY_CHOICES = /"choices"\s*:\s*\[\s*\]/

/**
 * Returns true if a chunk of a chat completion contains only the usage. Providers send it for
 * `stream_options.include_usage`, which the gateway always sets; callers who did not must not receive it
 * (platform.openai.com/docs/api-reference/chat).
 */
export function isUsageChunk(data: string): boolean {
  if (!EMPTY_CHOICES.test(data)) return false
  const { choices, usage } = membersOf(data)
  return Array.isArray(choices) && choices.length === 0 && typeof usage === 'object' && usage !== null
}

/** Maximum length of a chunk that is parsed, in characters; chunks with usage or errors are shorter. */
const PARSED_LENGTH_MAX = 65_536

/** Returns true if a chunk of a chat completion contains an error, at which clients stop reading. */
export function isErrorChunk(data: string): boolean {
  // Quotation marks in strings are escaped, so this matches a member name or a whole string.
  return data.includes('"error"') && (membersOf(data).error ?? null) !== null
}

function membersOf(data: string): Readonly<Record<string, unknown>> {
  if (data.length > PARSED_LENGTH_MAX) return {}
  try {
    const value: unknown = JSON.parse(data)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    // Not JSON: forwarded unchanged.
    return {}
  }
}

const SEQUENCE_NUMBER = /"sequence_number"\s*:\s*(\d{1,15})/

/** Returns the event that fails a stream of the Responses API. `last` is the data of the previous event. */
export function responsesErrorEvent(error: OpenAiError['error'], last: string): object {
  const { message, code, param, farebox } = error
  const before = SEQUENCE_NUMBER.exec(last)?.[1]
  const sequenceNumber = before === undefined ? 0 : Number(before) + 1
  return { type: 'error', code, message, param, sequence_number: sequenceNumber, farebox }
}

/** Formats a model for OpenAI's API. */
export function openAiModel(entry: { agentToolName: string; ownerAddress: string; createdAt: Date }) {
  const { agentToolName, ownerAddress, createdAt } = entry
  const created = Math.floor(createdAt.getTime() / 1_000)
  return { id: agentToolName, object: 'model', created, owned_by: ownerAddress } as const
}
