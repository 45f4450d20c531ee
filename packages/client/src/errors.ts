import type { ErrorCode } from './schema.gen.ts'

export type { ErrorCode } from './schema.gen.ts'

/** Codes of errors without a response of the gateway that can be read. */
export type LocalCode = 'UNREACHABLE' | 'TIMEOUT' | 'UNREADABLE'

/** Details of an error. docs/errors.md defines their shape for each code. */
export type ErrorDetail = Readonly<Record<string, unknown>>

/**
 * Thrown when the gateway returns an error or cannot be reached. An abort by the caller is thrown as it is, not
 * wrapped.
 */
export class GatewayError extends Error {
  override readonly name = 'GatewayError'
  /** The gateway's error code, or the reason why no response arrived. */
  readonly code: ErrorCode | LocalCode
  /** HTTP status; 0 without a response. */
  readonly status: number
  /** Identifies the request in the gateway's logs. */
  readonly requestId: string | null
  readonly detail: ErrorDetail
  /** Seconds to wait before a retry, from the `Retry-After` header; null without one. */
  readonly retryAfter: number | null
  /** Terms of x402 in a 402, from the `PAYMENT-REQUIRED` header; null without them. */
  readonly paymentRequired: string | null

  constructor(
    code: ErrorCode | LocalCode,
    message: string,
    about: {
      status?: number
      requestId?: string | null
      detail?: ErrorDetail
      retryAfter?: number | null
      paymentRequired?: string | null
      cause?: unknown
    } = {},
  ) {
    super(message, { cause: about.cause })
    this.code = code
    this.status = about.status ?? 0
    this.requestId = about.requestId ?? null
    this.detail = about.detail ?? {}
    this.retryAfter = about.retryAfter ?? null
    this.paymentRequired = about.paymentRequired ?? null
  }

  /** True if a retry of the same request may succeed. */
  get isPassing(): boolean {
    return PASSING.has(this.code)
  }
}

/** Maximum length of a provider's reason in a message. */
const REASON_LENGTH_MAX = 300

const PASSING: ReadonlySet<string> = new Set([
  'UNREACHABLE',
  'TIMEOUT',
  'UNAVAILABLE',
  'RATE_LIMITED',
  'IDEMPOTENCY_IN_PROGRESS',
  'WITHDRAW_VAULT_LIQUIDITY_CHECK_UNAVAILABLE',
  'INTERNAL',
])

/** Reads an error response, in the gateway's own format or that of the OpenAI, Anthropic or MCP APIs. */
export async function readError(response: Response): Promise<GatewayError> {
  const body = readObject(await response.text())
  const { status, headers } = response
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  const about = {
    status,
    requestId: headers.get('x-request-id'),
    retryAfter: Number.isFinite(seconds) ? seconds : null,
    paymentRequired: headers.get('payment-required'),
  }
  const reported = readMember(body, 'error') ?? body
  // The compatible APIs use their own error formats, with the gateway's code in `farebox`.
  const ours = readMember(reported, 'farebox')
  const code = ours?.code ?? reported?.code ?? reported?.type
  if (typeof code !== 'string') {
    // Errors of the gateway have a code. A balancer's says nothing about a request that may have arrived.
    return status >= 500
      ? new GatewayError(
          'UNREACHABLE',
          `The gateway cannot be reached: a server in front of it answered ${status}.`,
          about,
        )
      : new GatewayError('UNREADABLE', `The gateway answered ${status} without saying why.`, about)
  }
  const detail = readMember(body, 'detail') ?? ours ?? {}
  const message = providerReason(detail) ?? (typeof reported?.message === 'string' ? reported.message : code)
  return new GatewayError(code as ErrorCode, message, { ...about, detail })
}

/** Returns what a provider gave as the reason of its own error, shortened; null if it gave none. */
function providerReason({ upstreamStatus, upstreamBody }: ErrorDetail): string | null {
  if (typeof upstreamStatus !== 'number' || typeof upstreamBody !== 'string' || upstreamBody === '')
    return null
  const body = readObject(upstreamBody)
  const said = [readMember(body, 'error')?.message, body?.error, body?.message, upstreamBody]
  const reason = said.find(each => typeof each === 'string')
  return `The provider answered ${upstreamStatus}: ${String(reason).slice(0, REASON_LENGTH_MAX)}`
}

/** Parses a JSON object; returns null for anything else. */
export function readObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}

/** Returns a member that is an object; null otherwise. */
export function readMember(of: Record<string, unknown> | null, name: string): Record<string, unknown> | null {
  const value = of?.[name]
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
}
