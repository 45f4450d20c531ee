import { messageOf } from './error-messages.ts'

/** Maximum number of issues in the `detail.issues` of an error. */
export const ISSUES_MAX = 20

/** All error codes, each with its HTTP status and default message. A test compares `docs/errors.md` with this table. */
export const errorTable = {
  INVALID_REQUEST: [400, 'The request is malformed.'],
  INVALID_PAYLOAD: [400, 'The request body is not valid.'],
  INVALID_MANIFEST: [400, 'The service manifest is not valid.'],
  MISSING_ADDRESS: [400, 'The address query parameter is required.'],
  INVALID_ADDRESS: [400, 'The address is not a valid 0x wallet address.'],
  INVALID_TX_HASH: [400, 'The transaction hash is not a 32-byte hex string.'],
  MISSING_IDEMPOTENCY_KEY: [400, 'The X-Idempotency-Key header is required (1 to 255 printable characters).'],
  EMAIL_VERIFICATION_INVALID_CODE: [400, 'The verification code is wrong.'],
  EMAIL_VERIFICATION_NOT_PENDING: [400, 'No verification is pending for this email.'],
  UNSAFE_TARGET_URL: [400, 'The target URL is not allowed.'],

  UNAUTHORIZED: [401, 'No valid wallet session. Sign in again.'],
  VERIFICATION_FAILED: [401, 'The signature does not prove control of the wallet.'],
  CHALLENGE_EXPIRED: [401, 'The challenge is unknown, used or expired. Request a new one.'],
  CREDENTIAL_INVALID: [401, 'A valid agent credential is required.'],
  CREDENTIAL_INACTIVE: [401, 'The agent credential is revoked or expired. Its owner can mint another.'],
  PROVIDER_SECRET_INVALID: [401, 'A valid provider secret is required.'],

  PAYMENT_REQUIRED: [402, 'This resource is paid by x402. Its terms are in PAYMENT-REQUIRED and accepts.'],
  INSUFFICIENT_BALANCE: [402, 'The owner has no spendable balance. Deposit USDC first.'],
  BUDGET_EXHAUSTED: [402, 'The budget does not allow this call.'],

  FORBIDDEN: [403, 'This wallet is not allowed to do this.'],
  WALLET_SUSPENDED: [403, 'This wallet is suspended.'],
  SERVICE_SUSPENDED: [403, 'This service is suspended.'],
  SERVICE_NOT_ALLOWED: [403, 'This credential is not allowed to call this service. Its owner can allow it.'],

  NOT_FOUND: [404, 'There is nothing at this path.'],
  SERVICE_NOT_FOUND: [404, 'There is no such service.'],
  CREDENTIAL_NOT_FOUND: [404, 'There is no such credential.'],
  INVOCATION_NOT_FOUND: [404, 'There is no such invocation.'],
  WITHDRAWAL_NOT_FOUND: [404, 'There is no such withdrawal.'],
  DEPOSIT_NOT_FOUND: [404, 'There is no such deposit intent.'],
  SECRET_NOT_FOUND: [404, 'There is no such provider secret.'],
  TOPIC_NOT_FOUND: [404, 'There is no such topic.'],
  VOUCHER_NOT_FOUND: [404, 'There is no such voucher.'],
  WEBHOOK_NOT_FOUND: [404, 'There is no such webhook.'],
  SUPPORT_TASK_NOT_FOUND: [404, 'There is no such support task.'],

  METHOD_NOT_ALLOWED: [405, 'This method is not allowed here.'],

  DUPLICATE_TX_HASH: [409, 'This transaction hash is already registered.'],
  DUPLICATE_SERVICE_ID: [409, 'This agentToolName is already taken.'],
  SERVICE_DELETE_ACTIVE_CONFLICT: [409, 'An active service cannot be deleted. Deactivate it first.'],
  TX_HASH_REPLAY: [409, 'This transaction hash is bound to another withdrawal.'],
  IDEMPOTENCY_CONFLICT: [409, 'This idempotency key was used with another request.'],
  IDEMPOTENCY_IN_PROGRESS: [409, 'The first request with this idempotency key is still running.'],
  DEPOSIT_NOT_CONFIRMED: [409, 'The deposit is not confirmed on chain yet.'],
  WITHDRAWAL_TX_NOT_CONFIRMED: [409, 'The withdraw transaction is not confirmed on chain yet.'],
  WITHDRAWAL_NOT_OPEN: [409, 'The withdrawal is not open.'],
  USAGE_ALREADY_FINAL: [409, 'The usage of this invocation is already final.'],
  VOUCHER_ALREADY_REDEEMED: [409, 'This voucher is already redeemed.'],
  INVALID_STATE: [409, 'The state of the record does not allow this.'],

  SERVICE_ALREADY_DELETED: [410, 'The service is already deleted.'],
  EMAIL_VERIFICATION_EXPIRED: [410, 'The verification code has expired.'],
  VOUCHER_EXPIRED: [410, 'The voucher has expired.'],

  PAYLOAD_TOO_LARGE: [413, 'The request body is too large.'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'The request body must be application/json.'],

  PRICE_MISMATCH: [422, 'The price differs from the one that was sent. Discover again and retry.'],
  LIMIT_EXCEEDED: [422, 'The credit limit exceeds the spending policy of the owner.'],
  LLM_AUTO_HOLD_LIMIT_EXCEEDED: [422, 'The automatic hold exceeds the cap of the service. Pass maxCostUsdc.'],
  INSUFFICIENT_PROVIDER_RECEIVABLE: [422, 'The provider receivable is too low.'],
  DEPOSIT_REJECTED: [422, 'The transaction is not a deposit that can be credited.'],
  WITHDRAWAL_TX_MISMATCH: [422, 'The transaction does not redeem this withdrawal.'],

  EMAIL_VERIFICATION_LOCKED: [423, 'Too many wrong codes. Request a new one.'],
  TOPIC_LOCKED: [423, 'The topic is locked.'],

  RATE_LIMITED: [429, 'Too many requests.'],
  EMAIL_VERIFICATION_DAILY_LIMIT_REACHED: [429, 'No verification mails are left today.'],

  INTERNAL: [500, 'Something went wrong on our side.'],
  UPSTREAM_ERROR: [502, 'The provider returned an error.'],
  WITHDRAW_VAULT_LIQUIDITY_CHECK_UNAVAILABLE: [
    503,
    'The liquidity of the vault cannot be verified now. Nothing was locked.',
  ],
  UNAVAILABLE: [503, 'The gateway cannot serve this request now. Retry shortly.'],
  GATEWAY_INTERRUPTED: [503, 'The gateway was interrupted during this call. Nothing was charged.'],
  LOOP_DETECTED: [508, 'Loop detected: a provider sent a request of this gateway back to it.'],
} as const satisfies Record<string, readonly [status: number, message: string]>

/** An error code of the API. */
export type ErrorCode = keyof typeof errorTable

/** Machine-readable context of an error, sent as members of `detail`. Amounts are decimal strings. */
export type ErrorContext = Readonly<Record<string, unknown>>

/** Options of an error, besides its code and context. */
export type GatewayErrorOptions = {
  /** Replaces the default message of the code. */
  readonly message?: string
  /** Seconds to wait before a retry; sent as `Retry-After` and `detail.retryAfterSeconds`. */
  readonly retryAfterSeconds?: number
  /** The underlying error, for the log; never sent. */
  readonly cause?: unknown
}

/**
 * An error with a code of the API. The HTTP layer turns it into an error response.
 *
 * @example
 * throw new GatewayError('PRICE_MISMATCH', { expectedPriceUsdc: '0.010000', currentPriceUsdc: '0.020000' })
 */
export class GatewayError extends Error {
  override readonly name = 'GatewayError'
  readonly code: ErrorCode
  readonly status: number
  readonly context: ErrorContext

  constructor(code: ErrorCode, context: ErrorContext = {}, options: GatewayErrorOptions = {}) {
    const [status, message] = errorTable[code]
    const { retryAfterSeconds } = options
    const known = retryAfterSeconds === undefined ? context : { ...context, retryAfterSeconds }
    super(options.message ?? messageOf(code, known) ?? message, { cause: options.cause })
    this.code = code
    // The only code with a second status: a timeout of the provider is 504.
    this.status = code === 'UPSTREAM_ERROR' && context.reason === 'timeout' ? 504 : status
    this.context = known
  }

  /** Returns the error body for the response. */
  toBody(requestId: string): ErrorBody {
    const { code, message } = this
    return { code, message, requestId, detail: { code, message, ...this.context } }
  }
}

/** Returns true for UNAVAILABLE: the database, the chain or the gateway itself cannot serve now. */
export function isUnavailable(error: unknown): error is GatewayError {
  return error instanceof GatewayError && error.code === 'UNAVAILABLE'
}

/** Error body of every endpoint. */
export type ErrorBody = {
  readonly code: ErrorCode
  readonly message: string
  readonly requestId: string
  readonly detail: { readonly code: ErrorCode; readonly message: string } & ErrorContext
}
