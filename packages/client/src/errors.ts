import type { ErrorCode } from '@farebox/wire/errors'

/** What can go wrong before the gateway has answered. */
export type LocalCode = 'UNREACHABLE' | 'TIMEOUT' | 'UNREADABLE'

/** What an error says beyond its code and message; a closed shape per code is in docs/errors.md. */
export type ErrorDetail = Readonly<Record<string, unknown>>

/**
 * A request that did not succeed: by the gateway's word, or because no answer came. A caller's own abort is not one of
 * these; it arrives as it is.
 */
export class GatewayError extends Error {
  override readonly name = 'GatewayError'
  /** The gateway's code, or what kept its answer from arriving. */
  readonly code: ErrorCode | LocalCode
  /** HTTP status; 0 when there was no answer. */
  readonly status: number
  /** Names the request in the gateway's logs. */
  readonly requestId: string | null
  readonly detail: ErrorDetail
  /** Seconds after which it is worth trying again, when the gateway says so. */
  readonly retryAfter: number | null

  constructor(
    code: ErrorCode | LocalCode,
    message: string,
    about: {
      status?: number
      requestId?: string | null
      detail?: ErrorDetail
      retryAfter?: number | null
      cause?: unknown
    } = {},
  ) {
    super(message, { cause: about.cause })
    this.code = code
    this.status = about.status ?? 0
    this.requestId = about.requestId ?? null
    this.detail = about.detail ?? {}
    this.retryAfter = about.retryAfter ?? null
  }

  /** Whether the same request may well succeed a little later. */
  get isPassing(): boolean {
    return PASSING.has(this.code)
  }
}

const PASSING: ReadonlySet<string> = new Set([
  ...['UNREACHABLE', 'TIMEOUT', 'UNAVAILABLE', 'RATE_LIMITED', 'IDEMPOTENCY_IN_PROGRESS'],
  ...['WITHDRAW_VAULT_LIQUIDITY_CHECK_UNAVAILABLE', 'INTERNAL'],
])

/** Reads the error of an answer that is not a success, in the gateway's shape or in that of one of its doors. */
export async function readError(response: Response): Promise<GatewayError> {
  const body = readObject(await response.text())
  const { status, headers } = response
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  const about = {
    status,
    requestId: headers.get('x-request-id'),
    retryAfter: Number.isFinite(seconds) ? seconds : null,
  }
  const told = readMember(body, 'error') ?? body
  // The doors speak as other APIs do, and tell our code beside theirs.
  const ours = readMember(told, 'farebox')
  const code = ours?.code ?? told?.code ?? told?.type
  if (typeof code !== 'string') {
    return new GatewayError('UNREADABLE', `The gateway answered ${status} without saying why.`, about)
  }
  const message = typeof told?.message === 'string' ? told.message : code
  const detail = readMember(body, 'detail') ?? ours ?? {}
  return new GatewayError(code as ErrorCode, message, { ...about, detail })
}

/** A JSON object; null of what is none. */
export function readObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}

/** A member that is an object; null of what is none. */
export function readMember(of: Record<string, unknown> | null, name: string): Record<string, unknown> | null {
  const value = of?.[name]
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
}
