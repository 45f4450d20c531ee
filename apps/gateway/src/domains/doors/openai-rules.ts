import type { ErrorCode } from '@farebox/wire/errors'
import { accountOf, type Failure, parameterOf, tell } from './failure-rules.ts'

/** An error object of OpenAI's API, and the status that makes its SDKs raise the right class. */
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

/** What OpenAI calls our errors, where it has a name of its own for them. */
const NAMES: Readonly<Partial<Record<ErrorCode, { type: string; code: string; param?: string }>>> = {
  CREDENTIAL_INVALID: { type: 'invalid_request_error', code: 'invalid_api_key' },
  CREDENTIAL_INACTIVE: { type: 'invalid_request_error', code: 'invalid_api_key' },
  // Clients know this name from a 429, which they send again; 402 is not sent again, and money does not come by waiting.
  INSUFFICIENT_BALANCE: { type: 'insufficient_quota', code: 'insufficient_quota' },
  BUDGET_EXHAUSTED: { type: 'insufficient_quota', code: 'insufficient_quota' },
  WALLET_SUSPENDED: { type: 'permission_error', code: 'wallet_suspended' },
  SERVICE_NOT_ALLOWED: { type: 'permission_error', code: 'service_not_allowed', param: 'model' },
  SERVICE_NOT_FOUND: { type: 'invalid_request_error', code: 'model_not_found', param: 'model' },
  RATE_LIMITED: { type: 'rate_limit_error', code: 'rate_limit_exceeded' },
  UPSTREAM_ERROR: { type: 'api_error', code: 'upstream_error' },
}

/** Types of errors that a provider reports, by the status that they are told with. */
const RELAYED_TYPES: Readonly<Record<number, string>> = { 429: 'rate_limit_error', 529: 'server_error' }

/** A failure as OpenAI's API tells it (platform.openai.com/docs/guides/error-codes). */
export function openAiError(failure: Failure, requestId: string): OpenAiError {
  const { status, message, own } = tell(failure)
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
 * Whether a chunk of a chat completion tells nothing but the usage: sent when `stream_options.include_usage` is set,
 * which the gateway always does; the caller who did not must not meet it (platform.openai.com/docs/api-reference/chat).
 */
export function isUsageChunk(data: string): boolean {
  if (!EMPTY_CHOICES.test(data)) return false
  const { choices, usage } = membersOf(data)
  return Array.isArray(choices) && choices.length === 0 && typeof usage === 'object' && usage !== null
}

/** Longest chunk that is parsed, in characters: none that tells of usage or an error is longer. */
const PARSED_LENGTH_MAX = 65_536

/** Whether a chunk of a chat completion tells of an error, after which its clients read no further. */
export function isErrorChunk(data: string): boolean {
  // Quotation marks within a text are escaped: this is a member, or a value that says as much.
  return data.includes('"error"') && (membersOf(data).error ?? null) !== null
}

function membersOf(data: string): Readonly<Record<string, unknown>> {
  if (data.length > PARSED_LENGTH_MAX) return {}
  try {
    const value: unknown = JSON.parse(data)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    // Nothing to judge: the caller gets what the provider sent.
    return {}
  }
}

const SEQUENCE_NUMBER = /"sequence_number"\s*:\s*(\d{1,15})/

/** The event with which a stream of the Responses API fails. `last` is the data of the event before. */
export function responsesErrorEvent(error: OpenAiError['error'], last: string): object {
  const { message, code, param, farebox } = error
  const before = SEQUENCE_NUMBER.exec(last)?.[1]
  const sequenceNumber = before === undefined ? 0 : Number(before) + 1
  return { type: 'error', code, message, param, sequence_number: sequenceNumber, farebox }
}

/** A model as OpenAI's API lists it. */
export function openAiModel(entry: { agentToolName: string; ownerAddress: string; createdAt: Date }) {
  const { agentToolName, ownerAddress, createdAt } = entry
  const created = Math.floor(createdAt.getTime() / 1_000)
  return { id: agentToolName, object: 'model', created, owned_by: ownerAddress } as const
}
